// A Query of the index `due`: what is asked for, and the page that answers it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/json/json.h"
#include "tests/localaws/dynamodb/due_index.h"
#include "tests/localaws/service/aws_error.h"

namespace trainwarden::localaws {

struct IndexQuery {
  std::string due;
  std::optional<DueEntry> after;  // ExclusiveStartKey
  std::int64_t limit = 0;         // 0: none
  bool forward = true;
  bool count_only = false;
};

Answer<IndexQuery> read_index_query(json::Value input);

// entries: all with that `due`, sorted.
std::string answer_query(const IndexQuery& query, std::vector<DueEntry> entries);

}  // namespace trainwarden::localaws
