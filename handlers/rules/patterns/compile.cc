#include "handlers/rules/patterns/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "handlers/rules/patterns/operators.h"

namespace trainwarden::rules {
namespace {

// What `$or` may multiply a pattern to.
constexpr std::size_t kMostConditions = 200'000;

class Compiler {
 public:
  Compiler(Naming& naming, JsonPath& where, Diagnostics& diagnostics)
      : naming_(naming), where_(where), complaints_(diagnostics) {}

  // in_or: inside an alternative of `$or`.
  void object(json::Value value, bool in_or) {
    if (value.size() == 0) complaints_.error(where_, "expected at least one member, found `{}`");
    for (json::Member member : value.members()) {
      if (complaints_.enough() || too_many_) return;
      JsonPath::Step step(where_, member.name);
      if (member.name == "$or") {
        alternatives(member.value);
        continue;
      }
      if (in_or && is_reserved_in_or(member.name)) {
        complaints_.error(where_, fmt::format("`{}` is the name of an operator, which no member "
                                              "inside `$or` may have",
                                              member.name));
        continue;
      }
      if (is_bare_operator(member)) {
        complaints_.error(
            where_,
            fmt::format("`{0}` is an operator, and the list's brackets around it are missing: "
                        "write `\"{1}\": [{{\"{0}\": {2}}}]`",
                        member.name, names_.back(), member.value.excerpt()));
        continue;
      }
      names_.push_back(member.name);
      if (member.value.is_object()) {
        object(member.value, in_or);
      } else if (member.value.is_array()) {
        tests(member.value);
      } else {
        complaints_.error(
            where_,
            fmt::format("expected a list of values or an object, {}: the list's brackets are "
                        "missing, write `[{}]`",
                        found(member.value), json::to_text(member.value)));
      }
      names_.pop_back();
    }
  }

  std::vector<GroupedConjunction> take() {
    std::vector<GroupedConjunction> out;
    out.reserve(all_.size());
    std::vector<ByPath::value_type*> order;  // which is less to move than what it points to
    for (ByPath& conjunction : all_) {
      order.clear();
      order.reserve(conjunction.size());
      for (ByPath::value_type& one : conjunction) order.push_back(&one);
      std::ranges::sort(order, path_less, [](const ByPath::value_type* one) {
        return std::string_view(one->second.path);
      });
      GroupedConjunction& conditions = out.emplace_back();
      conditions.reserve(order.size());
      for (ByPath::value_type* const one : order)
        conditions.push_back({one->first.group, std::move(one->second)});
    }
    return out;
  }

 private:
  // `"team": {"exists": false}` or `"gpus": {"numeric": [">", 1]}`, where a list is expected. A
  // leaf may have such a name: a list of other values is not taken for an operator's.
  bool is_bare_operator(const json::Member& member) const {
    if (naming_.replaces() || names_.size() < 2) return false;
    const auto it = std::ranges::find(operators(), member.name, &Operator::name);
    if (it == operators().end()) return false;
    if (it->operand == Operand::kBounds)
      return member.value.is_array() && member.value.size() >= 2 &&
             (*member.value.elements().begin()).is_string() &&
             std::ranges::find(bounds(), (*member.value.elements().begin()).as_string(),
                               &Bound::sign) != bounds().end();
    return !member.value.is_array() && !member.value.is_object();
  }

  using ByPath = std::map<PatternPath, Condition>;

  // Each alternative takes up what was said so far, and goes on by itself.
  void alternatives(json::Value list) {
    if (!list.is_array() || list.size() < kFewestAlternatives) {
      complaints_.error(where_,
                        fmt::format("expected a list of two or more patterns, {}", found(list)));
      return;
    }
    const std::vector<ByPath> before = std::move(all_);
    std::vector<ByPath> after;
    std::size_t index = 0;
    for (json::Value item : list.elements()) {
      JsonPath::Step step(where_, index++);
      if (!item.is_object()) {
        complaints_.error(where_, fmt::format("expected a pattern (an object), {}", found(item)));
        continue;
      }
      for (const ByPath& conjunction : before) conditions_ += conjunction.size();
      if (conditions_ > kMostConditions) {
        complaints_.error(where_, fmt::format("expected at most {} conditions in all alternatives "
                                              "together, found more",
                                              kMostConditions));
        too_many_ = true;
        break;
      }
      all_ = before;
      object(item, true);
      std::ranges::move(all_, std::back_inserter(after));
      if (after.size() > kMostConjunctions) {
        complaints_.error(where_, fmt::format("expected at most {} alternatives in all, found more",
                                              kMostConjunctions));
        too_many_ = true;
      }
      if (too_many_ || complaints_.enough()) break;
    }
    all_ = std::move(after);
  }

