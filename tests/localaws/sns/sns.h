// Amazon SNS: topics, subscriptions and published messages. A message goes to the confirmed Lambda
// subscriptions of its topic, each in the envelope that Lambda gets; other protocols take
// subscriptions but deliver nothing. The messages are kept for GET /_localaws/messages.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/localaws/service/service.h"

namespace trainwarden::localaws {

struct MessageAttribute {
  std::string name;
  std::string type;
  std::string value;
};

struct Message {
  std::string id;
  sys_millis time;
  std::string topic_arn;
  std::string subject;  // empty: none
  std::string body;
  std::vector<MessageAttribute> attributes;
};

struct Subscription {
  std::string arn;
  std::string protocol;
  std::string endpoint;
  bool confirmed;
};

// InvalidParameter, in SNS's words.
std::unexpected<AwsError> bad_parameter(std::string_view what);

class Sns final : public Service {
 public:
  // An event for a function, named by its ARN.
  using Deliver = std::function<void(std::string_view function_arn, std::string event)>;

  Sns(std::string region, std::string account, Deliver deliver);

  Answer<std::string> call(std::string_view operation, json::Value input, sys_millis now) override;

  // A topic from the start; function_arn (empty: none) is subscribed.
  void add_topic(const std::string& topic_arn, const std::string& function_arn);
  // As AWS's own services publish: false where there is no such topic.
  bool publish(Message message);
  // [{"time", "message_id", "topic", "subject", "message", "attributes"}], oldest first.
  std::string messages_json() const;
  const std::vector<Message>& messages() const { return messages_; }  // oldest first
  // Topics and subscriptions stay.
  void forget_messages() { messages_.clear(); }

  // Called with each message that a client publishes; those of AWS's own services are not shown.
  using Show = std::function<void(const Message&)>;
  void show_messages(Show show) { show_ = std::move(show); }

 private:
  using Topics = std::map<std::string, std::vector<Subscription>, std::less<>>;

  Answer<std::string> create_topic(json::Value input);
  Answer<std::string> subscribe(json::Value input);
  Answer<std::string> unsubscribe(json::Value input);
  Answer<std::string> list_topics(json::Value input) const;
  Answer<std::string> list_subscriptions(json::Value input) const;
  Answer<std::string> publish(json::Value input, sys_millis now);
  Answer<Topics::iterator> topic(std::string_view arn);

  std::string region_;
  std::string account_;
  Deliver deliver_;
  Show show_;
  Topics topics_;
  std::vector<Message> messages_;
};

// The event that Lambda gives to a subscribed function.
std::string sns_event(const Message& message, std::string_view subscription_arn,
                      std::string_view region);

// Publish's parameters beyond the shape, with SNS's texts: subject, size, attributes.
Answer<Message> message_from(json::Value input);

}  // namespace trainwarden::localaws
