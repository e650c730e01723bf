// How a signature's text is written, and where it stands in a line. `*` stands for anything near;
// a text stands where a word begins and ends, unless a `~` says that it need not. What stands
// before a `*` with a blank between ends a word, too: `pip * failed` is no pipeline's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trainwarden::rules {

// A word may begin here: behind no letter or digit, or as the humps of a name do. A number begins
// behind no digit and no point of another.
bool begins_word(std::string_view said, std::size_t at);

// A word may end here: before no letter or digit, before a hump, or with a plural's s.
bool ends_word(std::string_view said, std::size_t end);

// Where the last of a text's parts ends, each standing not far behind the one before; npos where
// they do not. parts: behind the first `*`; end: where what is before that ends; from: where to
// look for the first of them, and afterwards where it may stand at the earliest.
std::size_t parts_end(std::string_view parts, bool ends_anywhere, std::string_view said,
                      std::string_view lower, std::size_t end, std::size_t& from);

// Whether words stand somewhere in the line where a word may begin: what a signature does not mean.
bool begins_somewhere(std::string_view words, std::string_view said, std::string_view lower);

// A text as a person writes it, made one that find_text() takes: lower case, and of the blanks
// around its `*` at most one, before it.
std::string signature_text(std::string_view written);

// Whether a text, as signatures have them, stands in the line; where it begins.
std::size_t find_text(std::string_view text, std::string_view said, std::string_view lower);

}  // namespace trainwarden::rules
