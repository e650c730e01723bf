#include "handlers/rules/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "handlers/rules/nearest.h"

namespace trainwarden::rules {
namespace {

// Operators of the pattern language, those of this version first.
constexpr std::array<std::string_view, 1> kOperators = {"exists"};
constexpr std::array<std::string_view, 7> kLaterOperators = {
    "anything-but", "cidr", "equals-ignore-case", "numeric", "prefix", "suffix", "wildcard"};

std::string found(json::Value value) {
  return fmt::format("found {} `{}`", json::describe(value.type()), value.excerpt());
}

class Compiler {
 public:
  Compiler(const Naming& naming, Where& where, Complaints& complaints)
      : naming_(naming), where_(where), complaints_(complaints) {}

  void object(json::Value value) {
    if (value.size() == 0) complaints_.error(where_, "expected at least one member, found `{}`");
    for (json::Member member : value.members()) {
      if (complaints_.enough()) return;
      Where::Step step(where_, member.name);
      if (member.name == "$or") {
        complaints_.error(where_,
                          "`$or` is not supported by this version; a rule's `match` may be "
                          "a list of patterns of which one must match");
        continue;
      }
      names_.push_back(member.name);
      if (member.value.is_object()) {
        object(member.value);
      } else if (member.value.is_array()) {
        tests(member.value);
      } else {
        complaints_.error(
            where_, fmt::format("expected a list of values or an object, {}", found(member.value)));
      }
      names_.pop_back();
    }
  }

  PlacedConjunction take() { return std::move(conjunction_); }

 private:
  void tests(json::Value list) {
    std::optional<Place> place = naming_.place(names_, where_, complaints_);
    if (list.size() == 0) complaints_.error(where_, "expected at least one value, found `[]`");
    Condition condition;
    std::size_t index = 0;
    for (json::Value item : list.elements()) {
      Where::Step step(where_, index++);
      std::optional<Test> made = test(item);
      if (!made) continue;
      if (place) naming_.review(*place, *made, where_, complaints_);
      condition.tests.push_back(std::move(*made));
    }
    if (!place) return;
    condition.path = place->path;
    // The parser refuses a member twice; a dotted name and nesting can still lead to the same leaf.
    if (!seen_.emplace(place->group, place->path).second) {
      complaints_.error(where_,
                        fmt::format("expected each path once, found `{}` again", place->path));
    }
    conjunction_.push_back({std::move(*place), std::move(condition)});
  }

  std::optional<Test> test(json::Value item) {
    Test out;
    switch (item.type()) {
      case json::Type::kString:
        out.kind = Test::Kind::kText;
        out.text = item.as_string();
        return out;
      case json::Type::kNumber:
        out.kind = Test::Kind::kNumber;
        out.number = item.as_number();
        return out;
      case json::Type::kBoolean:
        out.kind = Test::Kind::kBoolean;
        out.boolean = item.as_boolean();
        return out;
      case json::Type::kNull:
        out.kind = Test::Kind::kNull;
        return out;
      case json::Type::kObject:
        return expression(item);
      case json::Type::kArray:
        break;
    }
    complaints_.error(where_, fmt::format("expected a string, number, boolean, null or one of the "
                                          "operators, {}",
                                          found(item)));
    return std::nullopt;
  }

  std::optional<Test> expression(json::Value item) {
    if (item.size() != 1) {
      complaints_.error(where_,
                        fmt::format("expected one operator, such as `{{\"exists\": true}}`, "
                                    "{}",
                                    found(item)));
      return std::nullopt;
    }
    const json::Member member = *item.members().begin();
    Where::Step step(where_, member.name);
    if (member.name == "exists") {
      if (member.value.is_boolean()) {
        Test out;
        out.kind = member.value.as_boolean() ? Test::Kind::kPresent : Test::Kind::kAbsent;
        return out;
      }
      complaints_.error(where_, fmt::format("expected true or false, {}", found(member.value)));
    } else if (std::ranges::find(kLaterOperators, member.name) != kLaterOperators.end()) {
      complaints_.error(where_, fmt::format("the operator `{}` is not supported by this version; "
                                            "expected {} or plain values",
                                            member.name, one_of(kOperators)));
    } else {
      complaints_.error(
          where_,
          fmt::format("expected the operator {} or plain values, found `{}`{}", one_of(kOperators),
                      member.name, did_you_mean(member.name, kOperators)));
    }
    return std::nullopt;
  }

  const Naming& naming_;
  Where& where_;
  Complaints& complaints_;
  std::vector<std::string_view> names_;
  std::set<std::pair<Group, std::string>> seen_;
  PlacedConjunction conjunction_;
};

// Paths as EventBridge has them: joined with dots, all of them allowed.
class AnyEvent final : public Naming {
 public:
  std::optional<Place> place(std::span<const std::string_view> names, const Where&,
                             Complaints&) const override {
    return Place{Group::kEvent, fmt::format("{}", fmt::join(names, ".")), LeafType::kString,
                 std::nullopt};
  }
  void review(const Place&, const Test&, const Where&, Complaints&) const override {}
};

}  // namespace

std::vector<PlacedConjunction> compile(json::Value pattern, const Naming& naming, Where& where,
                                       Complaints& complaints) {
  if (!pattern.is_object()) {
    complaints.error(where, fmt::format("expected a pattern (an object), {}", found(pattern)));
    return {};
  }
  Compiler compiler(naming, where, complaints);
  compiler.object(pattern);
  std::vector<PlacedConjunction> out;
  out.push_back(compiler.take());
  for (PlacedConjunction& conjunction : out) {
    std::ranges::sort(conjunction, path_less,
                      [](const PlacedCondition& c) { return c.condition.path; });
  }
  return out;
}

Result<EventPattern> compile_pattern(json::Value pattern) {
  Where where;
  Complaints complaints;
  std::vector<PlacedConjunction> compiled = compile(pattern, AnyEvent(), where, complaints);
  if (complaints.any_errors()) return fail(complaints.take_errors().front());
  EventPattern out;
  for (PlacedConjunction& conjunction : compiled) {
    std::vector<Condition>& conditions = out.any.emplace_back();
    for (PlacedCondition& placed : conjunction) conditions.push_back(std::move(placed.condition));
  }
  return out;
}

}  // namespace trainwarden::rules
