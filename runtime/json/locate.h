// Where in a text a JSON value stands, and why a text is none: for messages that editors and people
// follow to a line. Pure functions of the text, which may have comments and trailing commas.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/json/json.h"

namespace trainwarden::json {

// Both count from 1, columns in characters. A byte order mark is none, nor is the CR of a CRLF.
struct Position {
  std::size_t line = 1;
  std::size_t column = 1;

  bool operator==(const Position&) const = default;
};

// Of the character at that byte, or of the end of the text.
Position position_at(std::string_view text, std::size_t offset);

// "/name", as JSON pointers (RFC 6901) have it.
std::string pointer_step(std::string_view name);

// Where the value of a JSON pointer begins: of a member, where its name does. If a name
// is there twice, the last one counts. Of a path that the text lacks, the part that it has. The
// text must be JSON, but for such twins.
Position locate(std::string_view text, std::string_view pointer);

// Why a text is no Document: it is not JSON, or an object has a member twice.
struct Fault {
  std::optional<Position> at;  // where it is not JSON
  std::string pointer;         // of a member that is there twice
  std::string detail;          // "missing a comma or } after an object member"; the member's name
};

// What Document::parse refuses the text for; nullopt where it does not.
std::optional<Fault> fault_of(std::string_view text, Syntax syntax);

}  // namespace trainwarden::json
