// AWS's Price List as far as the machines of SageMaker go: a small one, of which the prices are
// made up. It is answered in a few regions, whatever the region of everything else here.
#pragma once

#include <string>
#include <string_view>

#include "tests/localaws/service/service.h"

namespace trainwarden::localaws {

class Pricing final : public Service {
 public:
  Pricing();

  Answer<std::string> call(std::string_view operation, json::Value input, sys_millis now) override;

  // The region that a request with this Authorization is to be signed for: the one it names, if the
  // price list is answered there.
  static std::string_view answering_region(std::string_view authorization);

 private:
  static Answer<std::string> get_products(json::Value input);
  static Answer<std::string> get_attribute_values(json::Value input);
};

}  // namespace trainwarden::localaws
