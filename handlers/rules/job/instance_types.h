// Checks the names of instance types that people write, and suggests the one that was probably
// meant. New types appear every year, so only a wrong form is an error; an unknown type is a
// warning.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainwarden::rules {

// `ml.<family>.<size>` in small letters, digits and hyphens, at most 64 bytes: the form of every
// value of InstanceType.
// https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ResourceConfig.html
bool is_instance_type(std::string_view text);

// What is_instance_type asks for, to follow "expected ".
inline constexpr std::string_view kInstanceTypeForm =
    "an instance type, ml.<family>.<size> in small letters such as ml.g5.xlarge";

// "; did you mean `ml.p5.48xlarge`?", or empty.
std::string did_you_mean_type(std::string_view text);

// "`ml.p5.48xlage` is not a known instance type; did you mean `ml.p5.48xlarge`?"; nullopt if there
// is nothing to warn of: the form is right, the size exists, and a type of a family with
// accelerators is in our list.
std::optional<std::string> doubt_of_instance_type(std::string_view text);

}  // namespace trainwarden::rules
