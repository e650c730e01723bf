// Writes the parts of a JSON schema.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "runtime/json/json.h"

namespace trainwarden::cli {

class SchemaSink {
 public:
  explicit SchemaSink(json::Sink& out) : out(out) {}

  template <class Fill>
  void object(Fill&& fill) {
    out.begin_object();
    std::forward<Fill>(fill)();
    out.end_object();
  }
  template <class Fill>
  void object(std::string_view name, Fill&& fill) {
    out.key(name);
    object(std::forward<Fill>(fill));
  }
  template <class Fill>
  void array(std::string_view name, Fill&& fill) {
    out.key(name).begin_array();
    std::forward<Fill>(fill)();
    out.end_array();
  }

  // {"type": type}, {"$ref": "#/$defs/name"}
  void type(std::string_view type) {
    object([&] { out.member("type", type); });
  }
  void reference(std::string_view name) {
    object([&] { refer(name); });
  }
  void refer(std::string_view name) { out.member("$ref", "#/$defs/" + std::string(name)); }

  // A list with at least one element, whose schema `item` writes.
  template <class Item>
  void list(Item&& item) {
    out.member("type", "array").member("minItems", 1).key("items");
    std::forward<Item>(item)();
  }
  // An object with only that member, whose schema `value` writes.
  template <class Value>
  void only(std::string_view name, Value&& value) {
    out.member("type", "object");
    array("required", [&] { out.string(name); });
    out.member("additionalProperties", false);
    object("properties", [&] {
      out.key(name);
      std::forward<Value>(value)();
    });
  }

  // Adds the description of that part, if it has one.
  void describe(std::string_view kind, std::string_view name);

  json::Sink& out;
};

}  // namespace trainwarden::cli
