#include "handlers/rules/failure/phrase_search.h"

#include <algorithm>
#include <cassert>

namespace trainwarden::rules {
namespace {

constexpr std::size_t kAnchor = 3;

std::vector<std::string_view> split(std::string_view text, std::string_view by) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = text.find(by);
    if (const std::string_view part = text.substr(0, end); !part.empty()) out.push_back(part);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + by.size());
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Whether line, from a place where the first part stands, has the other parts in order, each not
// far from the one before.
bool goes_on(std::string_view line, std::span<const std::string_view> parts) {
  constexpr std::size_t kFar = 160;
  line.remove_prefix(parts[0].size());
  for (const std::string_view part : parts.subspan(1)) {
    const std::size_t at = line.substr(0, kFar + part.size()).find(part);
    if (at == std::string_view::npos) return false;
    line.remove_prefix(at + part.size());
  }
  return true;
}

}  // namespace

std::size_t PhraseSearch::bucket(const char* at) {
  const auto byte = [at](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(at[i]));
  };
  return (byte(0) * 961 + byte(1) * 31 + byte(2)) % kBuckets;
}

PhraseSearch::PhraseSearch(std::span<const Row> rows) {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (const std::string_view text : split(rows[row].phrases, " | ")) {
      Phrase phrase{row, {}};
      for (const std::string_view part : split(text, "*")) phrase.parts.push_back(trimmed(part));
      assert(phrase.parts.at(0).size() >= kAnchor);
      buckets_[bucket(phrase.parts[0].data())].push_back(
          static_cast<std::uint16_t>(phrases_.size()));
      phrases_.push_back(std::move(phrase));
    }
    unless_.push_back(split(rows[row].unless, " | "));
  }
}

std::vector<PhraseSearch::Hit> PhraseSearch::search(std::string_view text) const {
  std::vector<Hit> hits;
  std::vector<std::size_t> found(unless_.size(),
                                 0);  // the line, from 1, that each row is done with
  std::size_t line = 1;
  std::size_t begin = 0;
  std::size_t end = std::min(text.find('\n'), text.size());
  for (std::size_t at = 0; at + kAnchor <= text.size(); ++at) {
    if (at > end) {
      begin = end + 1;
      end = std::min(text.find('\n', begin), text.size());
      ++line;
    }
    for (const std::uint16_t index : buckets_[bucket(text.data() + at)]) {
      const Phrase& phrase = phrases_[index];
      if (found[phrase.row] == line) continue;
      const std::string_view rest = text.substr(at, end > at ? end - at : 0);
      if (!rest.starts_with(phrase.parts[0]) || !goes_on(rest, phrase.parts)) continue;
      found[phrase.row] = line;
      const std::string_view whole = text.substr(begin, end - begin);
      const bool another_thing = std::ranges::any_of(unless_[phrase.row], [&](std::string_view u) {
        return whole.find(u) != std::string_view::npos;
      });
      if (!another_thing) hits.push_back({phrase.row, at});
    }
  }
  return hits;
}

}  // namespace trainwarden::rules
