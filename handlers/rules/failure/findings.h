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

// By what it was read.
enum class By : std::uint8_t {
  kSignature,  // of signatures.json: `order` is its index
  kOwn,        // a team's own signature
  kException,
  kProcessCode,
  kAnswerCode,
  kKilled,
  kTerminated,
  kXid,
  kPlatform,  // the word that FailureReason begins with
};

// Something in a text that tells.
struct Finding {
  Rank rank = Rank::kWrapper;
  By by = By::kException;
  Tier tier = Tier::kReport;
  bool specific = false;  // not only the name of an exception
  FailureLabel label = FailureLabel::kUnknown;
  RunAgain resume = RunAgain::kOnce;
  std::string_view text;              // of the signature
  const OwnSignature* own = nullptr;  // a team's own signature
  std::size_t line = 0;               // its index
  std::size_t order = 0;              // of two of one rank on one line, the lower counts
  std::size_t at = 0;                 // where it stands in the text
  bool of_root = false;               // said by the process that torchrun calls the root cause
  bool got_over = false;  // the same process went on, and something else failed after that
};

// Whether only the name of an exception was read, which many say of many things.
inline bool tells_by_type_alone(const Finding& finding) {
  return finding.by == By::kException && !finding.specific;
}

// Leaves no more of it than that something failed.
inline void tell_nothing(Finding& finding) {
  finding.rank = Rank::kWrapper;
  finding.label = FailureLabel::kUnknown;
  finding.resume = RunAgain::kOnce;
}

// Whether it begins with a class of exceptions that tells no more than that something failed.
bool tells_no_kind(const FailureText& text, const Finding& finding);

// Whether one counts before another: of two of one rank the first, as causes come before what they
// leave behind.
bool outranks(const Finding& a, const Finding& b);

// All that tells: first what counts, then the others in the order of the text.
std::vector<Finding> find_causes(const FailureText& text, std::span<const OwnSignature> own);

}  // namespace trainwarden::rules
