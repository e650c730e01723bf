// The text of a failure made ready to be searched: one line each, blanks and control characters and
// terminal colours cleaned away, quoted command lines (they carry hyperparameters) cut out. Any
// bytes will do; of a long text the end is kept.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainwarden::rules {

class FailureText {
 public:
  // The most that is looked at, of a FailureReason and of a log's tail.
  static constexpr std::size_t kMostBytes = std::size_t{64} * 1024;

  // A FailureReason: SageMaker breaks it anywhere, so that it is one line whatever it says.
  static FailureText of_reason(std::string_view reason);
  // Lines of logs; what a line breaks into by itself (`\n` in quoted messages too) are lines.
  static FailureText of_log(std::span<const std::string_view> lines);

  // Lines, each ended by '\n'. Both are of one length; lower() in lower case.
  std::string_view shown() const { return shown_; }
  std::string_view lower() const { return lower_; }
  bool empty() const { return shown_.empty(); }

  // The line around an offset, without its end.
  std::size_t line_begin(std::size_t at) const;
  std::size_t line_end(std::size_t at) const;

 private:
  void append(std::string_view text, bool keep_breaks);
  void finish();

  std::string shown_;
  std::string lower_;
};

// The words around an offset, fit to be shown: one line, at most 200 bytes of valid UTF-8, without
// arguments of a command line, and without the secrets (whole words of four bytes and more).
std::string evidence_at(const FailureText& text, std::size_t at,
                        std::span<const std::string_view> secrets);

}  // namespace trainwarden::rules
