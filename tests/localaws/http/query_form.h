// The request side of the Query protocol: a form whose names are paths
// ("MetricData.member.1.Value", "MessageAttributes.entry.1.Name") becomes the JSON input that the
// operation's shape describes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/json/json.h"
#include "tests/localaws/service/shape.h"

namespace trainwarden::localaws {

using Form = std::vector<std::pair<std::string, std::string>>;  // decoded, in order

// application/x-www-form-urlencoded. Broken escapes are taken literally.
Form parse_form(std::string_view body);
// The first value of that name; empty: none.
std::string_view form_value(const Form& form, std::string_view name);

// What has not the type that its shape wants stays a string, for validate() to find; what the shape
// does not know is dropped, as services do.
json::Document form_input(const Form& form, const Shape& shape);

}  // namespace trainwarden::localaws
