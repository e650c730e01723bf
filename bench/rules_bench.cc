// What one decision costs: with the default policy, and with policies of many rules that share no
// field value. `rules_bench nothing|violation TIMES` and `rules_bench none|one RULES TIMES` decide
// as often and say nothing, so that an instruction counter can tell what one decision costs by the
// difference of two runs (rules_count.sh).
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "handlers/actions/setup/policy_source.h"
#include "handlers/rules/decide/decide.h"

namespace trainwarden {
namespace {

constexpr sys_seconds kNow{std::chrono::seconds(1'783'000'213)};

rules::JobEvent event(std::string_view status) {
  return {rules::Trigger::kState, "job-1", std::string(status), "Starting", kNow};
}

std::optional<rules::Policy> loaded(Result<rules::Policy> policy) {
  if (policy) return *std::move(policy);
  fmt::print(stderr, "rules_bench: {}\n", policy.error().message);
  std::exit(1);  // NOLINT: a benchmark without its policy is over
}

rules::Policy default_policy() { return *loaded(actions::load_policy("", "handlers")); }

// Rules none of which a running job's state event can match: each asks for an ended job, and for a
// team and a type of its own.
rules::Policy many(int count) {
  std::string text = R"({"version": 1, "mode": "enforce", "rules": [)";
  for (int i = 0; i < count; ++i) {
    text += fmt::format(
        R"({{"name": "r{0}", "actions": ["stop", "notify"], "match": {{)"
        R"("job": {{"TrainingJobStatus": ["{1}"], "TrainingJobName": ["n{0}"]}},)"
        R"("resources": {{"instance_types": ["ml.x{0}.large"]}}, "tags": {{"team": ["t{0}"]}}}}}},)",
        i, i % 2 == 0 ? "Failed" : "Completed");
  }
  return *loaded(rules::parse_policy(text + "]}"));
}

// As many rules that the event leaves open, over everything known: what a violation among many
// costs.
rules::Policy many_open(int count) {
  std::string text = R"({"version": 1, "mode": "enforce", "rules": [)";
  for (int i = 0; i < count; ++i) {
    text += fmt::format(
        R"({{"name": "r{0}", "actions": ["stop"], "match": {{"job": {{"TrainingJobStatus": )"
        R"(["InProgress"]}}, "tags": {{"team": ["t{0}"]}}}}}},)",
        i);
  }
  return *loaded(rules::parse_policy(text + "]}"));
}

rules::Sources tagged(std::string_view tags) {
  rules::Sources out(event("InProgress"));
  if (auto document = json::Document::parse(tags)) {
    out.set(rules::Source::kTags, *std::move(document));
  }
  return out;
}

void decide_once(const rules::Policy& policy, const rules::Sources& sources) {
  benchmark::DoNotOptimize(rules::decide(policy, rules::facts_from(sources, policy.prices(), kNow),
                                         rules::Mode::kEnforce));
}

void DefaultPolicyNeedsNothing(benchmark::State& state) {
  const rules::Policy policy = default_policy();
  const rules::Sources sources(event("Completed"));
  for (auto _ : state) decide_once(policy, sources);
}
BENCHMARK(DefaultPolicyNeedsNothing);

void DefaultPolicyOnViolation(benchmark::State& state) {
  const rules::Policy policy = default_policy();
  const rules::Sources sources = tagged(R"({"username": "johndoe"})");
  for (auto _ : state) decide_once(policy, sources);
}
BENCHMARK(DefaultPolicyOnViolation);

void RulesThatCannotMatch(benchmark::State& state) {
  const rules::Policy policy = many(static_cast<int>(state.range(0)));
  const rules::Sources sources(event("InProgress"));
  for (auto _ : state) decide_once(policy, sources);
}
BENCHMARK(RulesThatCannotMatch)->Arg(10)->Arg(100)->Arg(1000);

void RulesOnTagsOneHolds(benchmark::State& state) {
  const rules::Policy policy = many_open(static_cast<int>(state.range(0)));
  const rules::Sources sources = tagged(R"({"team": "t7"})");
  for (auto _ : state) decide_once(policy, sources);
}
BENCHMARK(RulesOnTagsOneHolds)->Arg(10)->Arg(100)->Arg(1000);

// For the instruction counter.
int count(std::span<char*> arguments) {
  const std::string_view what = arguments[1];
  const bool by_rules = what == "none" || what == "one";
  const int rules = by_rules && arguments.size() > 3 ? std::atoi(arguments[2]) : 0;  // NOLINT
  const int times = std::atoi(arguments.back());                                     // NOLINT
  const rules::Policy policy = what == "none"  ? many(rules)
                               : what == "one" ? many_open(rules)
                                               : default_policy();
  const rules::Sources sources = what == "one"         ? tagged(R"({"team": "t7"})")
                                 : what == "violation" ? tagged(R"({"username": "johndoe"})")
                                 : what == "none"      ? rules::Sources(event("InProgress"))
                                                       : rules::Sources(event("Completed"));
  for (int i = 0; i < times; ++i) decide_once(policy, sources);
  return 0;
}

}  // namespace
}  // namespace trainwarden

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  if (argc > 2 && argv[1][0] != '-') return trainwarden::count(arguments);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
