#include "handlers/rules/policy/price_table.h"

#include <fmt/core.h>

#include <array>
#include <optional>

namespace trainwarden::rules {
namespace {

constexpr std::array<MemberForm, 2> kPriceMembers = {{
    {.name = "usd", .kind = MemberForm::Kind::kAmount, .required = true, .most = kMostUsdPerHour},
    {.name = kSpotFactor, .kind = MemberForm::Kind::kShare},
}};
constexpr auto kPriceNames = names_of(kPriceMembers);

std::optional<double> read_usd(json::Value value, Reader& reader) {
  constexpr auto kMost = static_cast<double>(kMostUsdPerHour);
  if (value.is_number() && value.as_number() >= 0 && value.as_number() <= kMost)
    return value.as_number();
  return reader.unexpected(fmt::format("USD an hour (a number from 0 to {})", kMostUsdPerHour),
                           value);
}

// The member spot_factor of that object, if it has one.
std::optional<double> read_spot_factor(json::Value object, Reader& reader) {
  const auto value = object.find(kSpotFactor);
  if (!value) return std::nullopt;
  const JsonPath::Step step(reader.where, kSpotFactor);
  if (value->is_number() && value->as_number() > 0 && value->as_number() <= 1)
    return value->as_number();
  return reader.unexpected(
      "the share of the price that managed spot training pays (a number above 0, at most 1)",
      *value);
}

std::optional<Price> read_price(json::Value value, Reader& reader) {
  if (!value.is_object()) {
    const auto usd = read_usd(value, reader);
    return usd ? std::optional(Price(*usd)) : std::nullopt;
  }
  reader.check_members(value, kPriceNames);
  const auto given = reader.require(value, required(kPriceMembers, "usd"));
  if (!given) return std::nullopt;
  const JsonPath::Step step(reader.where, "usd");
  const auto usd = read_usd(*given, reader);
  if (!usd) return std::nullopt;
  return Price(*usd);
}

}  // namespace

Prices read_prices(json::Value object, Reader& reader) {
  Prices out;
  const JsonPath::Step step(reader.where, "prices");
  if (!reader.check_object(object, "prices by instance type")) return out;
  const auto for_all = read_spot_factor(object, reader);
  for (const json::Member member : object.members()) {
    if (member.name == kSpotFactor) continue;
    const JsonPath::Step step_in(reader.where, member.name);
    if (!reader.instance_type(member.name)) continue;
    auto price = read_price(member.value, reader);
    if (!price) continue;
    if (member.value.is_object()) price->spot_factor = read_spot_factor(member.value, reader);
    if (!price->spot_factor) price->spot_factor = for_all;
    out.emplace(member.name, *price);
  }
  return out;
}

std::span<const MemberForm> price_members() { return kPriceMembers; }

}  // namespace trainwarden::rules
