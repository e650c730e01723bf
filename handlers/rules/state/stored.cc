#include "handlers/rules/state/stored.h"

#include <fmt/format.h>

namespace trainwarden::rules {

StoredHeader read_header(ItemReader& in, std::string_view id) {
  // Of another form nothing else can be relied on: it is told first.
  if (const std::int64_t form = in.number("form"); form != kItemForm)
    in.refuse("form", fmt::format("{}", kItemForm), fmt::format("{}", form));
  if (const std::string found = in.text("id"); found != id)
    in.refuse("id", fmt::format("`{}`", id), fmt::format("`{}`", found));
  StoredHeader out;
  out.v = in.number("v");
  if (out.v < 1) in.refuse("v", "1 or more", fmt::format("{}", out.v));
  in.text("request");
  out.expires = in.time("expires");
  return out;
}

void write_header(json::Sink& out, sys_seconds now) {
  out.member("form", kItemForm).member("expires", epoch_seconds(now + kItemsKept));
}

ClaimAnswer answer_to(const Claim& claim, std::string_view by, sys_seconds now) {
  if (claim.done) return ClaimAnswer::kDone;
  if (claim.by == by || now - claim.at >= kClaimHolds) return ClaimAnswer::kMine;
  return ClaimAnswer::kOthers;
}

Claim read_claim(ItemReader& in) {
  Claim out;
  out.at = in.time("at");
  out.by = in.text("by");
  out.done = in.flag("done");
  return out;
}

void write_claim(json::Sink& out, const Claim& claim) {
  out.member("at", epoch_seconds(claim.at)).member("by", claim.by).member("done", claim.done);
}

}  // namespace trainwarden::rules
