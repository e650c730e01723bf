#include "handlers/cli/schema/pattern_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "handlers/rules/facts/groups.h"
#include "handlers/rules/job/describe_members.h"
#include "handlers/rules/patterns/compile.h"
#include "handlers/rules/patterns/nearest.h"
#include "handlers/rules/patterns/operators.h"

namespace trainwarden::cli {
namespace {

using rules::Bound;
using rules::Leaf;
using rules::Operand;
using rules::Operator;

class PatternWriter {
 public:
  explicit PatternWriter(SchemaSink& schema) : schema_(schema), out_(schema.out) {}

  void write() {
    schema_.object("patterns", [&] { patterns(); });
    schema_.object("pattern", [&] { pattern(); });
    schema_.object("alternatives", [&] {
      schema_.describe("pattern", "alternatives");
      at_least(rules::kFewestAlternatives);
      schema_.object("items", [&] { out_.member("type", "object").member("minProperties", 1); });
    });
    schema_.object("members", [&] { members(); });
    schema_.object("values", [&] { values(); });
    schema_.object("wildcard", [&] {
      out_.member("type", "string").member("pattern", R"(^([^*\\]|\\[*\\]|\*(?!\*))*$)");
    });
  }

 private:
  // A list of at least that many.
  void at_least(std::size_t count) { out_.member("type", "array").member("minItems", count); }

  void patterns() {
    schema_.array("oneOf", [&] {
      schema_.reference("pattern");
      schema_.object([&] {
        at_least(1);
        out_.member("maxItems", rules::kMostConjunctions).key("items");
        schema_.reference("pattern");
      });
    });
  }

  // An object with at least one member: one that `properties` writes, or `$or`.
  template <class Properties>
  void with_alternatives(Properties properties) {
    out_.member("type", "object").member("minProperties", 1);
    schema_.object("properties", [&] {
      properties();
      out_.key("$or");
      schema_.reference("alternatives");
    });
  }

  void pattern() {
    out_.member("type", "object").member("minProperties", 1).member("additionalProperties", false);
    schema_.object("properties", [&] {
      for (const std::string_view group : rules::group_names()) {
        schema_.object(group, [&] {
          schema_.describe("group", group);
          if (group == name(rules::Group::kJob))
            job();
          else if (group == name(rules::Group::kTags) || group == name(rules::Group::kUntil))
            tags();
          else
            facts(group);
        });
      }
      schema_.object("$or", [&] {
        schema_.describe("pattern", "$or");
        at_least(rules::kFewestAlternatives);
        out_.key("items");
        schema_.reference("pattern");
      });
    });
  }

  void facts(std::string_view group) {
    with_alternatives([&] {
      for (const rules::Fact& fact : rules::facts()) {
        if (name(fact.group) != group) continue;
        schema_.object(fact.name, [&] {
          out_.member("description", description_of(fact.group, fact.name, fact.type));
          schema_.refer("values");
        });
      }
    });
    out_.member("additionalProperties", false);
  }

  // "a string: `gpu`, `neuron` or `none`"
  static std::string description_of(rules::Group group, std::string_view path,
                                    rules::LeafType type) {
    const auto known = rules::known_values(group, path);
    return fmt::format("{}{}{}", rules::describe(type), known.empty() ? "" : ": ",
                       rules::one_of(known));
  }

  void tags() {
    with_alternatives([] {});
    out_.key("additionalProperties");
    schema_.reference("values");
  }

  // The known members are listed as a help to the writer. The schema rejects no other, since the
  // loader also accepts dotted names.
  void job() {
    schema_.refer("members");
    known_members(rules::describe_members(), 0);
  }

  // Writes those leaves, which share the first `common` characters of their paths.
  void known_members(std::span<const Leaf> leaves, std::size_t common) {
    const auto own_name = [common](const Leaf& leaf) {
      const std::string_view below = leaf.path.substr(common);
      return below.substr(0, below.find('.'));
    };
    if (leaves.front().is_map() && own_name(leaves.front()) == "*") {
      schema_.object("additionalProperties", [&] { leaf(leaves.front()); });
      return;
    }
    schema_.object("properties", [&] {
      while (!leaves.empty()) {
        const std::string_view name = own_name(leaves.front());
        const auto end = std::ranges::find_if(
            leaves, [&](const Leaf& other) { return own_name(other) != name; });
        const auto count = static_cast<std::size_t>(end - leaves.begin());
        const bool is_leaf = common + name.size() == leaves.front().path.size();
        schema_.object(name, [&] {
          if (is_leaf)
            leaf(leaves.front());
          else
            known_members(leaves.first(count), common + name.size() + 1);
        });
        leaves = leaves.subspan(count);
      }
    });
  }

