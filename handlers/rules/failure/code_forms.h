// What shows code, commands and settings: lines whose words are nobody's report, whatever they say.
#pragma once

#include <cstdint>
#include <string_view>

namespace trainwarden::rules {

// How a line begins, of what is told apart here.
struct CodeHeads {
  std::uint32_t bits;
};

// said: as it is shown.
CodeHeads code_heads(std::string_view said);

// `File "t.py", line 3, in main`, and what stands for it elsewhere.
bool is_traceback_frame(std::string_view said, CodeHeads heads);
// Frames as pytest and rich draw them.
bool is_drawn(CodeHeads heads);
// `^^^^^^` and `~~~~^^`
bool is_underline(std::string_view said);
// `====…`, `----…`, `****…`
bool is_rule(std::string_view lower);
// What parts torchrun's table of failures, and what it tells of a process but how it ended.
bool is_of_table(std::string_view lower);
// What a traceback shows of the source. `raise X(…)` and the like stand alone where the lines
// around them were cut.
bool is_code(std::string_view said, CodeHeads heads);
// A command line, an environment, settings: their words are arguments, and happened to nobody.
bool is_command(std::string_view said, CodeHeads heads);
// A dump of settings: `{"a": 1, "b": 2}`, `'mini_batch_size': '1000',`. One that speaks of an
// error is an answer of a service: it tells news, as report_forms.h has it.
bool is_dump(std::string_view said, bool is_a_finding);
// `UserWarning: …`
bool warns(std::string_view said);
// `Exception ignored in: <function …>`, `Error in atexit._run_exitfuncs:`: what follows happened
// while things were cleared away.
bool ignores(CodeHeads heads);

}  // namespace trainwarden::rules
