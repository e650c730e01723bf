// The prices of one region's training machines in AWS's price list, written as the member `prices`
// of a policy: sorted, with the list's date in a comment, and with nothing that the list does not
// say. A machine type with several prices, or with none by the hour, is only named in a comment:
// the user, who knows which price is paid, can add it.
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

  // Adds a product of the list, with its attributes and on-demand terms. Machines outside the
  // region itself (Outposts, Local Zones) are skipped, and so are products that name no machine.
  void add(json::Value product);

  bool empty() const { return types_.empty(); }
  bool has(std::string_view type) const;
  // nullopt if has() is false.
  std::optional<double> amount(std::string_view type) const;
  std::vector<std::string> types() const;
  // The day of the list; empty if the list does not tell.
  const std::string& published() const { return published_; }
  // Whether the list's prices are in another currency than USD, which policies use.
  bool foreign() const { return currency_ != kUsd; }
  const std::string& currency() const { return currency_; }

  // asked: when the list was asked. The table ends with a newline.
  std::string table(sys_seconds asked) const;

 private:
  static constexpr std::string_view kUsd = "USD";
  // Prices per hour, each with the usage types that have it.
  using Amounts = std::map<double, std::set<std::string, std::less<>>>;

  void add_terms(json::Value terms, std::string_view usage_type, Amounts& amounts);

  std::string region_;
  std::string published_;  // latest of the products' dates; may be empty
  std::string currency_{kUsd};
  std::map<std::string, Amounts, std::less<>> types_;
};

}  // namespace trainwarden::cli
