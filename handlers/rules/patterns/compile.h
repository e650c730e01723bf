// Turns a pattern's JSON into conditions: the part that patterns for any event and patterns over
// fact groups share. What the two do not share, the meaning of a path, is a Naming. Every mistake
// is complained about, not only the first.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/patterns/diagnostics.h"
#include "handlers/rules/patterns/pattern.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// More alternatives than this in one `match` or `unless` are refused (F6).
inline constexpr std::size_t kMostConjunctions = 1000;
// Of `$or`; one alone is no alternative.
inline constexpr std::size_t kFewestAlternatives = 2;

// Where the names of a pattern's members lead. What a group is, only the Naming knows.
struct PatternPath {
  std::uint8_t group = 0;
  std::string path;  // inside the group, dotted

  auto operator<=>(const PatternPath&) const = default;
};

class Naming {
 public:
  virtual ~Naming() = default;
  // Where the members of these names, from the outermost in, lead; nullopt after a complaint.
  virtual std::optional<PatternPath> place(std::span<const std::string_view> names,
                                           const JsonPath& where, Diagnostics& diagnostics) = 0;
  // Whether a path that is given again replaces what was said before; else it is a mistake.
  virtual bool replaces() const = 0;
  // Told of every test of what place() returned, to warn of those that cannot hold.
  virtual void review(const PatternPath& place, const Test& test, const JsonPath& where,
                      Diagnostics& diagnostics) const = 0;
};

struct PlacedCondition {
  std::uint8_t group;
  Condition condition;
};

using PlacedConjunction = std::vector<PlacedCondition>;

// The conjunctions of one pattern. What cannot be compiled is complained about and left out.
std::vector<PlacedConjunction> compile(json::Value pattern, Naming& naming, JsonPath& where,
                                       Diagnostics& diagnostics);

}  // namespace trainwarden::rules
