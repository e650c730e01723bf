// Parts of sentences that every kind of notice has in common.
#pragma once

#include <string>

namespace trainwarden::rules {

// "1,556.10 USD"
std::string money(double usd);

}  // namespace trainwarden::rules
