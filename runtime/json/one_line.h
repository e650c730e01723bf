// Makes foreign text safe on one line of ours. Job members, tags, error messages and log lines go
// into notices, records, log lines and terminals. Their content must not begin a new line there,
// move the cursor, or change the direction of the letters.
#pragma once

#include <string>

namespace trainwarden::json {

// The text with what ends a line (newlines, U+0085, U+2028, U+2029), with other control characters
// and with what turns the direction of letters (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to
// U+2069) as \u000A and the like. What is no UTF-8 becomes U+FFFD. Letters of any script stay as
// they are. In a JSON text in one line these are the characters' escapes, so that its value stays
// the same. Applying it twice is the same as applying it once.
std::string one_line(std::string text);

}  // namespace trainwarden::json
