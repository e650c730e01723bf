#include "tests/localaws/sns/sns.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "runtime/base/ascii.h"
#include "tests/localaws/service/crypto.h"
#include "tests/localaws/service/input.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

constexpr std::size_t kPage = 100;
constexpr std::size_t kMaxName = 256;
constexpr std::array<std::string_view, 9> kProtocols = {
    "http", "https", "email", "email-json", "sms", "sqs", "application", "lambda", "firehose"};

Shapes inputs() {
  const Shape attributes = map(text(), text(), {});
  const Shape tag = object({required("Key", text(1, 128)), required("Value", text(0, 256))});
  const Shape message_attribute =
      object({required("DataType", text()), optional("StringValue", text()),
              optional("BinaryValue", text())});
  return {
      {"CreateTopic",
       object({required("Name", text()), optional("Attributes", attributes),
               optional("Tags", list(tag, {}, {})), optional("DataProtectionPolicy", text())})},
      {"DeleteTopic", object({required("TopicArn", text())})},
      {"Subscribe", object({required("TopicArn", text()), required("Protocol", text()),
                            optional("Endpoint", text()), optional("Attributes", attributes),
                            optional("ReturnSubscriptionArn", boolean())})},
      {"Unsubscribe", object({required("SubscriptionArn", text())})},
      {"ListTopics", object({optional("NextToken", text())})},
      {"ListSubscriptions", object({optional("NextToken", text())})},
      {"ListSubscriptionsByTopic",
       object({required("TopicArn", text()), optional("NextToken", text())})},
      {"Publish",
       object({optional("TopicArn", text()), optional("TargetArn", text()),
               optional("PhoneNumber", text()), required("Message", text()),
               optional("Subject", text()), optional("MessageStructure", text()),
               optional("MessageAttributes", map(text(), message_attribute, {})),
               optional("MessageDeduplicationId", text()), optional("MessageGroupId", text())})},
  };
}

bool valid_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxName &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return is_alphanumeric(c) || c == '_' || c == '-'; });
}

// Where a page of a list begins, by its token.
Answer<std::size_t> page_begin(Value given, std::size_t size) {
  const std::string_view token = input::text(given, "NextToken");
  if (token.empty()) return 0;
  std::size_t begin = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), begin);
  if (error != std::errc() || end != token.data() + token.size() || begin > size)
    return bad_parameter("NextToken Reason: Invalid token");
  return begin;
}

bool is_function_arn(std::string_view arn) {
  return arn.starts_with("arn:") && std::count(arn.begin(), arn.end(), ':') >= 6 &&
         arn.find(":lambda:") != std::string_view::npos;
}

std::string_view shown_arn(const Subscription& subscription) {
  return subscription.confirmed ? std::string_view(subscription.arn) : "PendingConfirmation";
}

}  // namespace

std::unexpected<AwsError> bad_parameter(std::string_view what) {
  return refuse(400, "InvalidParameter", fmt::format("Invalid parameter: {}", what));
}

Sns::Sns(std::string region, std::string account, Deliver deliver)
    : Service(inputs()),
      region_(std::move(region)),
      account_(std::move(account)),
      deliver_(std::move(deliver)) {}

Answer<std::string> Sns::call(std::string_view operation, Value given, sys_millis now) {
  if (operation == "Publish") return publish(given, now);
  if (operation == "CreateTopic") return create_topic(given);
  if (operation == "DeleteTopic") {
    topics_.erase(std::string(input::text(given, "TopicArn")));
    return "";
  }
  if (operation == "Subscribe") return subscribe(given);
  if (operation == "Unsubscribe") return unsubscribe(given);
  if (operation == "ListTopics") return list_topics(given);
  return list_subscriptions(given);
}

void Sns::add_topic(const std::string& topic_arn, const std::string& function_arn) {
  auto& subscriptions = topics_[topic_arn];
  if (!function_arn.empty())
    subscriptions.push_back(
        {fmt::format("{}:{}", topic_arn, random_uuid()), "lambda", function_arn, true});
}

Answer<Sns::Topics::iterator> Sns::topic(std::string_view arn) {
  if (const auto colons = std::count(arn.begin(), arn.end(), ':'); colons < 5)
    return bad_parameter(
        fmt::format("TopicArn Reason: An ARN must have at least 6 elements, not {}", colons + 1));
  const auto found = topics_.find(arn);
  if (found == topics_.end()) return refuse(404, "NotFound", "Topic does not exist");
  return found;
}

Answer<std::string> Sns::create_topic(Value given) {
  const std::string_view name = input::text(given, "Name");
  if (!valid_name(name)) return bad_parameter("Topic Name");
  const std::string arn = fmt::format("arn:aws:sns:{}:{}:{}", region_, account_, name);
  topics_.try_emplace(arn);
  json::Writer out;
  out.begin_object().member("TopicArn", arn).end_object();
  return out.take();
}

