// The people of the demo, who create jobs with the client that they have: boto3, else the aws
// command, else this program's own signed call.
#pragma once

#include <string>
#include <vector>

#include "awsapi/client.h"
#include "runtime/base/result.h"

namespace trainwarden::demo {

struct NewJob {
  std::string owner;
  std::string name;
  std::vector<std::pair<std::string, std::string>> tags;
};

enum class ClientKind { kBoto3, kAwsCli, kOwn };

// Which client is there, and how it is called in the story.
ClientKind find_client();
std::string_view name(ClientKind kind);

Result<void> create(ClientKind kind, const NewJob& job, const std::string& url, aws::Client& own);

}  // namespace trainwarden::demo
