#include "handlers/rules/state/cursor_item.h"

#include "handlers/rules/state/item_id.h"

namespace trainwarden::rules {
namespace {

constexpr std::string_view kRunning = "running";
constexpr std::string_view kEnded = "ended";

}  // namespace

Result<Stored<CursorItem>> parse_cursor_item(std::optional<json::Value> attributes) {
  return parse_stored<CursorItem>(kCursorId, attributes, [](ItemReader& in, CursorItem& item) {
    if (in.has(kRunning)) item.running = in.time(kRunning);
    if (in.has(kEnded)) item.ended = in.time(kEnded);
  });
}

json::Document cursor_attributes(const CursorItem& item, sys_seconds now) {
  return stored_attributes(now, [&](json::Sink& out) {
    if (item.running) out.member(kRunning, epoch_seconds(*item.running));
    if (item.ended) out.member(kEnded, epoch_seconds(*item.ended));
  });
}

}  // namespace trainwarden::rules
