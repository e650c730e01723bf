// What the lines of a text tell of the failure: every line that may bear a verdict is read by type
// before words, and the weightiest finding counts.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/failure/failure_text.h"
#include "handlers/rules/failure/own_signature.h"
#include "handlers/rules/failure/tables.h"

namespace trainwarden::rules {

// How far to trust a line.
enum class Tier : std::uint8_t {
  kReport,    // it reports a failure
  kOrdinary,  // it is among the last lines, or was got over
  kDistant,   // an ordinary line somewhere
};

// Something in a text that tells.
struct Finding {
  Rank rank = Rank::kWrapper;
  std::string_view label = "unknown";
  std::string_view resume = "once";
  std::string_view id;  // of the entry or of the way it was read
  std::string_view why;
  std::string_view text;  // of the signature
  std::size_t line = 0;   // its index
  std::size_t order = 0;  // of two of one rank on one line, the lower counts
  std::size_t at = 0;     // where it stands in the text
  bool specific = false;  // not only the name of an exception
  bool own = false;       // a team's own signature
  Tier tier = Tier::kReport;
};

// All that tells, the weightiest first.
std::vector<Finding> find_causes(const FailureText& text, std::span<const OwnSignature> own);

}  // namespace trainwarden::rules
