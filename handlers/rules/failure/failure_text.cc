#include "handlers/rules/failure/failure_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "handlers/rules/failure/characters.h"
#include "handlers/rules/failure/json_line.h"
#include "handlers/rules/failure/word_lists.h"
#include "runtime/base/ascii.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

constexpr std::size_t kLongestLine = 4096;

// What runs for each byte of a log reads it through pointers: there the library's own checks would
// cost more than the work.

// Whether none of eight characters is a control character, a quote or a backslash. Some beyond
// ASCII are taken for one.
bool are_plain(const char* at) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  std::uint64_t eight = 0;
  std::memcpy(&eight, at, 8);
  // Of each byte the highest bit: whether it is zero.
  const auto zero = [](std::uint64_t bytes) { return (bytes - kEach) & ~bytes; };
  const std::uint64_t found = (eight - kEach * 0x20) | zero(eight ^ (kEach * '"')) |
                              zero(eight ^ (kEach * '\\')) | zero(eight ^ (kEach * 0x7f));
  return ((found | eight) & (kEach * 0x80)) == 0;
}

// The length of what begins the text and needs no care: no control character, no backslash, and no
// quote that may begin a command. from: what is known to need none.
std::size_t plain_run(std::string_view text, std::size_t from) {
  static constexpr auto kSpecial = [] {
    std::array<bool, 256> special{};
    for (std::size_t c = 0; c < special.size(); ++c)
      special[c] = is_control(static_cast<char>(c)) || c == '"' || c == '\\';
    return special;
  }();
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* at = begin + from;
  while (at < end) {
    while (end - at >= 8 && are_plain(at)) at += 8;
    if (at == end) break;
    if (kSpecial.data()[static_cast<unsigned char>(*at)]) {
      const bool opens =
          *at != '"' || at == begin || (at[-1] == ' ' && (at - begin == 1 || at[-2] == 'd'));
      if (opens) break;
    }
    ++at;
  }
  return static_cast<std::size_t>(at - begin);
}

// Where the second of two blanks stands; the size of a text that has no two side by side.
std::size_t two_blanks(std::string_view text) {
  const char* const at = text.data();
  std::size_t i = 1;
  for (; i + 1 < text.size(); i += 2) {  // of two, one stands at an odd place
    if (at[i] != ' ') continue;
    if (at[i - 1] == ' ') return i;
    if (at[i + 1] == ' ') return i + 1;
  }
  return i < text.size() && at[i] == ' ' && at[i - 1] == ' ' ? i : text.size();
}

// The text in lower case, eight characters at a time.
void write_lower(std::string_view text, char* out) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  const char* const from = text.data();
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, from + i, 8);
    // Of each byte the highest bit: whether it is ASCII from `A` to `Z`.
    const std::uint64_t seven_bits = eight & (kEach * 0x7f);
    const std::uint64_t from_a = seven_bits + kEach * (0x80 - 'A');
    const std::uint64_t after_z = seven_bits + kEach * (0x7f - 'Z');
    const std::uint64_t upper = (from_a ^ after_z) & ~eight & (kEach * 0x80);
    eight |= upper >> 2U;
    std::memcpy(out + i, &eight, 8);
  }
  for (; i < text.size(); ++i) out[i] = to_lower(from[i]);
}

// The length of a terminal's escape sequence at the beginning of text; 0 where there is none.
std::size_t escape_sequence(std::string_view text) {
  if (text.size() < 2 || text[0] != '\x1b' || text[1] != '[') return 0;
  constexpr std::size_t kLongest = 16;
  for (std::size_t i = 2; i < std::min(text.size(), kLongest); ++i)
    if (text[i] >= '@' && text[i] <= '~') return i + 1;
  return 0;
}

// `Command "/usr/bin/python train.py --lr 0.1"`: the length of what is quoted, at the quote.
std::size_t quoted_command(std::string_view done, std::string_view rest) {
  constexpr std::string_view kCommand = "ommand ";
  if (rest.empty() || rest[0] != '"' || !done.ends_with(kCommand)) return 0;
  const std::size_t end = rest.find('"', 1);
  return end == std::string_view::npos ? rest.size() : end + 1;
}

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

