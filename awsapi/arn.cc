#include "awsapi/arn.h"

#include <cstddef>

namespace trainwarden::aws {

std::string_view arn_field(std::string_view arn, ArnField field) {
  for (int i = 0; i < static_cast<int>(field); ++i) {
    const std::size_t colon = arn.find(':');
    if (colon == std::string_view::npos) return {};
    arn.remove_prefix(colon + 1);
  }
  return field == ArnField::kResource ? arn : arn.substr(0, arn.find(':'));
}

}  // namespace trainwarden::aws
