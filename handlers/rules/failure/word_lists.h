// Lists of words that a line is held against. A list is written as its words and kept as one block
// of characters, each word behind its length: an array of string views would weigh three times as
// much.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "handlers/rules/failure/heads.h"

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
  constexpr explicit(false) Words(const WordBlock<kSize>& block)
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

// Several lists at once: one pass over a text tells which of them have a word there.
class WordIndex {
 public:
  struct List {
    std::uint32_t bit;
    Words words;
  };

  // key: by how many of their first characters words are told apart; none may be shorter.
  WordIndex(unsigned key, std::initializer_list<List> lists);

  // The bits of the lists that have a word at the beginning of the text, or anywhere in it.
  std::uint32_t at_begin(std::string_view text) const;
  std::uint32_t anywhere(std::string_view text) const;

 private:
  struct Word {
    std::uint64_t head;
    const char* text;
    std::uint32_t list;
    std::uint8_t size;
    std::uint8_t next;  // that may begin alike; 0: none
  };
  std::uint32_t at(const char* text, std::size_t size, std::uint8_t next) const;

  unsigned key_;
  std::array<std::uint8_t, kBuckets> first_{};
  std::array<Word, 256> words_;
};

}  // namespace trainwarden::rules
