// The positions in a sweep's lists when its time was up, so that the next sweep continues there
// (policy.md S1).
#pragma once

#include <optional>
#include <string_view>

#include "handlers/rules/state/stored.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// By CreationTime of the last job that was listed; nullopt where the list came to its end.
struct CursorItem {
  std::optional<sys_seconds> running = {};
  std::optional<sys_seconds> ended = {};

  bool operator==(const CursorItem&) const = default;
};

// attributes: as awsapi gives them; an item that is not there is an empty one. kUnavailable: what
// is there is none of our items, and what was found.
Result<Stored<CursorItem>> parse_cursor_item(std::optional<json::Value> attributes);
// The item as it is put back.
json::Document cursor_attributes(const CursorItem& item, sys_seconds now);

}  // namespace trainwarden::rules
