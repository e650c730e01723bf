// How a confirmation shows what it measured: for people.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace trainwarden::rules {

// Rounded to a hundredth.
std::string short_number(double value);

// The first five, and whether there are more: "0, 0.5, 4, 0, 0, …".
std::string shown_values(std::span<const double> values);

// "a; b; and 5 more", of so many in all.
std::string list_of(std::span<const std::string> items, std::size_t all);

}  // namespace trainwarden::rules
