#include "handlers/rules/failure/went_on.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <tuple>

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

bool may_shut_down_for(const FailureText& text, std::size_t notice, std::size_t died) {
  static constexpr auto kBegins = word_list("resuming from", "resumed from", "restored from",
                                            "invoking user script", "invoking script");
  constexpr std::size_t kMost = 12;  // lines
  const std::span<const Line> lines = text.lines();
  if (died <= notice || died - notice > kMost || lines[notice].prefix.level != Level::kWarning)
    return false;
  return std::ranges::none_of(
      lines.subspan(notice + 1, died - notice - 1),
      [&text](const Line& line) { return has_one(text.lower(line), kBegins); });
}

bool says_the_next_line(const FailureText& text, std::size_t line) {
  const std::span<const Line> lines = text.lines();
  return line + 1 < lines.size() && lines[line].prefix.process == lines[line + 1].prefix.process;
}

Steps::Steps(const FailureText& text) : text_(text) {
  const std::span<const Line> lines = text.lines();
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (is_progress(text, lines[i]))
      steps_.push_back({lines[i].prefix.process, i, std::string_view::npos});
  // They stand in the order of the lines: of one process, that is all.
  const auto place = [](const Step& one) { return std::tuple(one.process, one.line); };
  if (!std::ranges::is_sorted(steps_, {}, place)) std::ranges::sort(steps_, {}, place);
  const auto words = [&](const Step& one) {
    const Line& line = lines[one.line];
    return text.lower().substr(line.begin, line.end - line.begin);
  };
  for (std::size_t i = steps_.size(); i-- > 1;) {
    const Step& next = steps_[i];
    Step& one = steps_[i - 1];
    if (one.process == next.process) one.other = words(one) != words(next) ? next.line : next.other;
  }
}

bool Steps::taken_between(std::size_t line, std::size_t end) const {
  const std::uint32_t process = text_.lines()[line].prefix.process;
  const auto first =
      std::ranges::upper_bound(steps_, std::tuple(process, line), {},
                               [](const Step& one) { return std::tuple(one.process, one.line); });
  return first != steps_.end() && first->process == process && first->other < end;
}

}  // namespace trainwarden::rules
