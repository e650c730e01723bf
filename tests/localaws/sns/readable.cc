#include "tests/localaws/sns/readable.h"

#include <fmt/core.h>

#include "runtime/json/one_line.h"

namespace trainwarden::localaws {

std::string readable(const Message& message) {
  const auto line = [](std::string_view text) { return json::one_line(std::string(text)); };
  const std::string_view topic = message.topic_arn;
  std::string out = fmt::format("localaws: published to {} at {}\n",
                                line(topic.substr(topic.rfind(':') + 1)), rfc3339(message.time));
  if (!message.subject.empty()) out += fmt::format("  Subject: {}\n", line(message.subject));
  for (const MessageAttribute& one : message.attributes)
    out += fmt::format("  {}: {}\n", line(one.name), line(one.value));
  out += '\n';
  std::string_view body = message.body;
  while (!body.empty()) {
    const std::size_t end = body.find('\n');
    const std::string_view text = body.substr(0, end);
    if (!text.empty()) out += "    " + line(text);
    out += '\n';
    body.remove_prefix(end == std::string_view::npos ? body.size() : end + 1);
  }
  return out + '\n';
}

}  // namespace trainwarden::localaws
