#include "handlers/rules/failure/process_names.h"

#include <algorithm>
#include <cstdint>

#include "handlers/rules/failure/characters.h"
#include "handlers/rules/failure/word_lists.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {

std::string_view word_at(std::string_view text) {
  const char* const characters = text.data();
  std::size_t end = 0;
  while (end < text.size() && is_word(characters[end])) ++end;
  return text.substr(0, end);
}

bool names_a_process(std::string_view inside) {
  static constexpr auto kWho =
      word_list("rank", "Rank", "node", "default", "algo-", "PG ", "worker", "proc", "local_rank",
                "pod/", "master-", "launcher-", "chief-", "ps-", "trainer-", "replica-", "STDERR",
                "STDOUT", "stderr", "stdout", "resource.labels.");
  // Most brackets hold what begins with another letter.
  static constexpr std::uint64_t kFirst = [] {
    std::uint64_t letters = 0;
    for (const std::string_view who : Words(kWho)) letters |= std::uint64_t{1} << (who[0] - '@');
    return letters;
  }();
  if (inside.empty() || !is_letter(inside[0]) || (kFirst >> (inside[0] - '@') & 1U) == 0)
    return false;
  return starts_with_one(inside, kWho);
}

bool is_host(std::string_view name) {
  static constexpr auto kHosts = word_list("ip-", "algo-", "worker", "node", "host", "master",
                                           "trainer", "launcher", "compute");
  if (!name.empty() && is_digit(name[0]))  // `10.0.3.1`
    return std::ranges::count(name, '.') == 3 &&
           std::ranges::all_of(name, [](char c) { return is_digit(c) || c == '.'; });
  return starts_with_one(name, kHosts) && std::ranges::any_of(name, is_digit);
}

bool is_role(std::string_view name) {
  static constexpr auto kRoles =
      word_list("trainer", "worker", "node", "replica", "actor", "master", "rank", "learner", "ps");
  while (!name.empty() && (is_digit(name.back()) || name.back() == '-')) name.remove_suffix(1);
  return is_one(name, kRoles);
}

TaskMark task_mark(std::string_view text) {
  constexpr std::string_view kEnd = " || ";
  constexpr std::size_t kLongest = 80;
  const std::size_t end = text.starts_with('<') ? text.substr(0, kLongest).find(kEnd) : text.npos;
  if (end == text.npos || !text.substr(0, end).contains(':')) return {};
  const std::string_view before = text.substr(0, end);
  return {end + kEnd.size(), word_at(before.substr(1)), before.substr(before.rfind(' ') + 1)};
}

}  // namespace trainwarden::rules
