// A team's own signatures of failures (F10): the member `failures` of the policy file.
#pragma once

#include <vector>

#include "handlers/rules/failure/own_signature.h"
#include "handlers/rules/policy/reader.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// In the order of the file.
std::vector<OwnSignature> read_failures(json::Value list, Reader& reader);

}  // namespace trainwarden::rules
