// Text as it stands in XML.
#pragma once

#include <string>
#include <string_view>

namespace trainwarden::localaws {

// With entities; what XML 1.0 has no way to write is `?`.
std::string xml_text(std::string_view text);

}  // namespace trainwarden::localaws
