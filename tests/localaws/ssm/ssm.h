// AWS Systems Manager's parameters: put, with versions and tiers, and get.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/localaws/service/service.h"

namespace trainwarden::localaws {

class Ssm final : public Service {
 public:
  Ssm(std::string region, std::string account);

  Answer<std::string> call(std::string_view operation, json::Value input, sys_millis now) override;
  void clear() { parameters_.clear(); }

 private:
  struct Version {
    std::string type;
    std::string value;
    std::string data_type;
    sys_millis modified;
  };
  struct Parameter {
    bool advanced;
    std::vector<Version> versions;  // the first is version 1
  };

  Answer<std::string> put(json::Value input, sys_millis now);
  Answer<std::string> get(json::Value input) const;

  std::string arn_prefix_;  // "arn:aws:ssm:<region>:<account>:parameter"
  std::map<std::string, Parameter, std::less<>> parameters_;
};

}  // namespace trainwarden::localaws
