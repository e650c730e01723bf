#include "handlers/rules/failure/went_on.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "handlers/rules/failure/line_words.h"
#include "handlers/rules/failure/word_lists.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {

bool is_progress(const FailureText& text, const Line& line) {
  if (line.structure != Structure::kSilent && line.structure != Structure::kOrdinary &&
      line.structure != Structure::kMessage &&
      (line.structure != Structure::kError || (line.words & kFailureWord) != 0))
    return false;
  const std::string_view words = text.lower().substr(line.begin, line.end - line.begin);
  // What W&B sums up as the program ends is no step.
  if (line.body == line.begin && words.starts_with("wandb: ")) return false;
  // A bar stands before what is said.
  const bool tells =
      (line.words & kProgressWord) != 0 || tells_progress(words.substr(0, line.body - line.begin));
  return tells && (std::ranges::any_of(words, is_digit) || words.ends_with("success"));
}

bool went_on_between(const FailureText& text, std::size_t line, std::size_t end) {
  constexpr std::size_t kMost = 200;
  const std::span<const Line> lines = text.lines();
  for (std::size_t i = line + 1; i < std::min(end, line + kMost); ++i)
    if (lines[i].prefix.process == lines[line].prefix.process && is_progress(text, lines[i]))
      return true;
  return false;
}

bool began_anew_between(const FailureText& text, std::size_t line, std::size_t end) {
  static constexpr auto kBegins = word_list("resuming from", "resumed from", "restored from",
                                            "invoking user script", "invoking script");
  for (std::size_t i = line + 1; i < std::min(end, text.lines().size()); ++i)
    if (has_one(text.lower(text.lines()[i]), kBegins)) return true;
  return false;
}

bool says_the_next_line(const FailureText& text, std::size_t line) {
  const std::span<const Line> lines = text.lines();
  return line + 1 < lines.size() && lines[line].prefix.process == lines[line + 1].prefix.process;
}

bool took_steps_between(const FailureText& text, std::size_t line, std::size_t end) {
  const std::span<const Line> lines = text.lines();
  std::string_view first;
  for (std::size_t i = line + 1; i < std::min(end, lines.size()); ++i) {
    if (lines[i].prefix.process != lines[line].prefix.process || !is_progress(text, lines[i]))
      continue;
    const std::string_view words =
        text.lower().substr(lines[i].begin, lines[i].end - lines[i].begin);
    if (!first.empty() && words != first) return true;
    first = words;
  }
  return false;
}

}  // namespace trainwarden::rules
