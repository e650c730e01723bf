#include "handlers/rules/notices/chat_text.h"

#include <algorithm>

#include "runtime/base/ascii.h"
#include "runtime/json/one_line.h"
#include "runtime/json/utf8.h"

namespace trainwarden::rules {
namespace {

constexpr std::size_t kLongestChatTitle = 150;

// Control characters, which never come out of plain().
constexpr char kMark = '\x0e';
constexpr char kEndOfMark = '\x0f';

// Whether nothing in it means anything in Slack's or Teams' mark-up, or may become a link.
bool is_harmless(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return is_alphanumeric(c) || c == ' ' || c == ',' || c == '-'; });
}

std::string without_marks(std::string_view text) {
  std::string out(text);
  std::erase_if(out, [](char c) { return c == kMark || c == kEndOfMark; });
  return out;
}

}  // namespace

std::string plain(std::string_view text) {
  std::string out;
  for (const char c : json::one_line(std::string(text))) {
    if (c == '<' || c == '>')
      out += c == '<' ? "\u2039" : "\u203a";
    else
      out += c == '`' ? '\'' : c;
  }
  return out;
}

std::string quoted(std::string_view text) {
  return is_harmless(text) ? std::string(text) : code_span(text);
}

std::string marked(std::string_view text) {
  std::string out(1, kMark);
  out += json::one_line(std::string(text));
  return out += kEndOfMark;
}

std::string chat_line(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t mark = text.find(kMark);
    out += plain(without_marks(text.substr(0, mark)));
    if (mark == std::string_view::npos) return out;
    text.remove_prefix(mark + 1);
    const std::size_t end = std::min(text.find(kEndOfMark), text.size());
    out += quoted(without_marks(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string code_span(std::string_view text) {
  std::string out(1, '`');
  out += plain(without_marks(text));
  return out += '`';
}

std::string cut_chat(std::string_view text, std::size_t bytes) {
  constexpr std::string_view kClosed = "\u2026`";
  if (text.size() <= bytes) return std::string(text);
  std::string out(text.substr(0, json::utf8_boundary(text, bytes - kClosed.size())));
  const bool open = std::ranges::count(out, '`') % 2 != 0;
  return out.append(open ? kClosed : kClosed.substr(0, kClosed.size() - 1));
}

void begin_chat_content(json::Sink& sink, std::string_view title, std::string_view text) {
  sink.key("content")
      .begin_object()
      .member("textType", "client-markdown")
      .member("title", cut_chat(title, kLongestChatTitle))
      .member("description", cut_chat(text, kLongestChatText));
}

std::string chat_message(std::string_view title, std::string_view text) {
  json::Writer sink;
  sink.begin_object().member("version", "1.0").member("source", "custom");
  begin_chat_content(sink, title, text);
  sink.end_object().end_object();
  return json::one_line(sink.take());
}

}  // namespace trainwarden::rules
