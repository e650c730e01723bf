// What machines cost: USD an hour and instance, by instance type. Given by the policy; a type that
// is not in it has no price, and what a job on it costs is not known.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace trainwarden::rules {

struct Price {
  // A number alone is a price on demand, as in the policy's file.
  explicit(false) Price(double amount, std::optional<double> share = {})
      : usd(amount), spot_factor(share) {}

  double usd;  // on demand
  // What share of it managed spot training pays while it runs; nullopt: not known, so that the
  // price on demand is an upper bound.
  std::optional<double> spot_factor;
};

using Prices = std::map<std::string, Price, std::less<>>;

}  // namespace trainwarden::rules
