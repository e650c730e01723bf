#include "handlers/rules/state/stored.h"

#include <fmt/format.h>

namespace trainwarden::rules {

StoredHeader read_header(AttributeReader& reader, std::string_view id) {
  // Of another form nothing else can be relied on: it is told first.
  if (const std::int64_t form = reader.number("form"); form != kItemForm)
    reader.refuse("form", fmt::format("{}", kItemForm), fmt::format("{}", form));
  if (const std::string found = reader.text("id"); found != id)
    reader.refuse("id", fmt::format("`{}`", id), fmt::format("`{}`", found));
  StoredHeader out;
  out.v = reader.number("v");
  if (out.v < 1) reader.refuse("v", "1 or more", fmt::format("{}", out.v));
  out.by = reader.text("by");
  out.expires = reader.time("expires");
  return out;
}

void write_header(AttributeWriter& writer, std::string_view id, const Stamp& stamp) {
  writer.text("id", id).number("form", kItemForm).number("v", stamp.v).text("by", stamp.by);
  writer.time("expires", stamp.now + kItemsKept);
}

ClaimAnswer answer_to(const Claim& claim, std::string_view by, sys_seconds now) {
  if (claim.done) return ClaimAnswer::kDone;
  if (claim.by == by || now - claim.at >= kClaimHolds) return ClaimAnswer::kMine;
  return ClaimAnswer::kOthers;
}

Claim read_claim(AttributeReader& reader) {
  Claim out;
  out.at = reader.time("at");
  out.by = reader.text("by");
  out.done = reader.flag("done");
  return out;
}

void write_claim(AttributeWriter& writer, const Claim& claim) {
  writer.time("at", claim.at).text("by", claim.by).flag("done", claim.done);
}

}  // namespace trainwarden::rules
