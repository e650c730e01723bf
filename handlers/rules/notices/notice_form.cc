#include "handlers/rules/notices/notice_form.h"

#include "handlers/rules/notices/chat_text.h"
#include "runtime/json/one_line.h"
#include "runtime/json/utf8.h"

namespace trainwarden::rules {
namespace {

constexpr std::string_view kCut = "\u2026";

// A line of a message begins in the column of its text.
constexpr std::size_t kStoredLineEnd = 16;
constexpr std::size_t kStoredEscape = 9;  // \\\\u2028
constexpr std::size_t kStoredQuote = 4;   // \\\"
constexpr std::size_t kReplacement = 3;   // U+FFFD, and the angles of chat_text.h

std::size_t stored_size_of(const json::Character& one, std::string_view bytes) {
  if (bytes == "\n") return kStoredLineEnd;
  if (bytes == "\"" || bytes == "\\") return kStoredQuote;
  if (bytes == "<" || bytes == ">") return kReplacement;
  if (one.code >= ' ' && one.code < 0x7F) return 1;
  if (one.code == 0 && bytes != std::string_view("\0", 1)) return kReplacement;
  return json::one_line(std::string(bytes)) == bytes ? bytes.size() : kStoredEscape;
}

}  // namespace

std::size_t stored_size(std::string_view text) {
  std::size_t size = 0;
  while (!text.empty()) {
    const json::Character next = json::first_character(text);
    size += stored_size_of(next, text.substr(0, next.bytes));
    text.remove_prefix(next.bytes);
  }
  return size;
}

std::string cut_stored(std::string_view text, std::size_t room) {
  std::size_t size = 0;
  std::size_t cut = 0;  // what fits with the mark of a cut
  std::size_t at = 0;
  while (at < text.size()) {
    const json::Character next = json::first_character(text.substr(at));
    size += stored_size_of(next, text.substr(at, next.bytes));
    if (size > room) return std::string(text.substr(0, cut)).append(kCut);
    at += next.bytes;
    if (size + kCut.size() <= room) cut = at;
  }
  return std::string(text);
}

std::string foreign(std::string_view text, const NoticeForm& form) {
  std::string out = cut_stored(text, form.text);
  return form.marks ? marked(out) : out;
}

}  // namespace trainwarden::rules
