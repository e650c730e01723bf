#include "handlers/rules/failure/failure_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "handlers/rules/failure/broken_lines.h"
#include "handlers/rules/failure/json_line.h"
#include "handlers/rules/failure/progress_bar.h"
#include "handlers/rules/failure/word_lists.h"
#include "runtime/base/ascii.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

constexpr std::size_t kLongestLine = 4096;

// What runs for each byte of a log reads it through pointers: there the library's own checks would
// cost more than the work.

// How many of eight characters stand before the first that is a control character, a quote or a
// backslash. Some beyond ASCII are taken for one.
std::size_t plain_of_eight(const char* at) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  std::uint64_t eight = 0;
  std::memcpy(&eight, at, 8);
  // Of each byte the highest bit: whether it is zero.
  const auto zero = [](std::uint64_t bytes) { return (bytes - kEach) & ~bytes; };
  const std::uint64_t found = (eight - kEach * 0x20) | zero(eight ^ (kEach * '"')) |
                              zero(eight ^ (kEach * '\\')) | zero(eight ^ (kEach * 0x7f));
  return static_cast<std::size_t>(std::countr_zero((found | eight) & (kEach * 0x80))) / 8;
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
    std::size_t plain = 8;
    while (end - at >= 8 && plain == 8) at += plain = plain_of_eight(at);
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

// CloudWatch and syslog write a tab as `#011`, a line break as `#012`, and what returns to the
// line's beginning as `#015`.
std::string with_breaks(std::string_view text) {
  constexpr std::string_view kEscape = "#01";
  std::string out;
  out.reserve(text.size());
  while (true) {
    const std::size_t at = text.find(kEscape);
    out.append(text.substr(0, at));
    if (at == text.npos) return out;
    const std::string_view escape = text.substr(at, kEscape.size() + 1);
    const char which = escape.back();
    const bool known =
        escape.size() > kEscape.size() && (which == '1' || which == '2' || which == '5');
    if (known) {
      out += which == '1' ? '\t' : '\n';
    } else {
      out.append(escape);
    }
    text.remove_prefix(at + escape.size());
  }
}

// The length of what a shell says of a program's end where it goes on behind a bar of progress:
// ` 43%|████▎ | 43/100 [00:12<00:16, 3.5it/s]Killed`; 0 where it does not.
std::size_t shell_s_word(std::string_view line) {
  static constexpr auto kEnds =
      word_list("Killed", "Terminated", "Segmentation fault", "Segmentation fault (core dumped)",
                "Aborted (core dumped)", "Bus error (core dumped)");
  if (!std::string_view("dt)").contains(line.back())) return 0;
  for (const std::string_view word : Words(kEnds)) {
    if (!line.ends_with(word) || word.size() == line.size()) continue;
    const char before = line[line.size() - word.size() - 1];
    if (is_digit(before) || std::string_view("]%|\\").contains(before)) return word.size();
  }
  return 0;
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
  if (const std::size_t size = shell_s_word(line); size > 0) {
    append_line(line.substr(0, line.size() - size));
    line.remove_prefix(line.size() - size);
  }
  if (const std::size_t bar = bar_behind(line); bar > 0) {
    append_line(line.substr(0, bar));
    line.remove_prefix(bar);
  }
  Line out;
  out.prefix = prefix_of(line);
  // The quote that closes the message, unless it is the one that opens it.
  if (out.prefix.quoted && line.size() > out.prefix.length && line.ends_with('"'))
    line.remove_suffix(1);
  out.begin = shown_.size();
  add_words(line.substr(0, out.prefix.length));
  if (shown_.size() > out.begin && shown_.back() != ' ') shown_ += ' ';
  out.body = shown_.size();
  add_words(line.substr(out.prefix.length));
  if (shown_.size() > out.body && shown_.back() == ' ') shown_.pop_back();
  out.end = shown_.size();
  if (out.end == out.body && out.body == out.begin) return;
  // What a client of HTTP gave up for belongs to what it says of that.
  if (!lines_.empty() && out.prefix.process == lines_.back().prefix.process &&
      lines_.back().end - lines_.back().begin < kLongestLine &&
      std::string_view(shown_).substr(out.body).starts_with("(Caused by ")) {
    shown_.erase(out.begin, out.body - out.begin);
    shown_[out.begin - 1] = ' ';
    lines_.back().end = shown_.size();
  } else {
    lines_.push_back(out);
  }
  shown_ += '\n';
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
  out.append(broken_up(with_breaks(reason.substr(0, kMostBytes)), Broken::kReason));
  out.finish();
  return out;
}

FailureText FailureText::of_log(std::span<const std::string_view> lines) {
  std::size_t first = lines.size();
  std::size_t size = 0;
  while (first > 0 && size + std::min(lines[first - 1].size(), kMostBytes) < kMostBytes)
    size += lines[--first].size() + 1;
  FailureText out;
  // Of a line that is longer than all that is read, the end.
  if (first == lines.size() && first > 0) {
    const std::string_view last = lines.back();
    const std::string end =
        broken_up(last.substr(last.size() - std::min(last.size(), kMostBytes)), Broken::kLog);
    out.shown_.reserve(end.size() + 1);
    out.append(end);
  }
  out.shown_.reserve(size + 1);
  // More than a line's worth of text is a log that lost its breaks.
  constexpr std::size_t kMostOfALine = 2048;
  std::string plain;
  for (std::string_view line : lines.subspan(first)) {
    if (has_written_colours(line)) {
      plain = without_written_colours(line);
      line = plain;
    }
    if (line.contains("#01")) {
      plain = with_breaks(line);
      line = plain;
    }
    if (const auto said = said_in_json(line)) {
      out.append(*said);
    } else if (line.size() > kMostOfALine || lost_its_breaks(line)) {
      out.append(broken_up(line, Broken::kLog));
    } else {
      out.append(line);
    }
  }
  out.finish();
  return out;
}

}  // namespace trainwarden::rules
