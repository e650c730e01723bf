// Whether a process went on after it had told of trouble.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "handlers/rules/failure/failure_text.h"

namespace trainwarden::rules {

// Whether a line tells that its process goes on: a step, a bar, a success.
bool is_progress(const FailureText& text, const Line& line);

// Whether the process that said a line tells of progress before the other line; both are indices.
bool went_on_between(const FailureText& text, std::size_t line, std::size_t end);

// Whether what ended the program on the line `died` may be how it shut down for a notice of a line
// before, one that was logged as a warning: a dozen lines on at most, and the job did not begin
// anew between (it resumes from a checkpoint, its program is started).
bool may_shut_down_for(const FailureText& text, std::size_t notice, std::size_t died);

// Whether the process that said a line said the next one, too.
bool says_the_next_line(const FailureText& text, std::size_t line);

// What the lines of a text tell of progress, looked for once.
class Steps {
 public:
  explicit Steps(const FailureText& text);
  // Whether the process of a line said two different things of its progress between that line and
  // another: it was not what ended the process, nor a host's last words.
  bool taken_between(std::size_t line, std::size_t end) const;

 private:
  struct Step {
    std::uint32_t process;
    std::size_t line;
    std::size_t other;  // the line of its process' next that says something else; npos: none
  };
  const FailureText& text_;
  std::vector<Step> steps_;  // by process and line
};

}  // namespace trainwarden::rules
