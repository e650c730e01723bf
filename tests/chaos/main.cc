// chaos: random histories of jobs under random policies, in bad weather, and what must hold in each
// of them whatever happens.
//
//   chaos [--histories N] [--seed S]… [--all | --whole]
//
// With --all it goes on after a violation, and tells of each seed in one line; with --whole it
// tells the history as it is, and looks for no shorter one.
//
// A history is two hours of weather: jobs start, train, fall idle or silent, are interrupted, fail
// (all at once, in an outage), and are stopped and deleted by people; sweeps come every quarter of
// an hour; the kill switch is thrown; events, messages and sweeps are lost, late, doubled and out
// of order; functions run at once, in any order of their calls, and die before and after any of
// them; calls are throttled, refused, slow, or their answer is lost; clocks differ; Search, the
// table's index, DescribeTrainingJob and ListTags tell of the past. Then nothing fails any more for
// thirty hours, and what was missed is made up for. All of it follows from the seed.
//
// From seed 1000000 on there is more (story.cc, Growth): stops that are announced, times in tags,
// checkpoints, warm pools, tuning jobs, the weekly report, roles, tags and descriptions of any
// size, logs without an end, pages that are too large, clocks that are a minute off, credentials
// that are refused, edits of the policy, and two hundred jobs at once. Smaller seeds tell what they
// always told, so that a fault that was named by its seed is found by it.
//
// The invariants, by the names under which a violation is told, and where policy.md promises them:
//
//   stopped without a rule (A1): a function stops a job only where a rule that is enforced matches
//     it, as it was when the function looked; a tuning job, where one of its jobs does.
//   unannounced (A1): a rule with a grace stops nobody whom it has not warned, for as long as the
//     grace says, and since it holds.
//   copied without a rule (A2, P3): a job is copied only after a failure, or a stop, by which a
//     restart's rule matched it, and never below TRAINWARDEN_MODE enforce.
//   left running (A1, P7, S1): a job that breaks an enforced rule for hours, when the weather is
//     over, was stopped; or a limit that is truly used up holds it back, and the last record says
//     so.
//   spared (A1, P7): where so few break rules that no limit is reached, they are stopped within
//   hours
//     of the weather, whatever they wrote, and whatever AWS said to earlier stops.
//   not copied (A2): a job that failed, with a rule that copies it, or that was stopped to be
//   copied,
//     has its copy, or a record says why not.
//   not told (A5, S2): of a job that breaks a rule of the mode notify, people hear; and of the
//   week. not watched (W2): a job that trains has the alarms that its rules ask for. two live jobs
//   (A2): no copy is made while the original lives, or while any other job on its
//     checkpoint does that the functions made or that Search could tell of.
//   two copies (A3): a job has one copy at most.
//   endless chain (A2, S1): no copy is of a higher generation than a rule's limit, and in the end
//   the
//     table owes nothing.
//   silent (R1, A5): what a function did stands in its log; a stop, by rules that notify, is told.
//   told twice (A5, S2): what was told, and noted as told, is not told again.
//   wrote without enforce (P3): observe writes nothing but alarms (W2), notify no more than
//   notices. limit (P7): in no hour are more jobs stopped, stopped for their silence, or copied,
//   than the
//     limits say, nor more than half of the stops by events; and no sweep stops more than
//     stops_per_sweep by one rule's descriptions, and three times that by all.
//   out of turn (P7): no sweep copies a job of a role that has had more within the hour than
//   another
//     whose copy waits.
//   crowded out (P8): of two hundred at once none fails.
//   released without a rule, pool left (A7): a warm pool is released if, and only if, a rule asks.
//   alarm without a job (W3, S1): in the end each alarm has a job that lives.
//
// The judge (judge.cc) knows what truly was (law.h) and none of the product's code. Where an
// invariant is broken, the seed is told, and the shortest history that still breaks it.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/print.h"
#include "tests/chaos/judge.h"
#include "tests/chaos/shrink.h"
#include "tests/chaos/story.h"
#include "tests/chaos/world.h"

