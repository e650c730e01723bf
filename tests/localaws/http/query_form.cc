#include "tests/localaws/http/query_form.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

namespace trainwarden::localaws {
namespace {

using json::Sink;
using Kind = Shape::Kind;

std::optional<char> unescape(std::string_view two) {
  unsigned byte = 0;
  if (two.size() != 2) return std::nullopt;
  const auto [end, error] = std::from_chars(two.data(), two.data() + 2, byte, 16);
  if (error != std::errc() || end != two.data() + 2) return std::nullopt;
  return static_cast<char>(byte);
}

std::string decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] == '%') {
      const auto byte = unescape(text.substr(i + 1, 2));
      out += byte.value_or('%');
      if (byte) i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

constexpr std::ptrdiff_t kMaxLevels = 32;

// The form as a tree: "a.b" is the child "b" of "a". No input has names of so many levels that a
// tree of them could do harm.
struct Tree {
  std::string value;
  std::map<std::string, Tree, std::less<>> children;
};

Tree tree_of(const Form& form) {
  Tree root;
  for (const auto& [name, value] : form) {
    if (std::count(name.begin(), name.end(), '.') > kMaxLevels) continue;
    Tree* at = &root;
    std::string_view rest = name;
    while (true) {
      const std::size_t dot = rest.find('.');
      at = &at->children[std::string(rest.substr(0, dot))];
      if (dot == std::string_view::npos) break;
      rest.remove_prefix(dot + 1);
    }
    at->value = value;
  }
  return root;
}

// The children "1", "2" … in the order of their numbers.
std::vector<const Tree*> numbered(const Tree& tree) {
  std::vector<std::pair<long, const Tree*>> found;
  for (const auto& [name, child] : tree.children) {
    long number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc() && end == name.data() + name.size())
      found.emplace_back(number, &child);
  }
  std::sort(found.begin(), found.end());
  std::vector<const Tree*> out;
  out.reserve(found.size());
  for (const auto& [number, child] : found) out.push_back(child);
  return out;
}

const Tree* child(const Tree& tree, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (const auto found = tree.children.find(name); found != tree.children.end())
      return &found->second;
  return nullptr;
}

void write_form(Sink& out, const Tree& tree, const Shape& shape);

template <class Number>
std::optional<Number> parse(const std::string& text) {
  Number number{};
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || end != last) return std::nullopt;
  return number;
}

void write_scalar(Sink& out, const std::string& value, Kind kind) {
  if (kind == Kind::kInteger) {
    if (const auto number = parse<std::int64_t>(value)) {
      out.integer(*number);
      return;
    }
  } else if (kind == Kind::kNumber) {
    if (const auto number = parse<double>(value); number && std::isfinite(*number)) {
      out.number(*number);
      return;
    }
  } else if (kind == Kind::kBoolean && (value == "true" || value == "false")) {
    out.boolean(value == "true");
    return;
  }
  out.string(value);
}

void write_list(Sink& out, const Tree& tree, const Shape& element) {
  out.begin_array();
  const Tree* members = child(tree, {"member"});
  for (const Tree* item : numbered(members == nullptr ? tree : *members))
    write_form(out, *item, element);
  out.end_array();
}

// Names of keys and values differ between services: "key", "value"; SNS's attributes of a message
// have "Name", "Value".
void write_map(Sink& out, const Tree& tree, const Shape& value) {
  out.begin_object();
  const Tree* entries = child(tree, {"entry"});
  std::vector<std::string_view> seen;
  for (const Tree* item : numbered(entries == nullptr ? tree : *entries)) {
    const Tree* key = child(*item, {"key", "Name"});
    const Tree* content = child(*item, {"value", "Value"});
    if (key == nullptr || content == nullptr) continue;
    if (std::find(seen.begin(), seen.end(), key->value) != seen.end()) continue;
    seen.push_back(key->value);
    out.key(key->value);
    write_form(out, *content, value);
  }
  out.end_object();
}

void write_object(Sink& out, const Tree& tree, const Shape& shape) {
  out.begin_object();
  for (const Field& field : shape.fields)
    if (const Tree* found = child(tree, {field.name})) {
      out.key(field.name);
      write_form(out, *found, field.shape);
    }
  out.end_object();
}

void write_form(Sink& out, const Tree& tree, const Shape& shape) {
  switch (shape.kind) {
    case Kind::kList:
      write_list(out, tree, shape.inner[0]);
      break;
    case Kind::kMap:
      write_map(out, tree, shape.inner[1]);
      break;
    case Kind::kObject:
      write_object(out, tree, shape);
      break;
    case Kind::kString:
    case Kind::kInteger:
    case Kind::kNumber:
    case Kind::kBoolean:
    case Kind::kTime:
      write_scalar(out, tree.value, shape.kind);
      break;
  }
}

}  // namespace

Form parse_form(std::string_view body) {
  Form out;
  while (!body.empty()) {
    const std::size_t end = std::min(body.find('&'), body.size());
    const std::string_view pair = body.substr(0, end);
    body.remove_prefix(std::min(end + 1, body.size()));
    const std::size_t equals = pair.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    if (!pair.empty()) out.emplace_back(decode(pair.substr(0, equals)), decode(value));
  }
  return out;
}

std::string_view form_value(const Form& form, std::string_view name) {
  for (const auto& [key, value] : form)
    if (key == name) return value;
  return {};
}

json::Document form_input(const Form& form, const Shape& shape) {
  const Tree tree = tree_of(form);
  return json::Document::build([&](Sink& out) { write_form(out, tree, shape); });
}

}  // namespace trainwarden::localaws
