// JSON for people: what fits into a line stands in one, the rest is indented.
#pragma once

#include <string>

#include "runtime/json/json.h"

namespace trainwarden::cli {

// Lines of at most 100 characters where strings allow; the last ends with a newline.
std::string indented(json::Value value);

}  // namespace trainwarden::cli
