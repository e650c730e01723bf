// What AWS's price list says of one region's training machines, as the member `prices` of a policy:
// sorted, with its date in a comment, and only what the list says. A type of which it has several
// prices, or none by the hour, is named in a comment and has no price in the table: whoever knows
// which one is paid puts it in.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {

class ListedPrices {
 public:
  explicit ListedPrices(std::string region) : region_(std::move(region)) {}

  // A product of the list: its attributes, and the terms on demand. Machines that are not in the
  // region itself (Outposts, Local Zones) are passed over, and so is what names no machine.
  void add(json::Value product);

  bool empty() const { return types_.empty(); }
  bool has(std::string_view type) const;
  // nullopt where has() is false.
  std::optional<double> amount(std::string_view type) const;
  std::vector<std::string> types() const;
  // The day of the list; empty where it tells none.
  const std::string& published() const { return published_; }
  // Whether the list has prices in another currency than the one that policies name.
  bool foreign() const { return currency_ != kUsd; }
  const std::string& currency() const { return currency_; }

  // asked: when. Ends with a line's end.
  std::string table(sys_seconds asked) const;

 private:
  static constexpr std::string_view kUsd = "USD";
  // Amounts an hour, each with the usage types that have it.
  using Amounts = std::map<double, std::set<std::string, std::less<>>>;

  void add_terms(json::Value terms, std::string_view usage_type, Amounts& amounts);

  std::string region_;
  std::string published_;  // the latest of the products' dates; empty: none is told
  std::string currency_{kUsd};
  std::map<std::string, Amounts, std::less<>> types_;
};

}  // namespace trainwarden::cli
