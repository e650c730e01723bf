#include "handlers/rules/failure/word_lists.h"

#include <cstring>

#include "handlers/rules/failure/bigrams.h"

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

bool has_one(std::string_view text, Words words) {
  const Bigrams pairs(text);
  for (const std::string_view word : words)
    if (pairs.may_have(word) && text.contains(word)) return true;
  return false;
}

WordIndex::WordIndex(unsigned key, std::initializer_list<List> lists) : key_(key), words_{} {
  std::uint8_t count = 0;
  for (const List& list : lists)
    for (const std::string_view word : list.words) {
      Word& one = words_.at(++count);
      one.head = head_of(word.data(), word.size());
      one.text = word.data();
      one.list = list.bit;
      one.size = static_cast<std::uint8_t>(word.size());
      std::uint8_t& first = first_[bucket_of(one.head, key_)];
      one.next = first;
      first = count;
    }
}

std::uint32_t WordIndex::at(const char* text, std::size_t size, std::uint8_t next) const {
  constexpr std::size_t kHead = sizeof(Word::head);
  const std::uint64_t head = head_of(text, size);
  std::uint32_t out = 0;
  for (; next != 0; next = words_.data()[next].next) {
    const Word& one = words_.data()[next];
    if (one.size <= size && alike(head, one.head, std::min<unsigned>(one.size, kHead)) &&
        (one.size <= kHead || std::memcmp(text, one.text, one.size) == 0))
      out |= one.list;
  }
  return out;
}

std::uint32_t WordIndex::at_begin(std::string_view text) const {
  if (text.size() < key_) return 0;
  return at(text.data(), text.size(), first_[bucket_of(head_of(text.data(), text.size()), key_)]);
}

std::uint32_t WordIndex::anywhere(std::string_view text) const {
  std::uint32_t out = 0;
  if (text.size() < sizeof(std::uint32_t)) return out;
  const char* const end = text.data() + text.size();
  for (const char* here = text.data(); here <= end - sizeof(std::uint32_t); ++here) {
    std::uint32_t head = 0;
    std::memcpy(&head, here, sizeof(head));
    const std::uint8_t next = first_.data()[bucket_of(head, sizeof(head))];
    if (next != 0) out |= at(here, static_cast<std::size_t>(end - here), next);
  }
  return out;
}

}  // namespace trainwarden::rules
