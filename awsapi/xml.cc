#include "awsapi/xml.h"

#include <array>
#include <utility>

namespace trainwarden::aws {
namespace {

constexpr std::array<std::pair<std::string_view, char>, 5> kEntities{
    {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}}};

std::string resolve(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    bool resolved = false;
    for (const auto& [entity, character] : kEntities) {
      if (!text.starts_with(entity)) continue;
      out += character;
      text.remove_prefix(entity.size());
      resolved = true;
      break;
    }
    if (resolved) continue;
    out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

}  // namespace

std::optional<std::string> element_text(std::string_view xml, std::string_view name) {
  const std::string opening = "<" + std::string(name) + ">";
  const std::string closing = "</" + std::string(name) + ">";
  const std::size_t begin = xml.find(opening);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t text = begin + opening.size();
  const std::size_t end = xml.find(closing, text);
  if (end == std::string_view::npos) return std::nullopt;
  return resolve(xml.substr(text, end - text));
}

}  // namespace trainwarden::aws
