#include "handlers/rules/patterns/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "runtime/base/ascii.h"

namespace trainwarden::rules {
namespace {

constexpr std::size_t kLongest = 128;

// Optimal string alignment: insert, delete, replace, or exchange two neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
  std::array<std::vector<std::size_t>, 3> rows;
  for (auto& row : rows) row.resize(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t>& row = rows[i % 3];
    const std::vector<std::size_t>& above = rows[(i - 1) % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced =
          above[j - 1] + (to_lower(a[i - 1]) == to_lower(b[j - 1]) ? 0U : 1U);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && to_lower(a[i - 1]) == to_lower(b[j - 2]) &&
          to_lower(a[i - 2]) == to_lower(b[j - 1])) {
        row[j] = std::min(row[j], rows[(i - 2) % 3][j - 2] + 1);
      }
    }
  }
  return rows[a.size() % 3][b.size()];
}

// The one known name that begins so: `grace` for `grace_seconds`.
std::string_view begun_by(std::string_view found, std::span<const std::string_view> known) {
  constexpr std::size_t kShortest = 4;
  const auto begins = [found](std::string_view name) { return name.starts_with(found); };
  if (found.size() < kShortest || std::ranges::count_if(known, begins) != 1) return {};
  return *std::ranges::find_if(known, begins);
}

}  // namespace

std::string_view nearest(std::string_view found, std::span<const std::string_view> known,
                         std::size_t letters_per_edit) {
  if (found.empty() || found.size() > kLongest) return {};
  std::string_view best;
  std::size_t least = std::max<std::size_t>(1, found.size() / letters_per_edit) + 1;
  for (std::string_view name : known) {
    const std::size_t longer = std::max(name.size(), found.size());
    const std::size_t shorter = std::min(name.size(), found.size());
    if (longer - shorter >= least) continue;
    if (std::size_t d = distance(found, name); d < least) {
      least = d;
      best = name;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view found, std::span<const std::string_view> known) {
  std::string_view name = nearest(found, known);
  if (name.empty()) name = begun_by(found, known);
  return name.empty() ? std::string() : fmt::format("; did you mean `{}`?", name);
}

std::string one_of(std::span<const std::string_view> names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != 0) out += i + 1 == names.size() ? " or " : ", ";
    out += fmt::format("`{}`", names[i]);
  }
  return out;
}

}  // namespace trainwarden::rules
