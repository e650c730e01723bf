// A line that a logger wrote as JSON: `{"levelname": "ERROR", "message": "…"}`,
// `{"log": "…\n", "stream": "stderr"}`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainwarden::rules {

// What was said there, with its level before it as other loggers write it, and the traceback behind
// it; nullopt where the line is no such one. A service's answer is none: it tells no time and no
// level.
std::optional<std::string> said_in_json(std::string_view line);

}  // namespace trainwarden::rules
