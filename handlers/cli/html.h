// HTML of texts that others wrote: tags, names and reasons.
#pragma once

#include <string>
#include <string_view>

namespace trainwarden::cli {

// As text and as an attribute's value in quotes, in HTML and in SVG alike: what begins markup is
// escaped, and what would turn the letters' direction or cannot be shown stands as \u202E.
std::string escaped(std::string_view text);

// Where the console shows the log of a job, by its ARN; empty where the name is none that SageMaker
// gives out, or the partition is not known.
std::string log_link(std::string_view arn, std::string_view job);

}  // namespace trainwarden::cli
