#include "handlers/cli/schema/policy_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "handlers/cli/schema/pattern_schema.h"
#include "handlers/cli/schema/schema_sink.h"
#include "handlers/cli/terminal/indented.h"
#include "handlers/rules/job/copy_settings.h"
#include "handlers/rules/policy/action.h"
#include "handlers/rules/policy/member_form.h"
#include "handlers/rules/policy/policy.h"
#include "handlers/rules/policy/price_table.h"
#include "handlers/rules/policy/watch.h"

namespace trainwarden::cli {
namespace {

using rules::MemberForm;
using Kind = rules::MemberForm::Kind;

// What the loader checks in code. policy_cases.json tests each pattern against the loader.
constexpr std::string_view kTimePattern =  // parse_rfc3339
    R"(^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:?[0-9]{2})$)";
constexpr std::string_view kWatchName = "^[a-z][a-z0-9-]{0,62}$";  // is_watch_name
constexpr std::string_view kInstanceType =
    R"(^ml\.[a-z][a-z0-9-]*\.[a-z0-9-]+$)";  // is_instance_type
constexpr std::string_view kTopic = R"(^arn:.*:sns:.*(?<!\.fifo)$)";
constexpr std::string_view kOneLine = R"(^[^\n\r\u0085\u2028\u2029]*$)";  // is_entry_value
constexpr std::string_view kIdentifier = "^[a-zA-Z_][a-zA-Z0-9_]*$";      // is_entry_key
constexpr std::string_view kPercentile = R"(p(100(\.0{1,9})?|[0-9]{1,2}(\.[0-9]{1,10})?))";

// "[aA][wW][sS]:"
std::string in_any_case(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool letter = c >= 'a' && c <= 'z';
    out += letter ? fmt::format("[{}{}]", c, static_cast<char>(c - 'a' + 'A')) : std::string(1, c);
  }
  return out;
}

class PolicyWriter {
 public:
  explicit PolicyWriter(json::Sink& out) : schema_(out), out_(out) {}

  void write() {
    schema_.object([&] {
      out_.member("$schema", "https://json-schema.org/draft/2020-12/schema")
          .member("$id", "https://github.com/trainwarden/trainwarden/handlers/policy.schema.json")
          .member("title", "Trainwarden policy");
      schema_.describe("policy", "");
      members("policy", rules::policy_members());
      schema_.object("$defs", [&] {
        schema_.object("rule", [&] { members("rule", rules::rule_members()); });
        schema_.object("action", [&] { action(); });
        schema_.object("watch", [&] { watch(); });
        define_patterns(schema_);
      });
    });
  }

 private:
  // An object with those members.
  void members(std::string_view of, std::span<const MemberForm> forms) {
    out_.member("type", "object");
    if (std::ranges::any_of(forms, &MemberForm::required)) {
      schema_.array("required", [&] {
        for (const MemberForm& form : forms)
          if (form.required) out_.string(form.name);
      });
    }
    out_.member("additionalProperties", false);
    schema_.object("properties", [&] {
      for (const MemberForm& form : forms) {
        schema_.object(form.name, [&] {
          schema_.describe(of, form.name);
          value(form);
        });
      }
    });
  }

