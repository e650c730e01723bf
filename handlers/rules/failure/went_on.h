// Whether a process went on after it had told of trouble.
#pragma once

#include <cstddef>

#include "handlers/rules/failure/failure_text.h"

namespace trainwarden::rules {

// Whether a line tells that its process goes on: a step, a bar, a success.
bool is_progress(const FailureText& text, const Line& line);

// Whether the process that said a line tells of progress before the other line; both are indices.
bool went_on_between(const FailureText& text, std::size_t line, std::size_t end);
// Whether a job began anew between two lines: it resumes from a checkpoint, or its program is
// started.
bool began_anew_between(const FailureText& text, std::size_t line, std::size_t end);

// Whether the process that said a line said the next one, too.
bool says_the_next_line(const FailureText& text, std::size_t line);

// Whether the process of a line said two different things of its progress between that line and
// another: it was not what ended the process, nor a host's last words.
bool took_steps_between(const FailureText& text, std::size_t line, std::size_t end);

}  // namespace trainwarden::rules
