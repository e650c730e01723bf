#include "handlers/rules/failure/codes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>

#include "handlers/rules/failure/characters.h"
#include "handlers/rules/failure/heads.h"
#include "handlers/rules/failure/leading_number.h"
#include "handlers/rules/failure/word_lists.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

// A whole number that ends where it ends: "137", "-9"; not "1.5", "3s" or "12345".
std::optional<int> number_alone(std::string_view text) {
  const auto number = leading_number(text);
  if (!number) return std::nullopt;
  text.remove_prefix(number->size);
  if (!text.empty() && is_word(text[0])) return std::nullopt;
  if (text.size() > 1 && text[0] == '.' && is_digit(text[1])) return std::nullopt;
  return number->value;
}

// Which two characters words end with, as bits: most numbers are ruled out by what stands before
// them.
constexpr std::uint64_t ending(char before, char last) {
  return std::uint64_t{1} << ((static_cast<unsigned char>(before) * 5U +
                               static_cast<unsigned char>(last)) %
                              64U);
}

struct EndWords {
  Words words;
  std::uint64_t endings = 0;

  template <std::size_t kSize>
  constexpr explicit(false) EndWords(const WordBlock<kSize>& block) : words(block) {
    for (const std::string_view word : words) endings |= ending(word[word.size() - 2], word.back());
  }
};

// Where the word begins that a number follows, with nothing but punctuation between; of several
// that end there, the longest. number: where that begins.
std::optional<std::size_t> word_before(std::string_view text, std::size_t number,
                                       const EndWords& words) {
  constexpr std::size_t kMost = 5;
  constexpr std::string_view kBetween = " :=('\"[#<>*`";
  std::size_t end = number;
  while (end > 0 && number - end < kMost && kBetween.contains(text[end - 1])) --end;
  if (end == number) return std::nullopt;
  std::optional<std::size_t> out;
  // A quote may be the word's own: `code": 503`.
  for (std::size_t last = std::max<std::size_t>(end, 1); last <= std::min(end + 1, number - 1);
       ++last) {
    if (last < 2 || (words.endings & ending(text[last - 2], text[last - 1])) == 0) continue;
    for (const std::string_view word : words.words) {
      if (word.back() != text[last - 1] || !text.substr(0, last).ends_with(word)) continue;
      const std::size_t at = last - word.size();
      if ((at == 0 || !is_word(text[at - 1])) && (!out || at < *out)) out = at;
    }
  }
  return out;
}

// Signals that shells, launchers and Python report: as 128 + n, as -n, or by number.
std::optional<FoundCode> of_signal(std::size_t at, int signal) {
  switch (signal) {
    case 9:
      return FoundCode{at, Rank::kSymptom, FailureLabel::kOomHost, RunAgain::kOnce};
    case 1:
    case 2:
    case 15:
      return FoundCode{at, Rank::kSymptom, FailureLabel::kInterrupted, RunAgain::kOnce};
    case 4:
    case 6:
    case 7:
    case 8:
    case 11:
      return FoundCode{at, Rank::kConsequence, FailureLabel::kUnknown, RunAgain::kOnce};
    default:
      return std::nullopt;
  }
}

std::optional<FoundCode> of_exit(std::string_view text, std::size_t number, int value) {
  static constexpr auto kWords = word_list(
      "exited with status code", "exited with code", "exited with status", "exited with value",
      "exited with return code", "exited with exit code", "exited with non-zero code",
      "exited with error code", "exited with", "exit status", "exit code", "exit-code", "exit_code",
      "exitcode", "exitstatus", "exit value", "return code", "return value", "returncode",
      "return_code", "returned code", "process exited with", "terminated with code",
      "terminated with exit code", "error code", "code");
  static constexpr EndWords kEnds = kWords;
  static constexpr auto kLooseWords = word_list(
      "failed with", "returned", "died with", "ended with", "terminated with", "exited", "status");
  static constexpr EndWords kLooseEnds = kLooseWords;
  constexpr int kByShell = 128;
  if (value < 0)
    if (const auto at = word_before(text, number, kLooseEnds)) return of_signal(*at, -value);
  const auto at = word_before(text, number, kEnds);
  if (!at) return std::nullopt;
  // Shells: what was to be run is not there, or cannot be run.
  if (value == 126 || value == 127)
    return FoundCode{*at, Rank::kHint, FailureLabel::kConfig, RunAgain::kNo};
  // Hangups and interrupts end shells with 129 and 130, which programs return as well.
  if (value < 0) return of_signal(*at, -value);
  if (value > kByShell + 2) return of_signal(*at, value - kByShell);
  return std::nullopt;
}