// `2024-03-22 15:18:20`, `2024-03-22T15:18`
bool date_mark(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00 00:00";
  if (text.size() < kForm.size()) return false;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool fits = kForm[i] == '0'   ? is_digit(text[i])
                      : kForm[i] == ' ' ? text[i] == ' ' || text[i] == 'T'
                                        : text[i] == kForm[i];
    if (!fits) return false;
  }
  return true;
}

// `ValueError: `, `torch.cuda.OutOfMemoryError: ` at the beginning.
bool exception_mark(std::string_view text) {
  std::size_t end = 0;
  std::size_t name = 0;
  while (end < text.size() && (is_word(text[end]) || text[end] == '.')) {
    if (text[end] == '.') name = end + 1;
    ++end;
  }
  if (!text.substr(end).starts_with(": ") || end - name < 6) return false;
  const std::string_view word = text.substr(name, end - name);
  return word[0] >= 'A' && word[0] <= 'Z' &&
         (word.ends_with("Error") || word.ends_with("Exception"));
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

// Whether a line may have such colours: anywhere, or at its beginning without an escape character.
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

// A traceback on one line, or what a process said before it ended with what ended it.
bool lost_its_breaks(std::string_view line) {
  constexpr std::size_t kShortest = 40;
  return line.size() > kShortest &&
         (line.contains("(most recent call last): ") || line.contains(" terminate called after "));
}

// What a character may do where a text is broken up: stand before a break, begin a line.
enum Break : std::uint8_t { kStops = 1, kOpens = 2, kOpensBehindFrame = 4 };
constexpr auto kBreaks = [] {
  std::array<std::uint8_t, 256> breaks{};
  for (const char c : std::string_view(" :\"\n["))
    breaks.at(static_cast<unsigned char>(c)) = kStops;
  for (std::size_t c = '0'; c <= '9'; ++c) breaks.at(c) = kOpensBehindFrame;
  for (std::size_t c = 'a'; c <= 'z'; ++c) breaks.at(c) = kOpensBehindFrame;
  for (std::size_t c = 'A'; c <= 'Z'; ++c) breaks.at(c) = kOpensBehindFrame;
  // The first characters of kMarks, and of a date.
  for (const char c : std::string_view("TFDECtsR[0123456789"))
    breaks.at(static_cast<unsigned char>(c)) |= kOpens;
  return breaks;
}();
std::uint8_t breaks_of(char c) { return kBreaks.data()[static_cast<unsigned char>(c)]; }

constexpr auto kMarks = word_list(
    "Traceback (most recent call last)", "File \"", "During handling of the above",
    "The above exception was", "ExitCode ", "ErrorMessage \"", "ExtraInfo \"", "Command \"",
    "terminate called ", "slurmstepd: ", "srun: error", "RuntimeError: CUDA", "[E Process");

// Whether a line of the log that a FailureReason holds begins here, behind a blank. line: what
// stands before it since the last break; behind_frame: it is a frame of a traceback.
bool breaks_before(std::string_view line, bool behind_frame, std::string_view rest) {
  const std::uint8_t breaks = breaks_of(rest[0]);
  // Behind a frame and its code stands the exception: `File "t.py", line 3, in f x() KeyError: 1`.
  if ((breaks & kOpensBehindFrame) != 0 && behind_frame && exception_mark(rest)) return true;
  if ((breaks & kOpens) == 0) return false;
  // `CANCELLED AT 2024-03-22T15:18:20` goes on.
  static constexpr auto kOpeners = word_list("[", "at ", "AT ", "on ", "by ", "since ", "until ");
  return is_digit(rest[0]) ? date_mark(rest) && !ends_with_one(line, kOpeners)
                           : starts_with_one(rest, kMarks);
}

// The lines of a FailureReason.
std::string broken_up(std::string_view reason) {
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
    if (from(at).starts_with("File \"")) opens |= kOpensBehindFrame;
  };
  begin_line(0);
  for (std::size_t i = 0; i < reason.size(); ++i) {
    // Within a word nothing breaks.
    if (!behind)
      while (i + 1 < reason.size() && (breaks_of(text[i]) & kStops) == 0) ++i;
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

}  // namespace

// With one blank where there are several, and none at the beginning.
void FailureText::add_words(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (!text.empty()) {
    const std::size_t end = two_blanks(text);
    shown_.append(text.substr(0, end));
    text.remove_prefix(end);
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
}

void FailureText::append_line(std::string_view line) {
  if (line.empty()) return;
  Line out;
  out.prefix = prefix_of(line);
  if (out.prefix.quoted && line.ends_with('"')) line.remove_suffix(1);
  out.begin = shown_.size();
  add_words(line.substr(0, out.prefix.length));
  if (shown_.size() > out.begin && shown_.back() != ' ') shown_ += ' ';
  out.body = shown_.size();
  add_words(line.substr(out.prefix.length));
  if (shown_.size() > out.body && shown_.back() == ' ') shown_.pop_back();
  out.end = shown_.size();
  if (out.end == out.body && out.body == out.begin) return;
  shown_ += '\n';
  lines_.push_back(out);
}

void FailureText::append(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const std::size_t command = quoted_command(line, text);
    if (const std::size_t run = plain_run(text, text[0] == '"' && command == 0 ? 1 : 0); run > 0) {
      // Most lines are nothing else.
      if (run == text.size() && line.empty()) return append_line(text.substr(0, kLongestLine));
      line.append(
          text.substr(0, std::min(run, kLongestLine - std::min(line.size(), kLongestLine))));
      text.remove_prefix(run);
      continue;
    }
    if (const std::size_t length = escape_sequence(text)) {
      text.remove_prefix(length);
      continue;
    }
    if (command > 0) {
      line += "\"…\"";
      text.remove_prefix(command);
      continue;
    }
    const char c = text[0];
    const bool written_out = text.starts_with("\\n");
    if (written_out || c == '\n' || c == '\r') {
      append_line(line);
      line.clear();
    } else if (line.size() < kLongestLine) {
      line += is_control(c) ? ' ' : c;
      if (c == '\t') line += ' ';
    }
    text.remove_prefix(written_out ? 2 : 1);
  }
  append_line(line);
}

void FailureText::finish() {
  lower_.resize_and_overwrite(shown_.size(), [this](char* to, std::size_t size) {
    write_lower(shown_, to);
    return size;
  });
}

FailureText FailureText::of_reason(std::string_view reason) {
  FailureText out;
  out.append(broken_up(reason.substr(0, kMostBytes)));
  out.finish();
  return out;
}

FailureText FailureText::of_log(std::span<const std::string_view> lines) {
  std::size_t first = lines.size();
  std::size_t size = 0;
  while (first > 0 && size + std::min(lines[first - 1].size(), kMostBytes) < kMostBytes)
    size += lines[--first].size() + 1;
  FailureText out;
  out.shown_.reserve(size + 1);
  // Of a line that is longer than all that is read, the end.
  if (first == lines.size() && first > 0) {
    const std::string_view last = lines.back();
    out.append(broken_up(last.substr(last.size() - std::min(last.size(), kMostBytes))));
  }
  // More than a line's worth of text is a log that lost its breaks.
  constexpr std::size_t kMostOfALine = 2048;
  std::string plain;
  for (std::string_view line : lines.subspan(first)) {
    if (has_written_colours(line)) {
      plain = without_written_colours(line);
      line = plain;
    }
    if (const auto said = said_in_json(line)) {
      out.append(*said);
    } else if (line.size() > kMostOfALine || lost_its_breaks(line)) {
      out.append(broken_up(line));
    } else {
      out.append(line);
    }
  }
  out.finish();
  return out;
}

}  // namespace trainwarden::rules
