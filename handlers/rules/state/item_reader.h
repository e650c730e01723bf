// Strictly reads an item of the table, which awsapi gives as plain JSON. An unknown member is an
// error and never silently dropped: a newer version wrote it, and our next write would lose it.
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

// One object of an item. The first error is kept, with its path, what was expected and what was
// found; values read after it are meaningless. The caller checks for the error once, at the end.
class ItemReader {
 public:
  // where: the path of the object, for errors. first: where the first mistake is kept.
  ItemReader(json::Value object, std::string where, std::optional<Error>& first);

  bool has(std::string_view name) const { return object_.find(name).has_value(); }
  bool has(std::string_view name, json::Type type) const;
  std::string text(std::string_view name);
  // A whole number, 0 or more.
  std::int64_t number(std::string_view name);
  bool flag(std::string_view name);
  sys_seconds time(std::string_view name);
  std::vector<std::string> texts(std::string_view name);
  ItemReader object(std::string_view name);

  // For an object whose names are data: all of them.
  std::vector<std::string> names() const;
  // Any member that was not read is an error.
  void expect_no_others();
  // For values that are well-formed but impossible.
  void refuse(std::string_view name, std::string_view expected, std::string_view found);

 private:
  // The member, if it is of that type; none is of the wrong type too.
  std::optional<json::Value> take(std::string_view name, json::Type type);

  json::Value object_;
  std::string where_;
  std::optional<Error>* first_;
  std::vector<std::string> asked_;
};

// Times are epoch seconds.
inline std::int64_t epoch_seconds(sys_seconds time) { return time.time_since_epoch().count(); }

}  // namespace trainwarden::rules
