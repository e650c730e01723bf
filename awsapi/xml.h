// The little XML that the Query protocol answers with: the text of an element that holds only text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainwarden::aws {

// The text of the first <name>…</name>, with entities resolved; nullopt where there is none, or
// where it does not end. Not a general parser: no attributes, comments or CDATA, which these
// answers lack.
std::optional<std::string> element_text(std::string_view xml, std::string_view name);

}  // namespace trainwarden::aws
