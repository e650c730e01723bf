// What machines cost: USD an hour and instance, by instance type. Given by the policy; a type that
// is not in it has no price, and jobs with one have no cost facts.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace trainwarden::rules {

using Prices = std::map<std::string, double, std::less<>>;

}  // namespace trainwarden::rules
