// The one SNS call in use. Publish may arrive twice: SNS has no client token for standard topics.
// Source: https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "awsapi/client.h"

namespace trainwarden::aws {

struct Publication {
  std::string topic_arn;
  // Cut to what SNS takes: fewer than 100 ASCII characters on one line; other characters become
  // '?'.
  std::string subject;
  // Cut to what is left of 256 KiB beside the attributes.
  std::string message;
  // For subscribers' filter policies; strings, none empty.
  std::vector<std::pair<std::string, std::string>> attributes;
  // The same, with several values each: of the type String.Array where there are two or more.
  std::vector<std::pair<std::string, std::vector<std::string>>> lists = {};
};

// A subject that SNS takes: https://docs.aws.amazon.com/sns/latest/api/API_Publish.html (Subject)
std::string sns_subject(std::string_view text);

class Sns {
 public:
  explicit Sns(Client& client) : client_(client) {}

  // The message's id.
  Result<std::string> publish(const Publication& publication, const CallContext& context) const;

 private:
  Client& client_;
};

}  // namespace trainwarden::aws
