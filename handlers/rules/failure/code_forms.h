// What shows code, commands and settings: lines whose words are nobody's report, whatever they say.
#pragma once

#include <string_view>

#include "handlers/rules/failure/bigrams.h"

namespace trainwarden::rules {

// said: as it is shown; lower: the same in lower case; pairs: those of lower.

// `File "t.py", line 3, in main`, and what stands for it elsewhere.
bool is_traceback_frame(std::string_view said);
// Frames as pytest and rich draw them.
bool is_drawn(std::string_view said);
// `^^^^^^` and `~~~~^^`
bool is_underline(std::string_view said);
// What a traceback shows of the source. `raise X(…)` and the like stand alone where the lines
// around them were cut.
bool is_code(std::string_view said);
// A command line, an environment, settings: their words are arguments, and happened to nobody.
bool is_command(std::string_view said);
// A dump of settings: `{"a": 1, "b": 2}`, `'mini_batch_size': '1000',`. One that speaks of an
// error is an answer of a service.
bool is_dump(std::string_view said, std::string_view lower, const Bigrams& pairs);
// `UserWarning: …`
bool warns(std::string_view said);
// `Exception ignored in: <function …>`: what follows happened while things were cleared away.
bool ignores(std::string_view said);

}  // namespace trainwarden::rules
