// Lists of words that a line is held against. A list is written as its words and kept as one block
// of characters, each word behind its length: an array of string views would weigh three times as
// much.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

// Where the first of the words ends that stands in the text, so that what is before an offset has
// one of them exactly where that is not larger; npos where none stands there.
std::size_t first_end(std::string_view text, Words words);

// Several lists at once: one pass over a text tells which of them have a word there.
class WordIndex {
 public:
  struct List {
    std::uint64_t bit;
    Words words;
  };
  static constexpr std::size_t kMostWords = 511;

  // key: by how many of their first characters words are told apart, three at most; none may be
  // shorter.
  explicit WordIndex(unsigned key) : key_(key), words_{} {}
  WordIndex(unsigned key, std::initializer_list<List> lists);
  // The word must outlive the index.
  void add(std::uint64_t bit, std::string_view word);

  // The bits of the lists that have a word at the beginning of the text, or anywhere in it.
  std::uint64_t at_begin(std::string_view text) const;
  std::uint64_t anywhere(std::string_view text) const;

  // Calls found(bit, at, size) for each word wherever it stands in the text.
  template <typename Found>
  void each(std::string_view text, Found found) const {
    for (std::size_t at = 0; at + key_ <= text.size(); ++at) {
      const std::size_t left = text.size() - at;
      if (key_ == kSpotted && left >= kLoad && !may_begin(text.data() + at)) continue;
      for (std::uint16_t next = first(text.data() + at, left); next != 0;
           next = words_.data()[next].next)
        if (stands(words_.data()[next], text.data() + at, left))
          found(words_.data()[next].bit, at, std::size_t{words_.data()[next].size});
    }
  }

 private:
  struct Word {
    std::uint64_t head;
    std::uint64_t bit;
    const char* text;
    std::uint16_t next;  // that may begin alike; 0: none
    std::uint8_t size;
  };
  // Whether a word may begin where four characters stand; of an index by three characters only.
  static constexpr unsigned kSpotted = 3;
  static constexpr std::size_t kLoad = sizeof(std::uint32_t);
  static std::uint32_t spot_of(std::uint32_t four) { return four * 2654435761U >> 17U; }
  bool may_begin(const char* text) const {
    std::uint32_t four = 0;
    std::memcpy(&four, text, kLoad);
    const std::uint32_t spot = spot_of(four);
    return (spots_.data()[spot / 64] >> (spot % 64) & 1U) != 0;
  }
  std::uint16_t first(const char* text, std::size_t size) const {
    return first_.data()[bucket_of(head_of(text, size), key_)];
  }
  std::uint64_t spotted(const char* text, const char* end) const;
  static bool stands(const Word& one, const char* text, std::size_t size);
  static bool stands(const Word& one, std::uint64_t head, const char* text, std::size_t size);
  std::uint64_t at(const char* text, std::size_t size, std::uint16_t next) const;

  unsigned key_;
  std::uint16_t count_ = 0;
  std::array<std::uint64_t, 512> spots_{};  // bits: of what words may begin with
  std::array<std::uint16_t, kBuckets> first_{};
  std::array<Word, kMostWords + 1> words_;
};

}  // namespace trainwarden::rules