namespace {

using namespace trainwarden::chaos;  // NOLINT(google-build-using-namespace): this is its program

constexpr int kUsage = 2;
// Histories in which less happens prove less than they say.
constexpr std::uint64_t kEnoughToCount = 100;

// A seed is worth nothing if its history cannot be told again: of so many one is.
constexpr std::uint64_t kTellAgainEach = 50;

struct Options {
  std::uint64_t histories = 2000;
  std::vector<std::uint64_t> seeds = {};  // empty: kGrown
  bool all = false;                       // tells of each violation, and shrinks none
  bool whole = false;                     // tells of the first, and does not shrink it
};

std::optional<Options> read(const std::vector<std::string_view>& arguments) {
  Options out;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    if (arguments[i] == "--all" || arguments[i] == "--whole") {
      (arguments[i] == "--all" ? out.all : out.whole) = true;
      --i;
      continue;
    }
    if (i + 1 == arguments.size()) return std::nullopt;
    std::uint64_t* const into = arguments[i] == "--histories" ? &out.histories
                                : arguments[i] == "--seed"    ? &out.seeds.emplace_back()
                                                              : nullptr;
    const std::string_view text = arguments[i + 1];
    if (into == nullptr) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *into);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  }
  if (out.seeds.empty()) out.seeds.push_back(kGrown);
  return out;
}

class Tally {
 public:
  void add(const Evidence& evidence) {
    ++counts_["histories"];
    counts_["jobs"] += evidence.jobs.size();
    counts_["calls"] += evidence.calls;
    counts_["mishaps"] += evidence.struck.size();
    counts_["notices"] += evidence.notices.size();
    if (evidence.story.grown) ++counts_["grown"];
    for (const Notice& notice : evidence.notices) {
      if (notice.outcome == "warned") ++counts_["announced"];
      if (notice.outcome == "report") ++counts_["reports"];
    }
    for (const Invocation& one : evidence.invocations) counts_["deaths"] += one.died ? 1 : 0;
    for (const Act& act : evidence.acts) {
      if (!act.done) continue;
      if (act.operation == "StopTrainingJob") ++counts_["stops"];
      if (act.operation == "CreateTrainingJob") ++counts_["copies"];
      if (act.operation == "PutMetricAlarm") ++counts_["alarms"];
      if (act.operation == "UpdateTrainingJob") ++counts_["released"];
    }
    for (const Said& said : evidence.said) {
      const bool stopped = said.code == "stopped" || said.code.starts_with("tuner-stopped");
      if (said.action == "stop" && stopped) ++stops_by_[said.rule];
      if (said.code == "held-back") ++counts_["held back"];
    }
  }

  std::string text() const {
    std::string out;
    for (const auto& [name, count] : counts_)
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, name);
    for (const auto& [rule, count] : stops_by_) out += fmt::format(", {} by `{}`", count, rule);
    return out;
  }

  // What never happened, although there were histories enough for it; empty: nothing.
  std::string missing() const {
    if (counts_.at("histories") < kEnoughToCount) return {};
    for (const char* const name : {"stops", "copies", "deaths", "alarms", "held back"})
      if (!counts_.contains(name) || counts_.at(name) == 0) return name;
    const int breaches = counts_.contains("grown") ? kBreaches : kFirstBreaches;
    if (counts_.contains("grown"))
      for (const char* const name : {"announced", "released", "reports"})
        if (!counts_.contains(name)) return name;
    for (int i = 0; i < breaches; ++i) {
      const Rule rule{.breach = static_cast<Breach>(i)};
      if (rule.stops() && !stops_by_.contains(rule.rule_name()))
        return "stops by " + rule.rule_name();
    }
    return {};
  }

 private:
  std::map<std::string, std::uint64_t> counts_;
  std::map<std::string, std::uint64_t> stops_by_;
};

// A sweep that went as the one before it is left out.
class Diary {
 public:
  void print(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      const std::string_view text = std::string_view(line).substr(line.find(' ') + 1);
      const bool begins = text.starts_with("[sweep ") && text.ends_with("] begins");
      const bool ends = text.starts_with("[sweep ") && text.ends_with("] ended");
      if (begins) flush();
      block_.push_back(line);
      if (!begins && !(in_sweep_ && !ends)) flush_sweep(ends);
      in_sweep_ = begins || (in_sweep_ && !ends);
    }
    flush();
  }

 private:
  void flush() {
    for (const std::string& line : block_)
      trainwarden::print(stdout, fmt::format("    {}\n", line));
    block_.clear();
  }
  void flush_sweep(bool of_sweep) {
    std::string said;
    for (const std::string& line : block_)
      said +=
          line.substr(line.substr(13).starts_with("[sweep ") ? line.find(']') : line.find(' ')) +
          "\n";
    if (of_sweep && block_.size() > 1 && said == last_)
      block_.clear();
    else
      last_ = of_sweep ? said : "";
    flush();
  }

  std::vector<std::string> block_;
  std::string last_;
  bool in_sweep_ = false;
};

