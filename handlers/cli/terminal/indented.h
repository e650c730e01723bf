// JSON for people: a value that fits on one line stays on it, others are indented.
#pragma once

#include <string>

#include "runtime/json/json.h"

namespace trainwarden::cli {

// Lines of at most 100 characters where strings allow; the last ends with a newline.
std::string indented(json::Value value);

}  // namespace trainwarden::cli
