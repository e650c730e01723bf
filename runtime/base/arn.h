// Parts of an Amazon Resource Name: arn:partition:service:region:account:resource.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trainwarden {

enum class ArnField : std::uint8_t { kArn, kPartition, kService, kRegion, kAccount, kResource };

// The resource with its colons; empty where the ARN has no such field.
std::string_view arn_field(std::string_view arn, ArnField field);

// The host of AWS's console for the ARN's partition and region, such as
// eu-central-1.console.aws.amazon.com; empty for partitions whose host is not known to us.
// https://docs.aws.amazon.com/awsconsolehelpdocs/latest/gsg/working-with-console.html and its pages
// for China and GovCloud.
std::string console_host(std::string_view arn);

}  // namespace trainwarden
