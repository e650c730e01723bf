// What people are told of how a finding was read.
#pragma once

#include <string_view>

#include "handlers/rules/failure/findings.h"

namespace trainwarden::rules {

struct SignatureExplanation {
  std::string_view id;  // of the signature, or of the way it was read
  std::string_view why;
};

SignatureExplanation explanation_of(const Finding& finding);

// Of the signature with that index in kTables.
SignatureExplanation explanation_of(std::size_t signature);

}  // namespace trainwarden::rules