  void value(const MemberForm& form) {
    switch (form.kind) {
      case Kind::kText:
        return text(form);
      case Kind::kBoolean:
        out_.member("type", "boolean");
        if (form.fallback) out_.member("default", *form.fallback != 0);
        return;
      case Kind::kInteger:
        return integer(form);
      case Kind::kChoice:
        names("enum", form.choices);
        if (form.fallback)
          out_.member("default", form.choices[static_cast<std::size_t>(*form.fallback)]);
        return;
      case Kind::kThreshold:
        out_.member("type", "number");
        return;
      case Kind::kDrop:
        out_.member("type", "number").member("exclusiveMinimum", 0).member("exclusiveMaximum", 1);
        return;
      case Kind::kVersion:
        out_.member("const", rules::kPolicyVersion);
        return;
      case Kind::kTime:
        return matching(kTimePattern);
      case Kind::kStatistic:
        return matching(fmt::format("^({}|{})$", fmt::join(form.choices, "|"), kPercentile));
      case Kind::kTopic:
        return matching(kTopic);
      case Kind::kPatterns:
        return schema_.refer("patterns");
      case Kind::kInstanceTypes:
        return schema_.list([&] { schema_.object([&] { matching(kInstanceType); }); });
      case Kind::kRules:
        return schema_.list([&] { schema_.reference("rule"); });
      case Kind::kActions:
        schema_.list([&] { schema_.reference("action"); });
        out_.member("uniqueItems", true);
        return;
      case Kind::kLimits:
        return members("limits", rules::limit_members());
      case Kind::kWatches:
        return by_name(kWatchName, [&] { schema_.reference("watch"); });
      case Kind::kPrices:
        return prices();
      case Kind::kAmount:
        out_.member("type", "number").member("minimum", 0).member("maximum", form.most);
        return;
      case Kind::kShare:
        out_.member("type", "number").member("exclusiveMinimum", 0).member("maximum", 1);
        return;
      case Kind::kNotices:
        return members("notices", rules::notice_members());
      case Kind::kFailures:
        schema_.list(
            [&] { schema_.object([&] { members("failure", rules::failure_members()); }); });
        out_.member("maxItems", rules::kMostFailures);
        return;
      case Kind::kHyperParameters:
        return entries(rules::kHyperParameters);
      case Kind::kEnvironment:
        return entries(rules::kEnvironment);
    }
  }

  // Changes by key: a string to set, null to remove.
  void entries(const rules::EntryForm& form) {
    out_.member("type", "object").member("minProperties", 1);
    out_.member("maxProperties", rules::kMostEntries);
    schema_.object("propertyNames", [&] {
      out_.member("minLength", 1).member("maxLength", form.longest_key);
      out_.member("pattern", form.identifiers ? kIdentifier : kOneLine);
    });
    schema_.object("additionalProperties", [&] {
      schema_.array("type", [&] { out_.string("string").string("null"); });
      out_.member("maxLength", form.longest_value);
      if (!form.line_breaks) out_.member("pattern", kOneLine);
    });
  }

  void text(const MemberForm& form) {
    out_.member("type", "string");
    if (form.least > 0) out_.member("minLength", form.least);
    if (form.most != MemberForm::kUnbounded) out_.member("maxLength", form.most);
    if (!form.choices.empty()) names("examples", form.choices);
  }

  void integer(const MemberForm& form) {
    out_.member("type", "integer").member("minimum", form.least);
    if (form.most != MemberForm::kUnbounded) out_.member("maximum", form.most);
    if (form.multiple_of != 1) out_.member("multipleOf", form.multiple_of);
    if (form.fallback) out_.member("default", *form.fallback);
  }

  void names(std::string_view member, std::span<const std::string_view> names) {
    schema_.array(member, [&] {
      for (const std::string_view name : names) out_.string(name);
    });
  }

  void matching(std::string_view pattern) {
    out_.member("type", "string").member("pattern", pattern);
  }

  // An object whose names match the pattern, and whose values are what `value` writes.
  template <class Value>
  void by_name(std::string_view pattern, Value value) {
    out_.member("type", "object");
    schema_.object("propertyNames", [&] { out_.member("pattern", pattern); });
    out_.key("additionalProperties");
    value();
  }

  // Prices by instance type, beside `spot_factor`, the share of the price that all spot jobs pay.
  void prices() {
    out_.member("type", "object");
    schema_.object("properties", [&] {
      for (const MemberForm& form : rules::price_members()) {
        if (form.name != rules::kSpotFactor) continue;
        schema_.object(form.name, [&] {
          schema_.describe("prices", form.name);
          value(form);
        });
      }
    });
    schema_.object("propertyNames", [&] {
      schema_.array("anyOf", [&] {
        schema_.object([&] { out_.member("const", rules::kSpotFactor); });
        schema_.object([&] { out_.member("pattern", kInstanceType); });
      });
    });
    schema_.object("additionalProperties", [&] {
      schema_.array("anyOf", [&] {
        schema_.object([&] {
          out_.member("type", "number").member("minimum", 0);
          out_.member("maximum", rules::kMostUsdPerHour);
        });
        schema_.object([&] { members("price", rules::price_members()); });
      });
    });
  }

