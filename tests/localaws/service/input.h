// Reading a call's input after it was validated against its shape: a missing member has a default.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/json/json.h"

namespace trainwarden::localaws::input {

std::string_view text(json::Value object, std::string_view name, std::string_view otherwise = {});
std::int64_t integer(json::Value object, std::string_view name, std::int64_t otherwise = 0);
bool flag(json::Value object, std::string_view name, bool otherwise = false);
// Whether the member is there and not null.
bool has(json::Value object, std::string_view name);

}  // namespace trainwarden::localaws::input
