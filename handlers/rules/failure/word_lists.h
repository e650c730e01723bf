// Lists of words that a line is held against. A list is written as its words and kept as one block
// of characters, each word behind its length: an array of string views would weigh three times as
// much.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "handlers/rules/failure/bigrams.h"

namespace trainwarden::rules {

template <std::size_t kSize>
struct WordBlock {
  std::array<char, kSize> characters{};
};

// word_list("a", "bc"): the words in their order, none longer than 127 bytes.
template <std::size_t... kSizes>
consteval auto word_list(const char (&... words)[kSizes]) {
  WordBlock<(kSizes + ...)> out;  // a length stands for each literal's NUL
  char* at = out.characters.data();
  const auto add = [&at](const char* word, std::size_t size) {
    *at++ = static_cast<char>(size);
    for (std::size_t i = 0; i < size; ++i) *at++ = word[i];
  };
  (add(words, kSizes - 1), ...);
  return out;
}

// A word_list(), whatever its size.
class Words {
 public:
  template <std::size_t kSize>
  constexpr Words(const WordBlock<kSize>& block)
      : begin_(block.characters.data()), end_(begin_ + kSize) {}

  class Iterator {
   public:
    explicit constexpr Iterator(const char* at) : at_(at) {}
    constexpr std::string_view operator*() const {
      return {at_ + 1, static_cast<std::size_t>(*at_)};
    }
    constexpr Iterator& operator++() {
      at_ += 1 + *at_;
      return *this;
    }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    const char* at_;
  };
  constexpr Iterator begin() const { return Iterator(begin_); }
  constexpr Iterator end() const { return Iterator(end_); }

 private:
  const char* begin_;
  const char* end_;
};

bool is_one(std::string_view text, Words words);
bool starts_with_one(std::string_view text, Words words);
bool ends_with_one(std::string_view text, Words words);
bool has_one(std::string_view text, Words words);
// pairs: those of the text, or of a longer one.
bool has_one(std::string_view text, const Bigrams& pairs, Words words);

}  // namespace trainwarden::rules
