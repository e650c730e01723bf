#include "handlers/cli/terminal/indented.h"

#include <cstddef>
#include <string_view>

namespace trainwarden::cli {
namespace {

constexpr std::size_t kJsonColumns = 100;
constexpr std::size_t kIndent = 2;

// Joins the members or elements of a container, each written by `each`.
template <class Each>
std::string joined(json::Value value, std::string_view separator, Each each) {
  std::string out;
  const auto add = [&](const std::string& one) {
    if (!out.empty()) out += separator;
    out += one;
  };
  for (json::Member member : value.members()) {
    const json::Document name =
        json::Document::build([&](json::Sink& sink) { sink.string(member.name); });
    add(each(json::to_text(name.root()) + ": ", member.value));
  }
  for (json::Value element : value.elements()) add(each(std::string(), element));
  return out;
}

std::string bracketed(json::Value value, std::string_view content) {
  std::string out(value.is_object() ? "{" : "[");
  out += content;
  out += value.is_object() ? '}' : ']';
  return out;
}

std::string in_one_line(json::Value value) {
  if (value.size() == 0) return json::to_text(value);
  return bracketed(value, joined(value, ", ", [](const std::string& key, json::Value one) {
                     return key + in_one_line(one);
                   }));
}

// before: how many characters precede the value on its line; a comma may follow.
std::string in_lines(json::Value value, std::size_t indent, std::size_t before) {
  std::string line = in_one_line(value);
  if (value.size() == 0 || before + line.size() < kJsonColumns) return line;
  const std::size_t inner = indent + kIndent;
  const std::string start = '\n' + std::string(inner, ' ');
  const std::string content =
      joined(value, ',' + start, [inner](const std::string& key, json::Value one) {
        return key + in_lines(one, inner, inner + key.size());
      });
  return bracketed(value, start + content + '\n' + std::string(indent, ' '));
}

}  // namespace

std::string indented(json::Value value) { return in_lines(value, 0, 0) + '\n'; }

}  // namespace trainwarden::cli
