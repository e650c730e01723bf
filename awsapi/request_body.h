// JSON bodies of requests.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "runtime/json/json.h"

namespace trainwarden::aws {

// An object of what `members` writes.
std::string request_body(const std::function<void(json::Sink&)>& members);

// The object with one more string member; without it where text is empty.
std::string with_member(json::Value object, std::string_view name, std::string_view text);

}  // namespace trainwarden::aws
