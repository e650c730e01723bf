// Turns a pattern's JSON into conditions: the part that patterns for any event and patterns over
// fact groups share. What the two do not share, the meaning of a path, is a Naming. Every mistake
// is complained about, not only the first.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "handlers/rules/facts/groups.h"
#include "handlers/rules/patterns/complaints.h"
#include "handlers/rules/patterns/pattern.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// More alternatives than this in one `match` or `unless` are refused (F6).
inline constexpr std::size_t kMostConjunctions = 1000;

class Naming {
 public:
  virtual ~Naming() = default;
  // Where the members of these names, from the outermost in, lead; nullopt after a complaint.
  virtual std::optional<Place> place(std::span<const std::string_view> names, const Where& where,
                                     Complaints& complaints) const = 0;
  // Whether a path that is given again replaces what was said before; else it is a mistake.
  virtual bool replaces() const = 0;
  // Told of every test of a place, to warn of those that cannot hold.
  virtual void review(const Place& place, const Test& test, const Where& where,
                      Complaints& complaints) const = 0;
};

struct PlacedCondition {
  Place place;
  Condition condition;
};

using PlacedConjunction = std::vector<PlacedCondition>;

// The conjunctions of one pattern. What cannot be compiled is complained about and left out.
std::vector<PlacedConjunction> compile(json::Value pattern, const Naming& naming, Where& where,
                                       Complaints& complaints);

}  // namespace trainwarden::rules