  void leaf(const Leaf& leaf) {
    out_.member("description",
                fmt::format("{}{}", description_of(rules::Group::kJob, leaf.path, leaf.type),
                            leaf.list ? ", in a list" : ""));
  }

  // Members at any depth, down to their leaves.
  void members() {
    with_alternatives([] {});
    schema_.object("additionalProperties", [&] {
      schema_.array("oneOf", [&] {
        schema_.reference("values");
        schema_.reference("members");
      });
    });
  }

  void values() {
    schema_.describe("pattern", "values");
    schema_.list([&] {
      schema_.object([&] {
        schema_.array("oneOf", [&] {
          schema_.object([&] {
            schema_.array("type", [&] {
              for (const std::string_view type : {"string", "number", "boolean", "null"})
                out_.string(type);
            });
          });
          for (const Operator& op : rules::operators()) {
            schema_.object([&] {
              schema_.describe("operator", op.name);
              schema_.only(op.name, [&] { operand(op); });
            });
          }
        });
      });
    });
  }

  void operand(const Operator& op) {
    switch (op.operand) {
      case Operand::kBoolean:
        return schema_.type("boolean");
      case Operand::kText:
        return schema_.type("string");
      case Operand::kWildcard:
        return schema_.reference("wildcard");
      case Operand::kAffix:
        return affix();
      case Operand::kNetwork:
        return schema_.object([&] { out_.member("type", "string").member("pattern", "/[0-9+]"); });
      case Operand::kBounds:
        return bounds();
      case Operand::kExclusion:
        return exclusion();
    }
  }

  void affix() {
    one_of([&] {
      schema_.type("string");
      schema_.object(
          [&] { schema_.only(rules::kIgnoreCaseOperator, [&] { schema_.type("string"); }); });
    });
  }

  void bounds() {
    const auto any = [](const Bound&) { return true; };
    const auto lower = [](const Bound& bound) { return bound.lower && !bound.upper; };
    const auto upper = [](const Bound& bound) { return bound.upper && !bound.lower; };
    one_of([&] {
      schema_.object([&] {
        out_.member("type", "array");
        schema_.array("prefixItems", [&] { bound(any); });
        out_.member("minItems", 2).member("maxItems", 2);
      });
      schema_.object([&] {
        out_.member("type", "array");
        schema_.array("prefixItems", [&] {
          bound(lower);
          bound(upper);
        });
        out_.member("minItems", 4).member("maxItems", 4);
      });
    });
  }

  // One of the chosen comparison signs, and a number.
  void bound(bool (*chosen)(const Bound&)) {
    schema_.object([&] {
      schema_.array("enum", [&] {
        for (const Bound& one : rules::bounds())
          if (chosen(one)) out_.string(one.sign);
      });
    });
    schema_.type("number");
  }

  void exclusion() {
    one_of([&] {
      for (const std::string_view type : {"string", "number"}) schema_.type(type);
      for (const std::string_view type : {"string", "number"})
        schema_.object([&] { schema_.list([&] { schema_.type(type); }); });
      for (const Operator& op : rules::operators()) {
        if (!op.excludable) continue;
        schema_.object([&] { schema_.only(op.name, [&] { excluded(op); }); });
      }
    });
  }

  // A string or a list of strings.
  void excluded(const Operator& op) {
    const auto text = [&] {
      if (op.operand == Operand::kWildcard) return schema_.reference("wildcard");
      schema_.object([&] {
        out_.member("type", "string");
        if (op.operand == Operand::kAffix) out_.member("minLength", 1);
      });
    };
    one_of([&] {
      text();
      schema_.object([&] { schema_.list(text); });
    });
  }

  template <class Fill>
  void one_of(Fill fill) {
    schema_.object([&] { schema_.array("oneOf", fill); });
  }

  SchemaSink& schema_;
  json::Sink& out_;
};

}  // namespace

void define_patterns(SchemaSink& out) { PatternWriter(out).write(); }

}  // namespace trainwarden::cli