  void tests(json::Value list) {
    const std::optional<PatternPath> resolved = naming_.resolve(names_, where_, complaints_);
    if (list.size() == 0) complaints_.error(where_, "expected at least one value, found `[]`");
    Condition condition;
    std::size_t index = 0;
    for (json::Value item : list.elements()) {
      JsonPath::Step step(where_, index++);
      std::optional<Test> made = read_test(item, where_, complaints_);
      if (!made) continue;
      if (resolved) naming_.review(*resolved, *made, where_, complaints_);
      condition.add(std::move(*made));
    }
    if (!resolved) return;
    naming_.review_leaf(*resolved, condition, where_, complaints_);
    condition.path = resolved->path;
    add(*resolved, std::move(condition));
  }

  void add(const PatternPath& path, Condition added) {
    bool again = false;
    if (all_.size() == 1 && !naming_.replaces()) {  // most patterns: nothing is copied
      again = !all_.front().try_emplace(path, std::move(added)).second;
      if (again) repeated(path);
      return;
    }
    for (ByPath& conjunction : all_) {
      auto [at, is_new] = conjunction.try_emplace(path, added);
      if (!is_new && naming_.replaces()) at->second = added;
      again = again || !is_new;
    }
    if (again && !naming_.replaces()) repeated(path);
  }

  // The parser refuses a member twice; a dotted name, nesting and `$or` can still lead to the same
  // leaf.
  void repeated(const PatternPath& path) {
    complaints_.error(where_, fmt::format("expected each path once, found `{}` again", path.path));
  }

  Naming& naming_;
  JsonPath& where_;
  Diagnostics& complaints_;
  std::vector<std::string_view> names_;
  bool too_many_ = false;
  std::size_t conditions_ = 0;  // in all conjunctions that were begun
  std::vector<ByPath> all_ = std::vector<ByPath>(1);
};

// Paths as EventBridge has them: joined with dots, all of them allowed.
class AnyEvent final : public Naming {
 public:
  std::optional<PatternPath> resolve(std::span<const std::string_view> names, const JsonPath&,
                                     Diagnostics&) override {
    return PatternPath{.group = 0, .path = fmt::format("{}", fmt::join(names, "."))};
  }
  bool replaces() const override { return true; }
  void review(const PatternPath&, const Test&, const JsonPath&, Diagnostics&) const override {}
  void review_leaf(const PatternPath&, const Condition&, const JsonPath&,
                   Diagnostics&) const override {}
};

}  // namespace

std::vector<GroupedConjunction> compile(json::Value pattern, Naming& naming, JsonPath& where,
                                        Diagnostics& diagnostics) {
  if (!pattern.is_object()) {
    diagnostics.error(where, fmt::format("expected a pattern (an object), {}", found(pattern)));
    return {};
  }
  Compiler compiler(naming, where, diagnostics);
  compiler.object(pattern, false);
  return compiler.take();
}

Result<EventPattern> compile_pattern(json::Value pattern) {
  JsonPath where;
  Diagnostics diagnostics;
  AnyEvent naming;
  std::vector<GroupedConjunction> compiled = compile(pattern, naming, where, diagnostics);
  if (diagnostics.any_errors())
    return fail(ErrorCode::kInvalidPolicy, diagnostics.take_errors().front().text());
  EventPattern out;
  for (GroupedConjunction& conjunction : compiled) {
    std::vector<Condition>& conditions = out.any.emplace_back();
    for (GroupedCondition& grouped : conjunction)
      conditions.push_back(std::move(grouped.condition));
  }
  return out;
}

}  // namespace trainwarden::rules
