#include "handlers/rules/failure/word_lists.h"

namespace trainwarden::rules {

bool is_one(std::string_view text, Words words) {
  for (const std::string_view word : words)
    if (text == word) return true;
  return false;
}

bool starts_with_one(std::string_view text, Words words) {
  if (text.empty()) return false;
  const char first = text.front();
  for (const std::string_view word : words)
    if (*word.data() == first && text.starts_with(word)) return true;
  return false;
}

bool ends_with_one(std::string_view text, Words words) {
  for (const std::string_view word : words)
    if (text.ends_with(word)) return true;
  return false;
}

bool has_one(std::string_view text, Words words) { return has_one(text, Bigrams(text), words); }

bool has_one(std::string_view text, const Bigrams& pairs, Words words) {
  for (const std::string_view word : words)
    if (pairs.may_have(word) && text.contains(word)) return true;
  return false;
}

}  // namespace trainwarden::rules
