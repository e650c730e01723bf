#include "handlers/rules/failure/failure.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <system_error>

namespace trainwarden::rules {
namespace {

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string_view failure_kind(std::string_view reason) {
  const std::size_t colon = reason.find(':');
  const std::string_view word = reason.substr(0, colon);
  if (word.empty() || !is_letter(word[0])) return {};
  const bool one_word =
      std::ranges::all_of(word, [](char c) { return is_letter(c) || is_digit(c); });
  return one_word ? word : std::string_view();
}

std::optional<int> exit_code(std::string_view reason) {
  std::string text(reason);
  std::ranges::transform(text, text.begin(), lower);
  for (std::size_t at = text.find("exit"); at != std::string::npos;
       at = text.find("exit", at + 1)) {
    std::size_t i = at + 4;
    const auto skip = [&](std::string_view what) {
      while (i < text.size() && what.find(text[i]) != std::string_view::npos) ++i;
    };
    skip(" _");
    if (text.compare(i, 4, "code") != 0) continue;
    i += 4;
    skip(" :=");
    int code = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), code);
    if (error == std::errc()) return code;
  }
  return std::nullopt;
}

}  // namespace trainwarden::rules
