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

// On one line, without mark-up and mentions of people, which users may have written.
std::string plain(std::string_view text);

// The member `content`, whose object is left open for more. title, text: plain, but for the text's
// own lines; cut to what chat takes.
void begin_chat_content(json::Sink& sink, std::string_view title, std::string_view text);

// A whole message that has nothing else.
std::string chat_message(std::string_view title, std::string_view text);

}  // namespace trainwarden::rules
