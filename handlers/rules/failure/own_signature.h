// A signature that a team wrote itself, in the `failures` of its policy. It counts before ours, and
// like ours only on lines that may bear a verdict.
#pragma once

#include <string>

#include "handlers/rules/failure/verdict.h"

namespace trainwarden::rules {

struct OwnSignature {
  std::string text;  // as in signatures.json: `*` for anything in between; lower case
  FailureLabel label = FailureLabel::kUnknown;
  RunAgain resume = RunAgain::kOnce;
  std::string why;
};

}  // namespace trainwarden::rules
