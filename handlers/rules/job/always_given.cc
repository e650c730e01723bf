#include "handlers/rules/job/always_given.h"

#include <algorithm>

#include "handlers/rules/job/aws_tables.h"

namespace trainwarden::rules {

const AlwaysGiven* always_given(std::string_view path) {
  const auto rows = always_given_rows();
  const auto found = std::ranges::find(rows, path, &AlwaysGiven::path);
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace trainwarden::rules
