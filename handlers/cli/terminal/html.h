// HTML escaping for texts that others wrote: tags, names and reasons.
#pragma once

#include <string>
#include <string_view>

namespace trainwarden::cli {

// Escapes text for use as content and as a quoted attribute value, in HTML and in SVG. Characters
// that reverse the text direction or cannot be displayed are written as \u202E and the like.
std::string escaped(std::string_view text);

// The address at which the AWS console shows the job's log, from its ARN. Empty if the job's name
// is none that SageMaker gives out, or if the partition is unknown.
std::string log_link(std::string_view arn, std::string_view job);

}  // namespace trainwarden::cli
