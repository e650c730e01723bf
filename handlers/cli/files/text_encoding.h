// The bytes of a file that a person gives, as UTF-8. PowerShell's `>` writes UTF-16, which read as
// it stands looks like a text in which nothing is found.
#pragma once

#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/result.h"

namespace trainwarden::cli {

// Whether bytes that begin so are UTF-16 (or UTF-32), by their mark: no UTF-8 begins so.
bool has_foreign_mark(unsigned char first_byte);

// UTF-16 is decoded by its mark; UTF-8 stays as it is. kInvalidInput for what is neither, saying
// where, and what to do: "expected text in UTF-8, found the byte 0xE9 on line 3".
Result<std::string> utf8_of(std::string bytes);

// read() gets the stream, or, where that is UTF-16 by its mark, one with the same text in UTF-8.
// Returns what it does; 2 after saying on `errors` why the text cannot be decoded.
int with_utf8(std::FILE* in, std::FILE* errors, const std::function<int(std::FILE* text)>& read);

// What is wrong with a line; nullopt for UTF-8 without NUL bytes.
std::optional<std::string> why_no_text(std::string_view line);

}  // namespace trainwarden::cli
