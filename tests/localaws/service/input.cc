#include "tests/localaws/service/input.h"

namespace trainwarden::localaws::input {

std::string_view text(json::Value object, std::string_view name, std::string_view otherwise) {
  const auto found = object.find_present(name);
  return found && found->is_string() ? found->as_string() : otherwise;
}

std::int64_t integer(json::Value object, std::string_view name, std::int64_t otherwise) {
  const auto found = object.find_present(name);
  return found ? found->as_integer().value_or(otherwise) : otherwise;
}

bool flag(json::Value object, std::string_view name, bool otherwise) {
  const auto found = object.find_present(name);
  return found && found->is_boolean() ? found->as_boolean() : otherwise;
}

bool has(json::Value object, std::string_view name) {
  return object.find_present(name).has_value();
}

}  // namespace trainwarden::localaws::input
