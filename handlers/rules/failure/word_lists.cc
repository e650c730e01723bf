#include "handlers/rules/failure/word_lists.h"

#include <algorithm>
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
  const char* const end = text.data() + text.size();
  for (const std::string_view word : words)
    if (word.size() <= text.size() && end[-static_cast<std::ptrdiff_t>(word.size())] == word[0] &&
        text.ends_with(word))
      return true;
  return false;
}

bool has_one(std::string_view text, Words words) {
  const Bigrams pairs(text);
  for (const std::string_view word : words)
    if (pairs.may_have(word) && text.contains(word)) return true;
  return false;
}

std::size_t first_end(std::string_view text, Words words) {
  std::size_t out = text.npos;
  const Bigrams pairs(text);
  for (const std::string_view word : words) {
    if (!pairs.may_have(word)) continue;
    if (const std::size_t at = text.substr(0, out).find(word); at != text.npos)
      out = std::min(out, at + word.size());
  }
  return out;
}

WordIndex::WordIndex(unsigned key, std::initializer_list<List> lists) : WordIndex(key) {
  for (const List& list : lists)
    for (const std::string_view word : list.words) add(list.bit, word);
}

void WordIndex::add(std::uint64_t bit, std::string_view word) {
  Word& one = words_.at(++count_);
  one.head = head_of(word.data(), word.size());
  one.bit = bit;
  one.text = word.data();
  one.size = static_cast<std::uint8_t>(word.size());
  std::uint16_t& first = first_[bucket_of(one.head, key_)];
  one.next = first;
  first = count_;
  if (key_ != kSpotted) return;
  // A word shorter than four characters goes on with any.
  const auto four = static_cast<std::uint32_t>(one.head);
  for (std::uint32_t last = 0; last < (word.size() < kLoad ? 256U : 1U); ++last) {
    const std::uint32_t spot = spot_of(four | last << 24U);
    spots_.at(spot / 64) |= std::uint64_t{1} << (spot % 64);
  }
}

// head: the text's first characters, by which most words differ from it.
inline bool WordIndex::stands(const Word& one, std::uint64_t head, const char* text,
                              std::size_t size) {
  constexpr unsigned kHead = sizeof(Word::head);
  return alike(head, one.head, std::min<unsigned>(one.size, kHead)) && one.size <= size &&
         (one.size <= kHead || std::memcmp(text, one.text, one.size) == 0);
}

bool WordIndex::stands(const Word& one, const char* text, std::size_t size) {
  return stands(one, head_of(text, size), text, size);
}

std::uint64_t WordIndex::at(const char* text, std::size_t size, std::uint16_t next) const {
  std::uint64_t out = 0;
  if (next == 0) return out;
  const std::uint64_t head = head_of(text, size);
  for (; next != 0; next = words_.data()[next].next) {
    const Word& one = words_.data()[next];
    if (stands(one, head, text, size)) out |= one.bit;
  }
  return out;
}

std::uint64_t WordIndex::at_begin(std::string_view text) const {
  if (text.size() < key_) return 0;
  return at(text.data(), text.size(), first(text.data(), text.size()));
}

// Apart from the loop that calls it, which runs for each character.
[[gnu::noinline]] std::uint64_t WordIndex::spotted(const char* text, const char* end) const {
  const auto left = static_cast<std::size_t>(end - text);
  return at(text, left, first(text, left));
}

std::uint64_t WordIndex::anywhere(std::string_view text) const {
  std::uint64_t out = 0;
  const char* here = text.data();
  const char* const end = here + text.size();
  if (key_ == kSpotted && text.size() >= kLoad)
    for (const char* const last = end - kLoad; here <= last; ++here)
      if (may_begin(here)) out |= spotted(here, end);
  for (; static_cast<std::size_t>(end - here) >= key_; ++here)
    out |= at_begin({here, static_cast<std::size_t>(end - here)});
  return out;
}

}  // namespace trainwarden::rules
