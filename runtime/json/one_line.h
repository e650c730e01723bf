// Texts that others wrote, on one line of ours. Job members, tags, error messages and lines of logs
// go into notices, records, log lines and terminals; what they hold must not begin a line there,
// move a cursor or show letters in another order than they are read in.
#pragma once

#include <string>

namespace trainwarden::json {

// The text with what ends a line (newlines, U+0085, U+2028, U+2029), with other control characters
// and with what turns the direction of letters (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to
// U+2069) as \u000A and the like. What is no UTF-8 becomes U+FFFD. Letters of any script stay as
// they are. In a JSON text in one line these are the characters' escapes, so that its value stays
// the same. Asked twice, it changes nothing more.
std::string one_line(std::string text);

}  // namespace trainwarden::json
