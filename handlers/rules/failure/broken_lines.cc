#include "handlers/rules/failure/broken_lines.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "handlers/rules/failure/characters.h"
#include "handlers/rules/failure/time_marks.h"
#include "handlers/rules/failure/word_lists.h"
#include "runtime/base/ascii.h"

namespace trainwarden::rules {
namespace {

// The length of `[1,14]<stderr>:`, `[1,mpirank:3,algo-2]<stdout>:` or `[rank3]:` at the beginning.
std::size_t rank_mark(std::string_view text) {
  if (!text.starts_with('[')) return 0;
  constexpr std::size_t kLongest = 48;
  const std::size_t close = text.substr(0, kLongest).find(']');
  if (close == std::string_view::npos || close < 2) return 0;
  const std::string_view after = text.substr(close + 1);
  if (text.starts_with("[rank") && after.starts_with(':')) return close + 2;
  if (is_digit(text[1]) && text.substr(0, close).contains(',') &&
      (after.starts_with("<stderr>") || after.starts_with("<stdout>")))
    return close + 9;
  return 0;
}

constexpr std::string_view kDateForm = "0000-00-00_00:00";
constexpr std::string_view kDateOfAmerica = "00/00/0000_00:00";
constexpr std::string_view kParts = " T:";  // between a date and a time

// `2024-03-22 15:18:20`, `2024-03-22T15:18`, `03/22/2024 15:18`
bool date_mark(std::string_view text) {
  return has_form(text, kDateForm, kParts) || has_form(text, kDateOfAmerica, kParts);
}

// `E0610 09:12:32.101000 140012 api.py:833] `
bool glog_mark(std::string_view text) { return has_form(text.substr(1), "0000_00:00:00", kParts); }

// `[2024-06-10 09:12:05,123]`, `[06/10/2024 09:12:05 ERROR 140012]`, `[ERROR]`: of a logger, unless
// it follows another such bracket.
bool logger_mark(std::string_view line, std::string_view text) {
  static constexpr auto kLevels =
      word_list("[INFO]", "[WARNING]", "[ERROR]", "[CRITICAL]", "[DEBUG]");
  if (text.size() < kDateForm.size() || line.ends_with("] ")) return false;
  return is_digit(text[1])
             ? date_mark(text.substr(1))
             : is_capital(text[1]) && is_capital(text[2]) && starts_with_one(text, kLevels);
}

// Whether nothing of a message follows: the text ends, or its quotation does.
bool is_all(std::string_view after) {
  return after.empty() || after == "\"" || after.starts_with("\"\n");
}

// `ValueError: `, `torch.cuda.OutOfMemoryError: `, `google.api_core.exceptions.Forbidden: ` at the
// beginning.
bool exception_mark(std::string_view text) {
  std::size_t end = 0;
  std::size_t name = 0;
  while (end < text.size() && (is_word(text[end]) || text[end] == '.')) {
    if (text[end] == '.') name = end + 1;
    ++end;
  }
  static constexpr auto kEndings = word_list("Error", "Exception", "Interrupt");
  static constexpr auto kModules = word_list("xceptions.", "errorfactory.", "__main__.");
  std::string_view word = text.substr(name, end - name);
  while (word.starts_with('_')) word.remove_prefix(1);
  if (word.size() < 5) return false;
  // The last thing that was said: `assert x is not None AssertionError"`
  const std::string_view after = text.substr(end);
  if (is_all(after)) return ends_with_one(word, kEndings) && is_capital(word[0]);
  if (!after.starts_with(": ")) return false;
  // `socket.gaierror: `, `zlib.error: `
  if (word[0] >= 'a' && word[0] <= 'z') return name > 0 && word.ends_with("error");
  return is_capital(word[0]) && word.size() > 5 &&
         (ends_with_one(word, kEndings) || ends_with_one(text.substr(0, name), kModules));
}

// The length of a colour at the beginning of text, whose escape character somebody has written out
// or left out: `#033[34m`, `^[[0m`, `[34m`; 0 where there is none.
std::size_t written_colour(std::string_view text) {
  static constexpr auto kEscapes = word_list("#033", "^[", "\\u001b", "\\x1b", "\\033");
  constexpr std::size_t kLongest = 10;
  std::size_t at = 0;
  for (const std::string_view escape : Words(kEscapes))
    if (text.starts_with(escape)) at = escape.size();
  if (at >= text.size() || text[at] != '[') return 0;
  const std::size_t end = text.substr(0, at + kLongest).find_first_not_of("0123456789;", at + 1);
  return end != text.npos && text[end] == 'm' && (end > at + 1 || at > 0) ? end + 1 : 0;
}

bool may_begin_colour(char c) { return c == '#' || c == '^' || c == '\\' || c == '['; }

// What a character may do where a text is broken up: stand before a break, begin a line.
// Those that only stop do nothing else.
enum Break : std::uint8_t { kStops = 1, kOpens = 2, kOpensBehindFrame = 4, kOnlyStops = 8 };
constexpr auto kBreaks = [] {
  std::array<std::uint8_t, 256> breaks{};
  for (const char c : std::string_view("\"\n[")) breaks.at(static_cast<unsigned char>(c)) = kStops;
  for (const char c : std::string_view(" :"))
    breaks.at(static_cast<unsigned char>(c)) = kStops | kOnlyStops;
  for (std::size_t c = '0'; c <= '9'; ++c) breaks.at(c) = kOpensBehindFrame;
  for (std::size_t c = 'a'; c <= 'z'; ++c) breaks.at(c) = kOpensBehindFrame;
  for (std::size_t c = 'A'; c <= 'Z'; ++c) breaks.at(c) = kOpensBehindFrame;
  breaks.at('_') = kOpensBehindFrame;
  // The first characters of kMarks, and of a date in this millennium or the last one.
  for (const char c : std::string_view("TFDECtsRWI[012"))
    breaks.at(static_cast<unsigned char>(c)) |= kOpens;
  return breaks;
}();
std::uint8_t breaks_of(char c) { return kBreaks.data()[static_cast<unsigned char>(c)]; }

constexpr auto kMarks = word_list(
    "Traceback (most recent call last)", "File \"", "During handling of the above",
    "The above exception was", "ExitCode ", "ErrorMessage \"", "ExtraInfo \"", "Command \"",
    "terminate called ", "slurmstepd: ", "srun: error", "RuntimeError: CUDA", "[E Process",
    "ERROR:", "WARNING:", "INFO:", "CRITICAL:", "traceback : Signal");

// Which marks may begin with two characters: a bit for each mark of kMarks, of the first and of the
// second.
struct MarkBits {
  std::array<std::uint32_t, 256> first{};
  std::array<std::uint32_t, 256> second{};
};
constexpr auto kMarkBits = [] {
  MarkBits bits;
  std::uint32_t bit = 1;
  for (const std::string_view mark : Words(kMarks)) {
    bits.first.at(static_cast<unsigned char>(mark[0])) |= bit;
    bits.second.at(static_cast<unsigned char>(mark[1])) |= bit;
    bit <<= 1U;
  }
  return bits;
}();

// Whether a mark or a date may begin there, by its first characters. last: the text's.
bool may_open(const char* at, const char* last) {
  if (is_digit(*at))
    return static_cast<std::size_t>(last - at) + 1 >= kDateForm.size() &&
           (at[4] == '-' || at[2] == '/');
  if (at < last && is_digit(at[1])) return true;
  return at < last && (kMarkBits.first.data()[static_cast<unsigned char>(*at)] &
                       kMarkBits.second.data()[static_cast<unsigned char>(at[1])]) != 0;
}

// The first character that may stand before a break, or do more; the last one, where there is none.
// opens: what the next character must be able to do.
const char* stop_from(const char* at, const char* last, std::uint8_t opens) {
  const std::uint8_t* const breaks = kBreaks.data();
  const auto stops = [breaks](char c) { return breaks[static_cast<unsigned char>(c)] & kStops; };
  for (;; ++at) {
    while (last - at > 1 && (stops(at[0]) | stops(at[1])) == 0) at += 2;
    while (at < last && stops(*at) == 0) ++at;
    if (at == last || (breaks[static_cast<unsigned char>(*at)] & kOnlyStops) == 0) return at;
    const std::uint8_t next = breaks[static_cast<unsigned char>(at[1])];
    if ((next & opens) == 0) continue;
    if (opens != kOpens || (next & kStops) != 0 || may_open(at + 1, last)) return at;
  }
}

// Whether a frame of a traceback begins there, or what raises: `ErrorMessage "raise X(…) from e X:
// …`
bool shows_a_raise(std::string_view text) {
  if (text.starts_with('"')) text.remove_prefix(1);
  return text.starts_with("File \"") || text.starts_with("raise ");
}

// Whether what begins there was logged as news or as a warning.
bool is_only_logged(std::string_view text) {
  constexpr std::size_t kPrefix = 64;
  constexpr std::size_t kPlace = 160;  // `/opt/…/optimization.py:411: FutureWarning: `
  const std::string_view prefix = text.substr(0, kPrefix);
  const bool glog = (text.starts_with('I') || text.starts_with('W')) && glog_mark(text);
  return glog || prefix.contains("INFO") || prefix.contains("WARN") || prefix.contains(": I ") ||
         prefix.contains(": W ") || text.substr(0, kPlace).contains("Warning: ");
}

// Whether a line of the log that a FailureReason holds begins here, behind a blank. line: what
// stands before it since the last break; behind_frame: it is a frame of a traceback.
bool breaks_before(std::string_view line, bool behind_frame, std::string_view rest) {
  const std::uint8_t breaks = breaks_of(rest[0]);
  // Behind a frame and its code stands the exception: `File "t.py", line 3, in f x() KeyError: 1`.
  // What a sentence tells of goes on: `retrying after ConnectionError: …`.
  static constexpr auto kTells = word_list("after ", "by ", "of ", "with ", "on ", "to ", "got ",
                                           "caught ", "raised ", "from ", "ignoring ", "ignored ",
                                           "an ", "a ", "the ", ": ", "- ", "error ", "exception ");
  if ((breaks & kOpensBehindFrame) != 0 && behind_frame && exception_mark(rest) &&
      (shows_a_raise(line) || !ends_with_one(line, kTells)))
    return true;
  if ((breaks & kOpens) == 0) return false;
  // `CANCELLED AT 2024-03-22T15:18:20` goes on.
  static constexpr auto kOpeners = word_list("[", "at ", "AT ", "on ", "by ", "since ", "until ");
  static const WordIndex kIndex(3, {{1, kMarks}});
  if (is_digit(rest[0])) return date_mark(rest) && !ends_with_one(line, kOpeners);
  return rest[0] == '[' ? logger_mark(line, rest) : kIndex.at_begin(rest) != 0 || glog_mark(rest);
}

// Whether an exception stands behind a frame: `File "t.py", line 3, in f x() KeyError: 1`.
bool frame_and_exception(std::string_view line) {
  constexpr std::size_t kLongestPrefix = 100;
  const std::size_t begin = line.substr(0, kLongestPrefix).find("File \"");
  if (begin == line.npos) return false;
  for (std::size_t at = line.find(": ", begin); at != line.npos; at = line.find(": ", at + 1)) {
    const std::size_t word = line.rfind(' ', at) + 1;
    if (exception_mark(line.substr(word))) return true;
  }
  return false;
}

}  // namespace

bool has_written_colours(std::string_view line) {
  if (!line.contains('[')) return false;
  if (line.contains("#033[") || line.contains("^[[")) return true;
  if (line.contains('\\') &&
      (line.contains("\\u001b[") || line.contains("\\x1b[") || line.contains("\\033[")))
    return true;
  return line.starts_with('[') && written_colour(line) > 0;
}

std::string without_written_colours(std::string_view line) {
  std::string out;
  std::size_t done = 0;
  const char* const text = line.data();
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!may_begin_colour(text[i])) continue;
    const std::size_t length = written_colour(line.substr(i));
    if (length == 0) continue;
    out.append(line.substr(done, i - done));
    done = i + length;
    i = done - 1;
  }
  out.append(line.substr(done));
  return out;
}

