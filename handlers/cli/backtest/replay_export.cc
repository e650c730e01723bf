#include "handlers/cli/backtest/replay_export.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "handlers/cli/export/export_lines.h"
#include "handlers/cli/export/export_reader.h"
#include "handlers/cli/files/input_lines.h"
#include "handlers/cli/files/text_encoding.h"
#include "handlers/cli/terminal/text.h"
#include "handlers/rules/backtest/replay.h"
#include "handlers/rules/decide/history_needs.h"
#include "handlers/rules/facts/groups.h"
#include "handlers/rules/job/copy_settings.h"
#include "handlers/rules/job/job_tags.h"
#include "handlers/rules/patterns/nearest.h"

namespace trainwarden::cli {
namespace {

// What an export holds besides jobs.
struct Frame {
  ExportHeader header;
  std::optional<KeptPrices> prices = {};
  bool complete = false;
};

// A first pass over all lines, since the prices come after the jobs that they belong to.
Result<Frame> read_frame(std::istream& lines) {
  Frame out;
  auto first = next_line(lines);
  auto header = first ? read_header_line(first->line) : std::nullopt;
  if (first)
    if (auto why = why_no_text(first->line))
      return fail(ErrorCode::kInvalidInput, "line 1: " + *std::move(why));
  if (!header)
    return fail(ErrorCode::kInvalidInput,
                fmt::format("line 1: expected the first line of `trainwarden export`, found {}",
                            !first || first->line.empty()
                                ? std::string("nothing")
                                : "`" + printable(first->line.substr(0, 60)) + "`"));
  out.header = *std::move(header);
  while (const auto read = next_line(lines)) {
    out.complete = false;
    if (read->line.starts_with(kJobLine)) continue;
    if (is_end_line(read->line)) out.complete = true;
    if (auto prices = read_prices_line(read->line)) out.prices = std::move(prices);
    // A resumed export may have a header with a later end.
    if (const auto again = read_header_line(read->line))
      out.header.until = std::max(out.header.until, again->until);
  }
  return out;
}

// For each rule, the hyperparameters and variables that it names. An export keeps only those that
// its own policy names.
using Named = std::map<std::size_t, std::set<std::string, std::less<>>>;

void add_named(const rules::FactPattern& pattern, std::set<std::string, std::less<>>& out) {
  for (const rules::Conjunction& conjunction : pattern.any)
    for (const rules::Part& part : conjunction.parts)
      for (const rules::Condition& condition : part.conditions)
        if (part.group == rules::Group::kJob && rules::is_in_free_map(condition.path))
          out.insert(condition.path);
}

Named named_values(const rules::Policy& policy) {
  Named out;
  for (std::size_t i = 0; i < policy.rules().size(); ++i) {
    std::set<std::string, std::less<>> paths;
    add_named(policy.rules()[i].match, paths);
    for (const rules::FactPattern* const unless : policy.rules()[i].exemptions())
      add_named(*unless, paths);
    if (!paths.empty()) out.emplace(i, std::move(paths));
  }
  return out;
}

// The rules that name a value which an export made for another policy may have left out.
std::vector<std::size_t> rules_beyond(const Named& named, const rules::TrainingJob& job) {
  std::vector<std::size_t> out;
  for (const auto& [rule, paths] : named)
    if (!std::ranges::all_of(
            paths, [&](const std::string& path) { return rules::has_setting(job, path); }))
      out.push_back(rule);
  return out;
}

rules::Prices all_prices(const rules::Policy* policy, const Frame& frame) {
  rules::Prices out;
  if (policy != nullptr) out = policy->prices();
  if (frame.prices) out.insert(frame.prices->prices.begin(), frame.prices->prices.end());
  return out;
}

void describe_policy(const rules::Policy& policy, rules::Findings& out) {
  out.policy_hash = policy.hash();
  for (const rules::Rule& rule : policy.rules()) {
    rules::RuleOfPolicy one;
    one.name = rule.name;
    one.mode = effective_mode(policy, rule, rules::Mode::kEnforce);
    one.stops = rule.has(rules::ActionKind::kStop);
    one.restarts = rule.has(rules::ActionKind::kRestart);
    const auto on_tags = [](const rules::FactPattern& pattern) {
      return std::ranges::any_of(pattern.any, [](const rules::Conjunction& conjunction) {
        return std::ranges::any_of(conjunction.parts, rules::rests_on_tags, &rules::Part::group);
      });
    };
    one.rests_on_tags = on_tags(rule.match) || on_tags(rule.unless) || on_tags(rule.policy_wide());
    out.rules.push_back(std::move(one));
  }
}

// The tag keys of users that the policy names, each with its rules, in the policy's order.
using NamedKeys = std::vector<std::pair<std::string, std::vector<std::string>>>;

NamedKeys named_keys(const rules::Policy& policy) {
  NamedKeys out;
  const auto add = [&out](const std::string& key, const std::string& rule) {
    if (rules::is_aws_tag(key) || rules::is_our_tag(key)) return;
    auto at = std::ranges::find(out, key, [](const auto& one) { return one.first; });
    if (at == out.end()) at = out.insert(out.end(), {key, {}});
    if (at->second.empty() || at->second.back() != rule) at->second.push_back(rule);
  };
  const auto add_pattern = [&add](const rules::FactPattern& pattern, const std::string& rule) {
    for (const rules::Conjunction& conjunction : pattern.any)
      for (const rules::Part& part : conjunction.parts)
        if (rules::has_tag_keys(part.group))
          for (const rules::Condition& condition : part.conditions) add(condition.path, rule);
  };
  for (const rules::Rule& rule : policy.rules()) {
    add_pattern(rule.match, rule.name);
    add_pattern(rule.unless, rule.name);
  }
  add_pattern(policy.unless(), "");
  return out;
}

std::vector<rules::MissingKey> missing_keys(const rules::Policy& policy,
                                            const std::vector<rules::JobFinding>& jobs) {
  std::map<std::string_view, std::size_t> known;  // with how many jobs have it
  for (const rules::JobFinding& job : jobs)
    for (const auto& [key, value] : job.tags) ++known[key];
  std::vector<std::string_view> keys;
  keys.reserve(known.size());
  for (const auto& [key, count] : known) keys.push_back(key);
  std::vector<rules::MissingKey> out;
  for (auto& [key, who] : named_keys(policy)) {
    if (known.contains(key)) continue;
    const std::string_view near = rules::nearest(key, keys);
    if (!near.empty()) out.push_back({key, std::move(who), std::string(near), known[near]});
  }
  return out;
}

bool is_known_line(std::string_view line) {
  return read_header_line(line) || read_day_line(line) || is_end_line(line) ||
         line.starts_with(kPricesLine);
}

std::unexpected<Error> cannot_read() {
  return fail(ErrorCode::kInvalidConfig, "the export cannot be read to its end: a read error");
}

}  // namespace

Result<rules::Findings> replay_export(std::istream& lines, const rules::Policy* policy,
                                      const ReplayOptions& options) {
  // The export is read twice, so input that cannot seek is kept in memory.
  std::stringstream kept;
  const bool seekable = lines.tellg() != std::istream::pos_type(-1);
  if (!seekable) kept << lines.rdbuf();
  std::istream& from = seekable ? lines : kept;
  const auto begin = from.tellg();
  auto frame_read = read_frame(from);
  if (from.bad() || kept.bad()) return cannot_read();
  TRY(const Frame frame, std::move(frame_read));
  from.clear();
  from.seekg(begin);

  rules::Findings out;
  out.policy = policy != nullptr ? options.policy_name : std::string();
  if (policy != nullptr) describe_policy(*policy, out);
  out.since = frame.header.since;
  out.until = frame.header.until;
  out.region = frame.header.region;
  out.complete = frame.complete;
  if (frame.prices) out.prices_asked = frame.prices->asked;

  rules::ReplayTerms terms;
  terms.as_enforced = options.as_enforced;
  terms.prices = all_prices(policy, frame);
  terms.until = frame.header.until;
  terms.curves = options.curves;
  if (options.on_event)
    terms.on_event = [&](const rules::JobEvent& event, sys_seconds at,
                         const rules::Evaluation& evaluation) {
      options.on_event({event, at, evaluation});
    };
  const Named named =
      policy != nullptr && policy->hash() != frame.header.policy ? named_values(*policy) : Named();
  rules::Replay replay(policy, std::move(terms));
  while (const auto read = next_line(from)) {
    if (read->line.empty() && !read->too_long) continue;
    if (!read->line.starts_with(kJobLine)) {
      if (read->too_long || !is_known_line(read->line)) ++out.bad_lines;
      continue;
    }
    auto job = read_job_line(read->line);
    if (!job) {
      ++out.bad_lines;
      continue;
    }
    job->beyond = rules_beyond(named, *job->sources.job());
    if (out.account.empty()) out.account = job->sources.event().account.value_or("");
    replay.add(*std::move(job));
  }
  if (from.bad()) return cannot_read();
  out.jobs = replay.finish();
  if (policy != nullptr) out.missing_keys = missing_keys(*policy, out.jobs);
  out.watches = replay.coverage();
  const int days =
      static_cast<int>(std::chrono::ceil<std::chrono::days>(out.until - out.since).count());
  for (rules::WatchCoverage& watch : out.watches) watch.days = std::min(watch.days, days);
  return out;
}

}  // namespace trainwarden::cli
