// What Publish takes, and how a message reaches a function.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "runtime/base/ascii.h"
#include "tests/localaws/http/http_message.h"
#include "tests/localaws/service/input.h"
#include "tests/localaws/sns/sns.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

constexpr std::size_t kMaxMessage = 262'144;  // bytes, attributes included
constexpr std::size_t kMaxSubject = 99;       // "less than 100 characters"
constexpr std::size_t kMaxAttributeName = 256;

std::unexpected<AwsError> bad_value(std::string message) {
  return refuse(400, "ParameterValueInvalid", std::move(message));
}

bool valid_subject(std::string_view subject) {
  return !subject.empty() && subject.size() <= kMaxSubject && subject.front() != ' ' &&
         std::all_of(subject.begin(), subject.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

bool valid_attribute_name(std::string_view name) {
  const std::string small = lower(name);
  const auto allowed = [](char c) {
    return is_alphanumeric(c) || c == '_' || c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= kMaxAttributeName && !small.starts_with("aws.") &&
         !small.starts_with("amazon.") && name.front() != '.' && name.back() != '.' &&
         name.find("..") == std::string_view::npos &&
         std::all_of(name.begin(), name.end(), allowed);
}

bool is_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

Answer<MessageAttribute> attribute_from(std::string_view name, Value value) {
  MessageAttribute out{std::string(name), std::string(input::text(value, "DataType")), {}};
  if (!valid_attribute_name(name))
    return bad_value(fmt::format("Invalid message attribute name '{}'.", name));
  const std::string_view prefix = std::string_view(out.type).substr(0, out.type.find('.'));
  if (prefix != "String" && prefix != "Number" && prefix != "Binary")
    return bad_value(
        fmt::format("The message attribute '{}' has an invalid message attribute type, "
                    "the set of supported type prefixes is Binary, Number, and String.",
                    name));
  const bool binary = prefix == "Binary";
  if (input::has(value, binary ? "StringValue" : "BinaryValue"))
    return bad_value(fmt::format("The message attribute '{}' with type '{}' must use field '{}'.",
                                 name, out.type, binary ? "Binary" : "String"));
  out.value = input::text(value, binary ? "BinaryValue" : "StringValue");
  if (out.value.empty())
    return bad_value(
        fmt::format("The message attribute '{}' must contain non-empty message "
                    "attribute value for message attribute type '{}'.",
                    name, out.type));
  if (prefix == "Number" && !is_number(out.value))
    return bad_value(fmt::format("Could not cast message attribute '{}' value to number.", name));
  return out;
}

// MessageStructure "json": the text for a protocol, or the default.
Answer<std::string> for_lambda(std::string_view message) {
  const auto parsed = json::Document::parse(message);
  if (!parsed || !parsed->root().is_object())
    return bad_parameter("Message Structure - JSON message body failed to parse");
  if (!input::has(parsed->root(), "default"))
    return bad_parameter("Message Structure - No default entry in JSON message body");
  return std::string(input::text(parsed->root(), "lambda", input::text(parsed->root(), "default")));
}

}  // namespace

Answer<Message> message_from(Value given) {
  Message out;
  out.body = input::text(given, "Message");
  if (out.body.empty()) return bad_parameter("Empty message");
  if (input::has(given, "Subject")) {
    out.subject = input::text(given, "Subject");
    if (!valid_subject(out.subject)) return bad_parameter("Subject");
  }
  std::size_t size = out.body.size();
  if (const auto attributes = given.find_present("MessageAttributes"))
    for (const json::Member member : attributes->members()) {
      auto attribute = attribute_from(member.name, member.value);
      if (!attribute) return std::unexpected(attribute.error());
      size += attribute->name.size() + attribute->type.size() + attribute->value.size();
      out.attributes.push_back(std::move(*attribute));
    }
  if (size > kMaxMessage) return bad_parameter("Message too long");
  const std::string_view structure = input::text(given, "MessageStructure");
  if (!structure.empty() && structure != "json") return bad_parameter("MessageStructure");
  if (structure == "json") {
    auto body = for_lambda(out.body);
    if (!body) return std::unexpected(body.error());
    out.body = std::move(*body);
  }
  return out;
}

std::string sns_event(const Message& message, std::string_view subscription_arn,
                      std::string_view region) {
  json::Writer out;
  out.begin_object().key("Records").begin_array().begin_object();
  out.member("EventSource", "aws:sns").member("EventVersion", "1.0");
  out.member("EventSubscriptionArn", subscription_arn);
  out.key("Sns").begin_object();
  out.member("Type", "Notification").member("MessageId", message.id);
  out.member("TopicArn", message.topic_arn);
  out.key("Subject");
  if (message.subject.empty())
    out.null();
  else
    out.string(message.subject);
  out.member("Message", message.body).member("Timestamp", rfc3339(message.time));
  out.member("SignatureVersion", "1").member("Signature", "EXAMPLE");
  out.member(
      "SigningCertUrl",
      fmt::format("https://sns.{}.amazonaws.com/SimpleNotificationService-EXAMPLE.pem", region));
  out.member("UnsubscribeUrl",
             fmt::format("https://sns.{}.amazonaws.com/?Action=Unsubscribe&SubscriptionArn={}",
                         region, subscription_arn));
  out.key("MessageAttributes").begin_object();
  for (const MessageAttribute& attribute : message.attributes)
    out.key(attribute.name)
        .begin_object()
        .member("Type", attribute.type)
        .member("Value", attribute.value)
        .end_object();
  out.end_object().end_object().end_object().end_array().end_object();
  return out.take();
}

}  // namespace trainwarden::localaws
