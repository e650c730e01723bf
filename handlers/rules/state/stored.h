// What every item of the table has besides its own content: `id`, `v`, which every write counts up,
// and `request`, which tells whose write it is, are awsapi's; `form` and `expires` are ours. An
// item is put back on condition `attribute_not_exists(id) OR v = :v` with the v that was read. An
// item of another `form` is unavailable. It never counts as empty, since a brake that is mistaken
// for empty lets everything through.
//
// Items change in one way only: read the item, let a pure function make the next one, put it back
// if it differs. The loser of a race reads again and reruns the function, at most kMostTries times.
// Every function here must therefore be idempotent: on an item that already has its own change it
// decides the same again.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "handlers/rules/state/item_reader.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

inline constexpr int kMostTries = 60;
inline constexpr std::int64_t kItemForm = 1;
// A job may wait 28 days and run 28 days; the rest is for what follows its end.
inline constexpr std::chrono::days kItemsKept{120};

template <class Item>
struct Stored {
  Item item = {};
  std::int64_t v = 0;        // 0: there is no such item yet
  sys_seconds expires = {};  // housekeeping only
};

// What a pure function made of an item. The item is put back where it differs from what was read.
template <class Item, class Decision>
struct Step {
  Item next;
  Decision decision;
};

// Reads id, v, request, form and expires. id: what was asked for.
struct StoredHeader {
  std::int64_t v = 0;
  sys_seconds expires;
};
StoredHeader read_header(ItemReader& in, std::string_view id);
// Writes form and expires. now: by the service's clock.
void write_header(json::Sink& out, sys_seconds now);

// The item `id` from its attributes; none: a new one, with v 0. read(ItemReader&, Item&) reads what
// is the item's own. A member that nobody read is a mistake.
template <class Item, class Read>
Result<Stored<Item>> parse_stored(std::string_view id, const std::optional<json::Value>& attributes,
                                  const Read& read) {
  Stored<Item> out;
  if (!attributes) return out;
  std::optional<Error> mistake;
  ItemReader in(*attributes, fmt::format("item `{}`", id), mistake);
  const StoredHeader header = read_header(in, id);
  out.v = header.v;
  out.expires = header.expires;
  read(in, out.item);
  in.expect_no_others();
  if (mistake) return fail(*std::move(mistake));
  return out;
}
// As parse_stored, where a missing item differs from an empty one.
template <class Item, class Read>
Result<std::optional<Stored<Item>>> parse_if_stored(std::string_view id,
                                                    const std::optional<json::Value>& attributes,
                                                    const Read& read) {
  if (!attributes) return std::nullopt;
  TRY(auto stored, parse_stored<Item>(id, attributes, read));
  return std::optional(std::move(stored));
}

// The attributes of an item; write(json::Sink&) writes what is the item's own.
template <class Write>
json::Document stored_attributes(sys_seconds now, const Write& write) {
  return json::Document::build([&](json::Sink& out) {
    out.begin_object();
    write_header(out, now);
    write(out);
    out.end_object();
  });
}

// Ownership of a notice: the claimant sends it, then marks it done.
struct Claim {
  sys_seconds at = {};
  std::string by = {};
  bool done = false;

  bool operator==(const Claim&) const = default;
};

// A claim up to this age is respected; an older one that is not done is taken over.
inline constexpr std::chrono::minutes kClaimHolds{2};

// Whether a claim is the caller's, done, or another's.
enum class ClaimAnswer : std::uint8_t { kMine, kDone, kOthers };
ClaimAnswer answer_to(const Claim& claim, std::string_view by, sys_seconds now);

Claim read_claim(ItemReader& in);
// Its members; the object around them is the caller's.
void write_claim(json::Sink& out, const Claim& claim);

}  // namespace trainwarden::rules
