// Which lists of words have one in a line. One pass over the line tells of all lists together: most
// of what is asked of a line is answered "no" by one bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trainwarden::rules {

enum LineWord : std::uint64_t {
  // Of reports (report_forms.h).
  kEndWord = 1ULL << 0U,
  kShellWord = 1ULL << 1U,
  kKernelWord = 1ULL << 2U,
  kSchedulerWord = 1ULL << 3U,
  kLibraryWord = 1ULL << 4U,
  kGoesOnWord = 1ULL << 5U,
  kErrorMark = 1ULL << 6U,
  kNewsWord = 1ULL << 7U,
  kWarningMark = 1ULL << 8U,
  kChatterWord = 1ULL << 9U,
  kAnswerWord = 1ULL << 10U,
  // Of what a line amounts to (wording.h).
  kLessWord = 1ULL << 11U,
  kAheadWord = 1ULL << 12U,
  kEventWord = 1ULL << 13U,
  kWarnWord = 1ULL << 14U,
  kHarmlessWord = 1ULL << 15U,
  kFailureWord = 1ULL << 16U,
  kCodeWord = 1ULL << 17U,
  kHereWord = 1ULL << 18U,
  kSettingWord = 1ULL << 19U,
  kGuessWord = 1ULL << 20U,
  kRaiseWord = 1ULL << 21U,
  // Of what is looked at more closely only where they stand.
  kCommandWord = 1ULL << 22U,
  kNumberWord = 1ULL << 23U,
  kMentionWord = 1ULL << 24U,
  kXidWord = 1ULL << 25U,
  kAssignedWord = 1ULL << 26U,
  kMissingWord = 1ULL << 27U,
  kRootWord = 1ULL << 28U,
  // Of what is a report at any level.
  kToldWord = 1ULL << 29U,
  // Of what is quoted with what it names.
  kRefusalWord = 1ULL << 31U,
  // A step, a bar, a success.
  kProgressWord = 1ULL << 30U,
};
using LineWords = std::uint64_t;

// line: lower case.
LineWords line_words(std::string_view line);

// Whether one of the words of kProgressWord stands in the line, of which nothing else is asked.
bool tells_progress(std::string_view line);

// Where the first of the words ends that tell of a guess, or that only mention what follows; npos
// where none stands there.
std::size_t guess_end(std::string_view line);
std::size_t mention_end(std::string_view line);
// Where the first of the words of kRefusalWord ends.
std::size_t refusal_end(std::string_view line);

// Whether the first of the words of kKernelWord stands between quotes: a sample of a program's data
// that was a kernel's line once. What a transport wraps in JSON is none.
bool quotes_the_kernel(std::string_view line);

}  // namespace trainwarden::rules
