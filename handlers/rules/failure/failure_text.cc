#include "handlers/rules/failure/failure_text.h"

#include <algorithm>

#include "runtime/json/utf8.h"

namespace trainwarden::rules {
namespace {

constexpr std::size_t kLongestEvidence = 200;
constexpr std::size_t kLongestLine = 4096;

char lower_of(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_letter(char c) { return lower_of(c) >= 'a' && lower_of(c) <= 'z'; }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

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

constexpr char kMask = '\x01';  // stands in no FailureText

bool is_word(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; }

// Covers the secret wherever it stands as a whole word.
void mask(std::string& line, std::string_view secret) {
  // The SDK writes hyperparameters as JSON: "\"value\"".
  while (secret.starts_with('"') && secret.ends_with('"') && secret.size() > 1)
    secret = secret.substr(1, secret.size() - 2);
  constexpr std::size_t kShortest = 4;
  if (secret.size() < kShortest) return;
  for (std::size_t at = line.find(secret); at != std::string::npos;
       at = line.find(secret, at + 1)) {
    const std::size_t end = at + secret.size();
    if (at > 0 && is_word(line[at - 1]) && is_word(secret[0])) continue;
    if (end < line.size() && is_word(line[end]) && is_word(secret.back())) continue;
    std::fill_n(line.begin() + static_cast<std::ptrdiff_t>(at), secret.size(), kMask);
  }
}

}  // namespace

void FailureText::append(std::string_view text, bool keep_breaks) {
  std::size_t line = shown_.size();
  const auto end_line = [&] {
    if (shown_.ends_with(' ')) shown_.pop_back();
    if (shown_.size() > line) shown_ += '\n';
    line = shown_.size();
  };
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t length = escape_sequence(text.substr(i))) {
      i += length;
      continue;
    }
    if (const std::size_t length = quoted_command(shown_, text.substr(i))) {
      shown_ += "\"…\"";
      i += length;
      continue;
    }
    const bool written_out = text[i] == '\\' && i + 1 < text.size() && text[i + 1] == 'n';
    const bool breaks = written_out || text[i] == '\n' || text[i] == '\r';
    if (breaks && keep_breaks) {
      end_line();
    } else if (breaks || text[i] == ' ' || is_control(text[i])) {
      if (shown_.size() > line && shown_.back() != ' ') shown_ += ' ';
    } else if (shown_.size() - line < kLongestLine) {
      shown_ += text[i];
    }
    i += written_out ? 2 : 1;
  }
  end_line();
}

void FailureText::finish() {
  lower_ = shown_;
  std::ranges::transform(lower_, lower_.begin(), lower_of);
}

FailureText FailureText::of_reason(std::string_view reason) {
  FailureText out;
  out.append(reason.substr(0, kMostBytes), false);
  out.finish();
  return out;
}

FailureText FailureText::of_log(std::span<const std::string_view> lines) {
  std::size_t first = lines.size();
  std::size_t size = 0;
  while (first > 0 && size + std::min(lines[first - 1].size(), kLongestLine) < kMostBytes) {
    size += std::min(lines[--first].size(), kLongestLine) + 1;
  }
  FailureText out;
  for (const std::string_view line : lines.subspan(first)) {
    out.append(line.substr(0, kMostBytes), true);
  }
  out.finish();
  return out;
}

std::size_t FailureText::line_begin(std::size_t at) const {
  const std::size_t before = at == 0 ? std::string::npos : shown_.rfind('\n', at - 1);
  return before == std::string::npos ? 0 : before + 1;
}

std::size_t FailureText::line_end(std::size_t at) const {
  return std::min(shown_.find('\n', at), shown_.size());
}

std::string evidence_at(const FailureText& text, std::size_t at,
                        std::span<const std::string_view> secrets) {
  std::size_t begin = text.line_begin(at);
  std::string masked(text.shown().substr(begin, text.line_end(at) - begin));
  for (const std::string_view secret : secrets) mask(masked, secret);
  std::string_view line = masked;
  std::string out;
  // Of a long line, from a little before the words that tell.
  constexpr std::size_t kBefore = 100;
  if (const std::size_t told = at - begin; told > kBefore) {
    const std::size_t blank = line.find(' ', told - kBefore);
    line.remove_prefix(blank < told ? blank + 1 : told);
    out = "… ";
  }
  // ` --lr 0.1`: the arguments of a command line are nobody's business here.
  for (std::size_t i = line.find(" --"); i != std::string_view::npos; i = line.find(" --", i + 1)) {
    if (i + 3 >= line.size() || !is_letter(line[i + 3])) continue;
    line = line.substr(0, i);
    break;
  }
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != kMask) {
      out += line[i];
    } else if (i == 0 || line[i - 1] != kMask) {
      out += "…";
    }
  }
  if (std::string mended = json::mend_utf8(out); !mended.empty()) out = std::move(mended);
  out.resize(json::utf8_boundary(out, kLongestEvidence));
  return out;
}

}  // namespace trainwarden::rules