bool lost_its_breaks(std::string_view line) {
  constexpr std::size_t kShortest = 40;
  // Its letters are frequent ones: this skips most characters.
  static constexpr std::string_view kEnds = " terminate called after ";
  static const std::boyer_moore_horspool_searcher kSearch(kEnds.begin(), kEnds.end());
  return line.size() > kShortest &&
         (line.contains("(most recent call last): ") || frame_and_exception(line) ||
          std::search(line.begin(), line.end(), kSearch) != line.end());
}

std::string broken_up(std::string_view reason, Broken what) {
  std::string out;
  out.reserve(reason.size() + reason.size() / 16);
  std::size_t line = 0;  // where the line begins that goes on at i
  std::size_t done = 0;  // what is in out
  const auto flush = [&](std::size_t end) {
    out.append(reason.substr(done, end - done));
    done = end;
  };
  bool behind = true;  // a blank or a mark stands before i
  const char* const text = reason.data();
  const auto from = [&](std::size_t at) { return std::string_view(text + at, reason.size() - at); };
  // What may open a line at i: more behind a frame.
  std::uint8_t opens = kOpens;
  const auto begin_line = [&](std::size_t at) {
    line = at;
    opens = kOpens;
    if (shows_a_raise(from(at)) || (what == Broken::kReason && is_only_logged(from(at))))
      opens |= kOpensBehindFrame;
  };
  begin_line(0);
  for (std::size_t i = 0; i < reason.size(); ++i) {
    // Within a word nothing breaks.
    if (!behind)
      i = static_cast<std::size_t>(stop_from(text + i, text + reason.size() - 1, opens) - text);
    const char c = text[i];
    if (c == '[' && i > 0) {
      if (const std::size_t length = rank_mark(from(i)); length > 0) {
        flush(i);
        // `RuntimeError[1,14]<stderr>:: CUDA out of memory`: the mark cuts a line in two.
        if (reason.substr(i + length).starts_with(": ")) {
          done = i + length;
        } else {
          out += '\n';
          begin_line(i);
        }
        i += length - 1;
        behind = true;
        continue;
      }
    }
    if (behind && i > line && (breaks_of(c) & opens) != 0 &&
        breaks_before({text + line, i - line}, opens != kOpens, from(i))) {
      flush(i);
      out += '\n';
      begin_line(i);
    }
    behind = (breaks_of(c) & kStops) != 0 && c != '[';
    if (c == '\n') begin_line(i + 1);
    // The quote that closes what `ErrorMessage "` opens is no part of a class.
    if (c == '"' && what == Broken::kReason && is_all(from(i)) &&
        !std::string_view(text + line, i - line).contains(' ') && exception_mark(from(line))) {
      flush(i);
      done = i + 1;
    }
    // What `ErrorMessage "` quotes is the end of the log.
    if (c == '"' && reason.substr(line, i - line) == "ErrorMessage ") {
      flush(i + 1);
      out += '\n';
      begin_line(i);
    }
  }
  flush(reason.size());
  return out;
}

}  // namespace trainwarden::rules
