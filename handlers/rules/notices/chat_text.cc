#include "handlers/rules/notices/chat_text.h"

#include "runtime/json/one_line.h"
#include "runtime/json/utf8.h"

namespace trainwarden::rules {
namespace {

constexpr std::size_t kLongestChatTitle = 150;

std::string_view cut(std::string_view text, std::size_t bytes) {
  return text.substr(0, json::utf8_boundary(text, bytes));
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

void begin_chat_content(json::Sink& sink, std::string_view title, std::string_view text) {
  sink.key("content")
      .begin_object()
      .member("textType", "client-markdown")
      .member("title", cut(title, kLongestChatTitle))
      .member("description", cut(text, kLongestChatText));
}

std::string chat_message(std::string_view title, std::string_view text) {
  json::Writer sink;
  sink.begin_object().member("version", "1.0").member("source", "custom");
  begin_chat_content(sink, title, text);
  sink.end_object().end_object();
  return json::one_line(sink.take());
}

}  // namespace trainwarden::rules