std::optional<FoundCode> of_signal_words(std::string_view text, std::size_t number, int value) {
  static constexpr auto kWords = word_list("signal number", "signal code", "signal", "termsig",
                                           "wtermsig", "by signal", "with signal");
  static constexpr EndWords kEnds = kWords;
  const auto at = word_before(text, number, kEnds);
  return at ? of_signal(*at, value) : std::nullopt;
}

std::optional<FoundCode> of_http(std::string_view text, std::size_t number, int value) {
  static constexpr auto kWords = word_list(
      "status code", "status_code", "statuscode", "httpstatuscode", "http status code",
      "http status", "http_status", "statuscodeerror", "http error", "http response code",
      "response code", "response status", "response status code", "http code", "http/1.1",
      "http/1.0", "http/2", "error code", "errorcode", "server returned", "returned error",
      "responded with", "failed with status", "failed with code", "returned status",
      "received http", "got http", "http", "<response", "code\"", "code'", "status\"", "status'");
  static constexpr EndWords kEnds = kWords;
  const auto found = word_before(text, number, kEnds);
  if (!found) return std::nullopt;
  const std::size_t at = *found;
  switch (value) {
    case 401:
    case 403:
    case 407:
      return FoundCode{at, Rank::kCause, FailureLabel::kPermission, RunAgain::kNo};
    case 404:
      return FoundCode{at, Rank::kSymptom, FailureLabel::kService, RunAgain::kOnce};
    case 500:
      return FoundCode{at, Rank::kCause, FailureLabel::kService, RunAgain::kOnce};
    case 429:
    case 502:
    case 503:
    case 504:
    case 520:
    case 521:
    case 522:
    case 524:
      return FoundCode{at, Rank::kCause, FailureLabel::kService, RunAgain::kYes};
    default:
      return std::nullopt;
  }
}

struct CodeFamily {
  Words parts;  // of the code
  Rank rank;
  FailureLabel label;
  RunAgain resume;
};

// https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html and the common errors of the
// other services: they are called alike. The first that fits counts; all others say that what was
// asked for is wrong.
constexpr auto kBusy =
    word_list("throttl", "slowdown", "toomanyrequests", "requestlimit", "throughput", "bandwidth",
              "priorrequestnotcomplete", "transactioninprogress", "internal", "unavailable",
              "serverexception", "servicefault", "requesttimeout");
constexpr auto kModel = word_list("modelerror");
constexpr auto kNoCapacity = word_list("insufficientcapacity", "insufficientinstance");
constexpr auto kStale = word_list("expired", "skewed");
constexpr auto kForbidden =
    word_list("accessdenied", "denied", "unauthorized", "notauthorized", "forbidden",
              "accessforbidden", "accesskey", "signature", "token", "authfailure", "optinrequired",
              "accountproblem", "kms", "unrecognizedclient");
constexpr auto kLimits = word_list("limitexceeded", "quota");
constexpr auto kMissing = word_list("nosuchkey", "nosuchbucket");
constexpr auto kLostUpload = word_list("nosuchupload");
constexpr auto kWrongObject = word_list("invalidobjectstate", "entitytoolarge");
constexpr auto kBroken = word_list("baddigest", "incompletebody");
constexpr auto kAnyOther = word_list("");
constexpr auto kAwsFamilies = std::to_array<CodeFamily>({
    {kBusy, Rank::kCause, FailureLabel::kService, RunAgain::kYes},
    {kModel, Rank::kCause, FailureLabel::kService, RunAgain::kOnce},
    {kNoCapacity, Rank::kCause, FailureLabel::kCapacity, RunAgain::kYes},
    {kStale, Rank::kCause, FailureLabel::kPermission, RunAgain::kOnce},
    {kForbidden, Rank::kCause, FailureLabel::kPermission, RunAgain::kNo},
    {kLimits, Rank::kCause, FailureLabel::kQuota, RunAgain::kNo},
    {kMissing, Rank::kException, FailureLabel::kData, RunAgain::kNo},
    {kLostUpload, Rank::kException, FailureLabel::kService, RunAgain::kOnce},
    {kWrongObject, Rank::kException, FailureLabel::kData, RunAgain::kNo},
    {kBroken, Rank::kException, FailureLabel::kNetwork, RunAgain::kOnce},
    {kAnyOther, Rank::kException, FailureLabel::kConfig, RunAgain::kNo},
});

