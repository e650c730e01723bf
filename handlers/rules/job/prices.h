// Prices of machines: USD per instance and hour, by instance type, from the policy. A type that is
// not listed has no price, and the cost of a job on it is unknown.
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
  // The share of it that managed spot training pays while it runs; nullopt: unknown, so the price
  // on demand is an upper bound.
  std::optional<double> spot_factor;
};

using Prices = std::map<std::string, Price, std::less<>>;

}  // namespace trainwarden::rules
