// Finds many phrases in one text, in time linear in the text whatever it holds: at each place only
// the phrases that begin with its three characters are tried, and the parts of one phrase lie
// within a bounded distance.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace trainwarden::rules {

class PhraseSearch {
 public:
  struct Row {
    std::string_view phrases;  // as in Signature::phrases
    std::string_view unless;
  };
  struct Hit {
    std::size_t row;
    std::size_t at;
  };

  // The texts that the rows point to must outlive it.
  explicit PhraseSearch(std::span<const Row> rows);

  // The first hit of each row on each line, in the order of the text. text: lower case.
  std::vector<Hit> search(std::string_view text) const;

 private:
  struct Phrase {
    std::size_t row;
    std::vector<std::string_view> parts;
  };
  static constexpr std::size_t kBuckets = 2048;
  // Of the three characters that a phrase begins with.
  static std::size_t bucket(const char* at);

  std::vector<Phrase> phrases_;
  std::vector<std::vector<std::string_view>> unless_;         // of each row
  std::array<std::vector<std::uint16_t>, kBuckets> buckets_;  // indexes of phrases
};

}  // namespace trainwarden::rules