std::optional<FoundCode> of_family(std::size_t at, std::string_view code,
                                   std::span<const CodeFamily> families) {
  for (const CodeFamily& family : families)
    for (const std::string_view part : family.parts)
      if (code.contains(part)) return FoundCode{at, family.rank, family.label, family.resume};
  return std::nullopt;
}

// "an error occurred (invalidbucketname) when calling the listobjects operation"; open: where its
// bracket opens.
std::optional<FoundCode> of_aws(std::string_view text, std::size_t open) {
  constexpr std::string_view kWords = "an error occurred ";
  if (!text.substr(0, open).ends_with(kWords)) return std::nullopt;
  const std::string_view rest = text.substr(open + 1);
  const std::size_t end = rest.find(')');
  constexpr std::size_t kLongest = 64;
  if (end == std::string_view::npos || end == 0 || end > kLongest || is_digit(rest[0]) ||
      !rest.substr(end).starts_with(") when calling"))
    return std::nullopt;
  return of_family(open - kWords.size(), rest.substr(0, end), kAwsFamilies);
}

}  // namespace

std::optional<FoundCode> find_code_of_aws_in_cpp(std::string_view text) {
  constexpr std::string_view kWords = "aws error ";
  const std::size_t at = text.find(kWords);
  if (at == std::string_view::npos) return std::nullopt;
  std::array<char, 64> code{};
  std::size_t size = 0;
  for (const char c : text.substr(at + kWords.size(), code.size())) {
    if (c == ' ') break;
    if (c != '_') code.data()[size++] = c;
  }
  // What the SDK has no name for tells nothing.
  return of_family(at, {code.data(), size}, std::span(kAwsFamilies).first(kAwsFamilies.size() - 1));
}

// Where the first digit at or behind `from` stands; the size of a text that has none. Eight
// characters are looked at at a time.
static std::size_t next_digit(std::string_view text, std::size_t from) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  const char* const at = text.data();
  for (; from + sizeof(kEach) <= text.size(); from += sizeof(kEach)) {
    const std::uint64_t eight = head_of(at + from, sizeof(kEach));
    // Of each byte the highest bit: whether it is 10 or more behind `0`, or beyond ASCII.
    const std::uint64_t others =
        (((eight ^ (kEach * '0')) & (kEach * 0x7f)) + kEach * 0x76) | eight;
    const std::uint64_t digits = ~others & (kEach * 0x80);
    if (digits != 0) return from + static_cast<std::size_t>(std::countr_zero(digits)) / 8;
  }
  while (from < text.size() && !is_digit(at[from])) ++from;
  return from;
}

std::vector<FoundCode> find_codes(std::string_view text) {
  constexpr std::size_t kMost = 16;  // more are a table
  std::vector<FoundCode> out;
  for (std::size_t open = text.find('('); open != text.npos; open = text.find('(', open + 1)) {
    if (out.size() >= kMost) return out;
    if (const auto found = of_aws(text, open)) out.push_back(*found);
  }
  const char* const characters = text.data();
  // Numbers that mean something have at most three digits, and stand alone.
  for (std::size_t at = next_digit(text, 0); at < text.size(); at = next_digit(text, at)) {
    const bool negative = at > 0 && characters[at - 1] == '-';
    const std::size_t number = negative ? at - 1 : at;
    const std::size_t digits = at;
    while (at < text.size() && is_word(characters[at])) ++at;
    if (at - digits > 3 || number == 0 || is_word(characters[number - 1])) continue;
    const auto value = number_alone(text.substr(number));
    // Signals have small numbers, shells add 128 to them, and HTTP's errors begin at 400.
    if (!value || (*value > 15 && *value < 126) || (*value > 160 && *value < 400) || *value > 524 ||
        *value == 0)
      continue;
    if (const auto found = of_http(text, number, *value)) out.push_back(*found);
    for (const auto find : {of_exit, of_signal_words})
      if (auto found = find(text, number, *value)) {
        found->of_process = found->rank != Rank::kHint;
        out.push_back(*found);
      }
    if (out.size() >= kMost) break;
  }
  return out;
}

}  // namespace trainwarden::rules
