// Compiles a pattern's JSON into conditions. Patterns for any event and patterns over fact groups
// share this part. They differ in the meaning of a path, which a Naming supplies. Every mistake is
// reported, not only the first.
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
// In an `$or`; a single one would offer no choice.
inline constexpr std::size_t kFewestAlternatives = 2;

// The path that the names of a pattern's members resolve to. Only the Naming knows what `group`
// means.
struct PatternPath {
  std::uint8_t group = 0;
  std::string path;  // inside the group, dotted

  auto operator<=>(const PatternPath&) const = default;
};

class Naming {
 public:
  virtual ~Naming() = default;
  // Resolves the names of nested members, outermost first; nullopt after reporting an error.
  virtual std::optional<PatternPath> resolve(std::span<const std::string_view> names,
                                             const JsonPath& where, Diagnostics& diagnostics) = 0;
  // Whether a repeated path replaces the earlier conditions; otherwise it is an error.
  virtual bool replaces() const = 0;
  // Called for every test on a path that resolve() returned, to warn of those that cannot hold.
  virtual void review(const PatternPath& path, const Test& test, const JsonPath& where,
                      Diagnostics& diagnostics) const = 0;
  // The same for all tests of a leaf together.
  virtual void review_leaf(const PatternPath& path, const Condition& condition,
                           const JsonPath& where, Diagnostics& diagnostics) const = 0;
};

struct GroupedCondition {
  std::uint8_t group;
  Condition condition;
};

using GroupedConjunction = std::vector<GroupedCondition>;

// The conjunctions of one pattern. What cannot be compiled is reported and left out.
std::vector<GroupedConjunction> compile(json::Value pattern, Naming& naming, JsonPath& where,
                                        Diagnostics& diagnostics);

}  // namespace trainwarden::rules
