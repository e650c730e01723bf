// The one SSM call in use: reading a parameter.
// Source: https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameter.html
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "awsapi/client.h"

namespace trainwarden::aws {

struct Parameter {
  std::string value;  // decrypted where it is a SecureString
  std::int64_t version = 0;
};

class Ssm {
 public:
  explicit Ssm(Client& client) : client_(client) {}

  // kNotFound: there is no such parameter.
  Result<Parameter> get_parameter(std::string_view name, const CallContext& context) const;

 private:
  Client& client_;
};

}  // namespace trainwarden::aws
