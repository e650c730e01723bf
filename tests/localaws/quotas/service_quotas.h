// AWS's Service Quotas as far as the machines of SageMaker's training jobs go: a small list of
// made-up values, which the control endpoint changes. Nothing here is held against them: a test
// says by a fault where CreateTrainingJob refuses.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tests/localaws/service/service.h"

namespace trainwarden::localaws {

class Quotas final : public Service {
 public:
  Quotas(std::string_view region, std::string_view account);

  Answer<std::string> call(std::string_view operation, json::Value input, sys_millis now) override;

  // nullopt: the quota is not listed any more.
  void set(std::string_view name, std::optional<double> value);
  // {name: value, …}, null for one that is not listed; how many there were.
  Result<std::size_t> set_all(std::string_view body);
  void clear();

 private:
  std::string region_;
  std::string account_;
  std::map<std::string, double, std::less<>> values_;  // by the quota's name
};

}  // namespace trainwarden::localaws
