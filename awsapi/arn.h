// Parts of an Amazon Resource Name: arn:partition:service:region:account:resource.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html
#pragma once

#include <cstdint>
#include <string_view>

namespace trainwarden::aws {

enum class ArnField : std::uint8_t { kArn, kPartition, kService, kRegion, kAccount, kResource };

// The resource with its colons; empty where the ARN has no such field.
std::string_view arn_field(std::string_view arn, ArnField field);

}  // namespace trainwarden::aws
