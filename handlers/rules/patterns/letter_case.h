// The two cases of a letter, as `equals-ignore-case` needs them: those of the reference matcher,
// which takes the UTF-16 units of a pattern one by one. So a letter may become several (ß, SS), and
// a character beyond U+FFFF becomes two question marks, since its two units are not letters.
#pragma once

#include <string>
#include <string_view>

namespace trainwarden::rules {

struct Cases {
  std::string lower;
  std::string upper;
};

// letter: one character in UTF-8.
Cases cases_of(std::string_view letter);

}  // namespace trainwarden::rules
