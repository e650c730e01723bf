#include "runtime/base/arn.h"

#include <fmt/format.h>

#include <cstddef>

namespace trainwarden {

std::string_view arn_field(std::string_view arn, ArnField field) {
  for (int i = 0; i < static_cast<int>(field); ++i) {
    const std::size_t colon = arn.find(':');
    if (colon == std::string_view::npos) return {};
    arn.remove_prefix(colon + 1);
  }
  return field == ArnField::kResource ? arn : arn.substr(0, arn.find(':'));
}

std::string console_host(std::string_view arn) {
  const std::string_view partition = arn_field(arn, ArnField::kPartition);
  const std::string_view region = arn_field(arn, ArnField::kRegion);
  if (partition == "aws") return fmt::format("{}.console.aws.amazon.com", region);
  if (partition == "aws-cn") return fmt::format("{}.console.amazonaws.cn", region);
  if (partition == "aws-us-gov") return fmt::format("{}.console.amazonaws-us-gov.com", region);
  return {};
}

}  // namespace trainwarden
