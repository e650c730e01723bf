// Names of instance types that people write: whether SageMaker can know one, and what was probably
// meant by one that nobody knows. New types come every year, so only the form is a matter of right
// and wrong; the rest is a doubt.
#pragma once

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

// "`ml.p5.48xlage` is not a known instance type; did you mean `ml.p5.48xlarge`?"; empty where
// nothing is odd: the form is kept, the size is one that machines come in, and of families with
// accelerators, which are listed, the type is known.
std::string doubt_of_instance_type(std::string_view text);

}  // namespace trainwarden::rules
