// Texts for chat: custom notifications of Amazon Q Developer in chat applications, whose schema is
// at https://docs.aws.amazon.com/chatbot/latest/adminguide/custom-notifs.html. The page gives no
// limits but Slack's own: a header of 150 characters, a text of 3,000.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/json/json.h"

namespace trainwarden::rules {

inline constexpr std::size_t kLongestChatText = 2900;

// On one line, without mentions of people and without what ends a code span. A link in it is live,
// so that what others wrote stands in a code span.
std::string plain(std::string_view text);

// What others wrote: a code span, in which no link, no mention and no mark-up means anything. Words
// and numbers alone stay as they are.
std::string quoted(std::string_view text);

// Marks what others wrote within a text of ours.
std::string marked(std::string_view text);
// plain(), with what is marked quoted.
std::string chat_line(std::string_view text);
// The whole text in a code span, whatever is marked in it.
std::string code_span(std::string_view text);

// Cut to so many bytes; a code span that is cut is closed.
std::string cut_chat(std::string_view text, std::size_t bytes);

// The member `content`, whose object is left open for more. title, text: plain, but for the text's
// own lines and code spans; cut to what chat takes, each code span closed.
void begin_chat_content(json::Sink& sink, std::string_view title, std::string_view text);

// A whole message that has nothing else.
std::string chat_message(std::string_view title, std::string_view text);

}  // namespace trainwarden::rules
