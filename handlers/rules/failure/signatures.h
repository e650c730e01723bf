// The vocabulary: what failed training jobs say, and what it means. signatures.json holds it, each
// entry with its source and examples; generate.py compiles it in. Matching is linear in a line's
// length.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "handlers/rules/failure/tables.h"

namespace trainwarden::rules {

struct SignatureHit {
  std::size_t signature;  // index in kTables.signatures
  std::size_t at;
  std::string_view text;  // that was found there, with its `*`
};

// The first hit of each signature in one line, in the order of the line, with the longest of its
// texts that stands there; both texts are the same but for their case. far: the line is far from
// the end of a log, and only what counts there is looked for.
std::vector<SignatureHit> find_signatures(std::string_view said, std::string_view lower,
                                          bool far = false);

// Far from the end count the texts of this size and more, of signatures that count anywhere.
inline constexpr std::size_t kFarText = 14;

}  // namespace trainwarden::rules