Shortest as_it_is(const Story& story) {
  Evidence evidence = World(story, {}, true).run();
  auto violations = judge(evidence);
  return {story, {}, std::move(evidence), std::move(violations)};
}

void tell(const Story& story, const Violation& violation, bool whole) {
  trainwarden::print(
      stdout, fmt::format("\nseed {}: {}: {}\n", story.seed, violation.invariant, violation.text));
  if (!whole) trainwarden::print(stdout, "looking for the shortest history that breaks it ...\n");
  std::fflush(stdout);
  const Shortest shortest = whole ? as_it_is(story) : shrink(story, violation.invariant);
  trainwarden::print(stdout, to_text(shortest.story));
  trainwarden::print(stdout, "  mishaps:\n");
  for (const std::string& mishap : shortest.evidence.struck)
    trainwarden::print(stdout, fmt::format("    {}\n", mishap));
  trainwarden::print(stdout, "  what happened:\n");
  Diary().print(shortest.evidence.diary);
  for (const Violation& one : shortest.violations)
    trainwarden::print(stdout, fmt::format("{}: {}\n", one.invariant, one.text));
  trainwarden::print(
      stdout, fmt::format("seed {}: again by `./dev chaos --histories 1 --seed {}`\n", story.seed,
                          story.seed));
}

// Whether a second telling of the story goes as the first, line by line.
bool is_told_again(const Story& story) {
  const auto diary = [&] { return World(story, {}, true).run().diary; };
  const auto first = diary();
  const auto second = diary();
  const auto [a, b] = std::ranges::mismatch(first, second);
  if (a == first.end() && b == second.end()) return true;
  trainwarden::print(stdout, fmt::format("seed {}: told twice, and not alike:\n  {}\n  {}\n",
                                         story.seed, a == first.end() ? "(its end)" : *a,
                                         b == second.end() ? "(its end)" : *b));
  return false;
}

// False if an invariant was broken and nothing more is to be told.
bool run_from(std::uint64_t first, const Options& options, Tally& tally, std::uint64_t& broken) {
  for (std::uint64_t i = 0; i < options.histories; ++i) {
    const Story story = draw(first + i);
    if (i % kTellAgainEach == 0 && !is_told_again(story)) return false;
    World world(story, {}, false);
    const Evidence evidence = world.run();
    tally.add(evidence);
    const auto violations = judge(evidence);
    if (violations.empty()) continue;
    ++broken;
    if (!options.all) {
      tell(story, violations.front(), options.whole);
      return false;
    }
    trainwarden::print(stdout, fmt::format("seed {}: {}: {}\n", story.seed,
                                           violations.front().invariant, violations.front().text));
    std::fflush(stdout);
  }
  return true;
}

int run(const Options& options) {
  Tally tally;
  std::uint64_t broken = 0;
  for (const std::uint64_t seed : options.seeds)
    if (!run_from(seed, options, tally, broken)) return 1;
  if (broken > 0) {
    trainwarden::print(
        stdout, fmt::format("{} histories broke an invariant, of {}\n", broken, tally.text()));
    return 1;
  }
  trainwarden::print(stdout, fmt::format("no invariant was broken, from seed {} on: {}\n",
                                         options.seeds.front(), tally.text()));
  if (const std::string missing = tally.missing(); !missing.empty()) {
    trainwarden::print(stdout, fmt::format("but there were no {}: that proves little\n", missing));
    return 1;
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  std::signal(SIGPIPE, SIG_IGN);  // `./dev chaos | head` ends no history halfway
  const auto options = read({arguments + 1, arguments + count});
  if (!options) {
    trainwarden::print(stderr, "usage: chaos [--histories N] [--seed S]… [--all | --whole]\n");
    return kUsage;
  }
  return run(*options);
}
