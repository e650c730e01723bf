#include "handlers/cli/prices/listed_prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "handlers/cli/terminal/text.h"
#include "handlers/rules/job/instance_types.h"
#include "handlers/rules/policy/price_table.h"
#include "runtime/base/day.h"

namespace trainwarden::cli {
namespace {

std::string_view listed_text(json::Value object, std::string_view name) {
  const auto value = object.find_present(name);
  return value && value->is_string() ? value->as_string() : std::string_view();
}

// The machine type, as InstanceType has it; empty if the product names none. The list has it in
// several attributes, some with the machine's purpose added: "ml.m5.large-Training",
// "USE1-Train:ml.m5.large".
std::string_view listed_type(json::Value attributes) {
  for (const std::string_view name :
       {"instanceName", "platoinstancename", "instanceType", "usagetype"}) {
    std::string_view text = listed_text(attributes, name);
    text.remove_prefix(text.rfind(':') + 1);
    text = text.substr(0, text.find("-Training"));
    if (rules::is_instance_type(text)) return text;
  }
  return {};
}

bool is_by_the_hour(std::string_view unit) {
  constexpr std::array<std::string_view, 5> kHour = {"Hrs", "Hours", "Hour", "hours", "hour"};
  return std::ranges::find(kHour, unit) != kHour.end();
}

// Parses "21.9572000000"; nullopt if a policy would not accept it as a price.
std::optional<double> listed_amount(std::string_view text) {
  double out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  constexpr auto kMost = static_cast<double>(rules::kMostUsdPerHour);
  return out >= 0 && out <= kMost ? std::optional(out) : std::nullopt;
}

// The day of "2026-11-20T22:12:06Z"; empty if it is no time.
std::string day_of(std::string_view time) {
  const auto parsed = parse_rfc3339(time);
  return parsed ? rfc3339_day(*parsed) : std::string();
}

}  // namespace

void ListedPrices::add(json::Value product) {
  const auto described = product.find_present("product");
  const auto attributes = described ? described->find_present("attributes") : std::nullopt;
  if (!attributes) return;
  const std::string_view location_type = listed_text(*attributes, "locationType");
  if (!location_type.empty() && location_type != "AWS Region") return;
  const std::string_view type = listed_type(*attributes);
  if (type.empty()) return;
  published_ = std::max(published_, day_of(listed_text(product, "publicationDate")));
  Amounts& amounts = types_[std::string(type)];
  const auto terms = product.find_present("terms");
  const auto on_demand = terms ? terms->find_present("OnDemand") : std::nullopt;
  if (on_demand) add_terms(*on_demand, listed_text(*attributes, "usagetype"), amounts);
}

void ListedPrices::add_terms(json::Value terms, std::string_view usage_type, Amounts& amounts) {
  for (const json::Member term : terms.members()) {
    const auto dimensions = term.value.find_present("priceDimensions");
    if (!dimensions) continue;
    for (const json::Member dimension : dimensions->members()) {
      if (!is_by_the_hour(listed_text(dimension.value, "unit"))) continue;
      const auto prices = dimension.value.find_present("pricePerUnit");
      if (!prices) continue;
      for (const json::Member price : prices->members()) {
        const auto amount =
            price.value.is_string() ? listed_amount(price.value.as_string()) : std::nullopt;
        // A price of zero is not that of a machine paid by the hour.
        if (!amount || *amount == 0) continue;
        currency_ = price.name;
        amounts[*amount].emplace(usage_type);
      }
    }
  }
}

bool ListedPrices::has(std::string_view type) const {
  const auto at = types_.find(type);
  return at != types_.end() && at->second.size() == 1;
}

std::vector<std::string> ListedPrices::types() const {
  std::vector<std::string> out;
  out.reserve(types_.size());
  for (const auto& [type, amounts] : types_) out.push_back(type);
  return out;
}

std::optional<double> ListedPrices::amount(std::string_view type) const {
  return has(type) ? std::optional(types_.find(type)->second.begin()->first) : std::nullopt;
}

std::string ListedPrices::table(sys_seconds asked) const {
  std::string out = fmt::format(
      "// {} an hour and machine, on demand, for training in {}: AWS's price list{}, asked on "
      "{}.\n",
      printable(currency_), region_, published_.empty() ? "" : " of " + published_,
      rfc3339_day(asked));
  out +=
      "// Spot prices are not in it: a spot_factor beside the types says what share spot pays.\n";
  if (foreign())
    out += fmt::format(
        "// Rules then count in {0}, and write their limits so; notices say USD and mean {0}.\n",
        printable(currency_));
  out += "\"prices\": {\n";
  for (const auto& [type, amounts] : types_) {
    if (amounts.size() == 1) {
      out += fmt::format("  \"{}\": {},\n", type, amounts.begin()->first);
    } else if (amounts.empty()) {
      out += fmt::format("  // {}: the list has no price by the hour\n", type);
    } else {
      std::string all;
      for (const auto& [amount, usage_types] : amounts)
        all += fmt::format("{}{} ({})", all.empty() ? "" : ", ", amount,
                           printable(fmt::format("{}", fmt::join(usage_types, ", "))));
      out += fmt::format("  // {}: the list has several prices, {}\n", type, all);
    }
  }
  return out + "},\n";
}

}  // namespace trainwarden::cli