  void watch() {
    schema_.describe("watch", "");
    members("watch", rules::watch_members());
    schema_.array("oneOf", [&] {
      for (const MemberForm& form : rules::watch_members()) {
        if (form.kind != Kind::kThreshold && form.kind != Kind::kDrop) continue;
        schema_.object([&] { schema_.array("required", [&] { out_.string(form.name); }); });
      }
    });
    schema_.object("dependentSchemas", [&] {
      for (const MemberForm& form : rules::watch_members())
        if (form.kind == Kind::kDrop) schema_.object(form.name, [&] { beside_drop(); });
    });
  }

  // The same limits as review_drop() in watch_review.cc.
  void beside_drop() {
    schema_.array("required", [&] { out_.string("source"); });
    schema_.object("properties", [&] {
      const auto only = [&](std::string_view member, auto value) {
        schema_.object(member, [&] { out_.member("const", value); });
      };
      only("source", "algorithm");
      only("per_gpu", false);
      only("per_core", false);
      only("hosts", "every");
      schema_.object("missing",
                     [&] { schema_.object("not", [&] { out_.member("const", "breaching"); }); });
      schema_.object("period_seconds",
                     [&] { out_.member("multipleOf", 300).member("maximum", 3600); });
    });
  }

  void action() {
    schema_.array("oneOf", [&] {
      schema_.object([&] {
        schema_.array("enum", [&] {
          for (const rules::ActionForm& action : rules::action_forms())
            if (action.expected.empty()) out_.string(action.name);
        });
      });
      for (const rules::ActionForm& action : rules::action_forms()) {
        if (action.options == rules::Options::kNone) continue;
        schema_.object([&] {
          schema_.describe("action", action.name);
          schema_.only(action.name, [&] { schema_.object([&] { options(action.options); }); });
        });
      }
    });
  }

  void options(rules::Options options) {
    switch (options) {
      case rules::Options::kNone:
        return;
      case rules::Options::kNotify:
        return members("notify", rules::notify_members());
      case rules::Options::kRestart:
        return members("restart", rules::restart_members());
      case rules::Options::kWatches:
        schema_.list([&] { schema_.object([&] { matching(kWatchName); }); });
        out_.member("uniqueItems", true);
        return;
      case rules::Options::kTags:
        return tags();
      case rules::Options::kStop:
        members("stop", rules::stop_members());
        out_.member("minProperties", 1);
        // A stop of a tuning job cannot be announced.
        schema_.object("not", [&] {
          schema_.array("required", [&] { out_.string("grace_seconds").string("tuning_job"); });
          schema_.object("properties", [&] {
            schema_.object("tuning_job", [&] { out_.member("const", true); });
          });
        });
        return;
    }
  }

  void tags() {
    out_.member("type", "object").member("minProperties", 1);
    schema_.object("propertyNames", [&] {
      out_.member("minLength", 1).member("maxLength", rules::kLongestTagKey);
      schema_.object("not", [&] {
        std::string reserved;
        for (const std::string_view prefix : rules::kReservedTagPrefixes)
          reserved += (reserved.empty() ? "" : "|") + in_any_case(prefix);
        out_.member("pattern", fmt::format("^({})", reserved));
      });
    });
    schema_.object("additionalProperties", [&] {
      out_.member("type", "string").member("maxLength", rules::kLongestTagValue);
    });
  }

  SchemaSink schema_;
  json::Sink& out_;
};

}  // namespace

json::Document policy_schema() {
  return json::Document::build([](json::Sink& out) { PolicyWriter(out).write(); });
}

std::string policy_schema_text() { return indented(policy_schema().root()); }

}  // namespace trainwarden::cli
