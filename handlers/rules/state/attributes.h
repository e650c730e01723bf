// DynamoDB's form of an item, {"id": {"S": "…"}, "v": {"N": "3"}}, read strictly and written. What
// an item holds beyond what is asked for is an error and never left out in silence: whoever wrote
// it knew more than we do, and our next write would lose it. Source:
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_AttributeValue.html
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// Reads one map of attributes. The first thing that is wrong is kept, with its path, what was
// expected and what was found; what is read after it is of no use. The caller asks for the mistake
// once, at the end.
class AttributeReader {
 public:
  // where: the path of the map, for errors. first: where the first mistake is kept.
  AttributeReader(json::Value map, std::string where, std::optional<Error>& first);

  bool has(std::string_view name) const { return map_.find(name).has_value(); }
  std::string text(std::string_view name);
  std::int64_t number(std::string_view name);
  bool flag(std::string_view name);
  sys_seconds time(std::string_view name);
  std::vector<std::string> texts(std::string_view name);
  AttributeReader map(std::string_view name);

  // For a map whose names are data: all of them.
  std::vector<std::string> names() const;
  // What was not asked for is a mistake.
  void expect_no_others();
  // For what is well-formed and cannot be.
  void refuse(std::string_view name, std::string_view expected, std::string_view found);

 private:
  std::optional<json::Value> take(std::string_view name, std::string_view type);

  json::Value map_;
  std::string where_;
  std::optional<Error>* first_;
  std::vector<std::string> asked_;
};

// Writes one map of attributes; the caller opens and closes the object around it.
class AttributeWriter {
 public:
  explicit AttributeWriter(json::Sink& sink) : sink_(sink) {}

  AttributeWriter& text(std::string_view name, std::string_view value);
  AttributeWriter& number(std::string_view name, std::int64_t value);
  AttributeWriter& flag(std::string_view name, bool value);
  AttributeWriter& time(std::string_view name, sys_seconds value);
  AttributeWriter& texts(std::string_view name, const std::vector<std::string>& values);
  AttributeWriter& begin_map(std::string_view name);
  AttributeWriter& end_map();

 private:
  json::Sink& sink_;
};

}  // namespace trainwarden::rules