Answer<std::string> Sns::subscribe(Value given) {
  const auto found = topic(input::text(given, "TopicArn"));
  if (!found) return std::unexpected(found.error());
  const std::string_view protocol = input::text(given, "Protocol");
  const std::string_view endpoint = input::text(given, "Endpoint");
  if (std::find(kProtocols.begin(), kProtocols.end(), protocol) == kProtocols.end())
    return bad_parameter(
        fmt::format("Amazon SNS does not support this protocol string: {}", protocol));
  if (endpoint.empty()) return bad_parameter("Endpoint");
  if (protocol == "lambda" && !is_function_arn(endpoint))
    return bad_parameter("Lambda endpoint ARN");
  auto& subscriptions = (*found)->second;
  auto same = std::find_if(subscriptions.begin(), subscriptions.end(), [&](const Subscription& s) {
    return s.protocol == protocol && s.endpoint == endpoint;
  });
  if (same == subscriptions.end()) {
    const bool at_once = protocol == "lambda" || protocol == "sqs" || protocol == "firehose";
    subscriptions.push_back({fmt::format("{}:{}", (*found)->first, random_uuid()),
                             std::string(protocol), std::string(endpoint), at_once});
    same = subscriptions.end() - 1;
  }
  const bool shown = same->confirmed || input::flag(given, "ReturnSubscriptionArn");
  json::Writer out;
  out.begin_object().member("SubscriptionArn", shown ? same->arn : "pending confirmation");
  out.end_object();
  return out.take();
}

Answer<std::string> Sns::unsubscribe(Value given) {
  const std::string_view arn = input::text(given, "SubscriptionArn");
  if (std::count(arn.begin(), arn.end(), ':') < 6)
    return bad_parameter("SubscriptionArn Reason: An ARN must have at least 6 elements");
  for (auto& [topic_arn, subscriptions] : topics_)
    if (std::erase_if(subscriptions, [&](const Subscription& s) { return s.arn == arn; }) > 0)
      return "";
  return refuse(404, "NotFound", "Subscription does not exist");
}

Answer<std::string> Sns::list_topics(Value given) const {
  const auto begin = page_begin(given, topics_.size());
  if (!begin) return std::unexpected(begin.error());
  const std::size_t end = std::min(topics_.size(), *begin + kPage);
  json::Writer out;
  out.begin_object().key("Topics").begin_array();
  std::size_t index = 0;
  for (const auto& [arn, subscriptions] : topics_) {
    if (index >= *begin && index < end) out.begin_object().member("TopicArn", arn).end_object();
    ++index;
  }
  out.end_array();
  if (end < topics_.size()) out.member("NextToken", std::to_string(end));
  out.end_object();
  return out.take();
}

Answer<std::string> Sns::list_subscriptions(Value given) const {
  const std::string_view wanted = input::text(given, "TopicArn");
  if (!wanted.empty())
    if (const auto found = const_cast<Sns*>(this)->topic(wanted); !found)
      return std::unexpected(found.error());
  std::vector<std::pair<std::string_view, const Subscription*>> all;
  for (const auto& [arn, subscriptions] : topics_)
    if (wanted.empty() || wanted == arn)
      for (const Subscription& subscription : subscriptions) all.emplace_back(arn, &subscription);
  const auto begin = page_begin(given, all.size());
  if (!begin) return std::unexpected(begin.error());
  const std::size_t end = std::min(all.size(), *begin + kPage);
  json::Writer out;
  out.begin_object().key("Subscriptions").begin_array();
  for (std::size_t i = *begin; i < end; ++i)
    out.begin_object()
        .member("SubscriptionArn", shown_arn(*all[i].second))
        .member("Owner", account_)
        .member("Protocol", all[i].second->protocol)
        .member("Endpoint", all[i].second->endpoint)
        .member("TopicArn", all[i].first)
        .end_object();
  out.end_array();
  if (end < all.size()) out.member("NextToken", std::to_string(end));
  out.end_object();
  return out.take();
}

Answer<std::string> Sns::publish(Value given, sys_millis now) {
  if (input::has(given, "PhoneNumber"))
    return bad_parameter("PhoneNumber Reason: localaws sends no text messages");
  const std::string_view target = input::text(given, "TargetArn");
  if (!target.empty() && input::has(given, "TopicArn"))
    return bad_parameter("TopicArn Reason: Only one of TopicArn and TargetArn may be given");
  const std::string_view arn = input::text(given, "TopicArn", target);
  if (arn.empty())
    return bad_parameter("TopicArn or TargetArn Reason: no value for required parameter");
  const auto found = topic(arn);
  if (!found) return std::unexpected(found.error());
  auto message = message_from(given);
  if (!message) return std::unexpected(message.error());
  message->id = random_uuid();
  message->time = now;
  message->topic_arn = arn;
  json::Writer out;
  out.begin_object().member("MessageId", message->id).end_object();
  if (show_) show_(*message);
  publish(std::move(*message));
  return out.take();
}

bool Sns::publish(Message message) {
  const auto found = topics_.find(message.topic_arn);
  if (found == topics_.end()) return false;
  if (message.id.empty()) message.id = random_uuid();
  for (const Subscription& subscription : found->second)
    if (subscription.confirmed && subscription.protocol == "lambda")
      deliver_(subscription.endpoint, sns_event(message, subscription.arn, region_));
  messages_.push_back(std::move(message));
  return true;
}

std::string Sns::messages_json() const {
  json::Writer out;
  out.begin_array();
  for (const Message& message : messages_) {
    out.begin_object().member("time", rfc3339(message.time)).member("message_id", message.id);
    out.member("topic", message.topic_arn).key("subject");
    if (message.subject.empty())
      out.null();
    else
      out.string(message.subject);
    out.member("message", message.body).key("attributes").begin_object();
    for (const MessageAttribute& attribute : message.attributes)
      out.key(attribute.name)
          .begin_object()
          .member("type", attribute.type)
          .member("value", attribute.value)
          .end_object();
    out.end_object().end_object();
  }
  out.end_array();
  return out.take();
}

}  // namespace trainwarden::localaws
