#include "handlers/rules/failure/process_names.h"

#include <algorithm>
#include <cstdint>

#include "handlers/rules/failure/characters.h"
#include "handlers/rules/failure/word_lists.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

// A bit for each letter that one of the words begins with: most texts begin with another.
constexpr std::uint64_t first_letters(Words words) {
  std::uint64_t letters = 0;
  for (const std::string_view word : words) letters |= std::uint64_t{1} << (word[0] - '@');
  return letters;
}

bool may_be_one_of(std::string_view text, std::uint64_t letters) {
  return !text.empty() && is_letter(text[0]) && (letters >> (text[0] - '@') & 1U) != 0;
}

}  // namespace

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
  static constexpr std::uint64_t kFirst = first_letters(kWho);
  return may_be_one_of(inside, kFirst) && starts_with_one(inside, kWho);
}

bool is_host(std::string_view name) {
  static constexpr auto kHosts = word_list("ip-", "algo-", "worker", "node", "host", "master",
                                           "trainer", "launcher", "compute");
  if (!name.empty() && is_digit(name[0]))  // `10.0.3.1`
    return std::ranges::count(name, '.') == 3 &&
           std::ranges::all_of(name, [](char c) { return is_digit(c) || c == '.'; });
  static constexpr std::uint64_t kFirst = first_letters(kHosts);
  return may_be_one_of(name, kFirst) && starts_with_one(name, kHosts) &&
         std::ranges::any_of(name, is_digit);
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
