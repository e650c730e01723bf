// chaos: random histories of jobs under random policies, in bad weather, and what must hold in each
// of them whatever happens.
//
//   chaos [--histories N] [--seed S]
//
// A history is two hours of weather: jobs start, train, fall idle or silent, are interrupted, fail
// (all at once, in an outage), and are stopped and deleted by people; sweeps come every quarter of
// an hour; the kill switch is thrown; events, messages and sweeps are lost, late, doubled and out
// of order; functions run at once, in any order of their calls, and die before and after any of
// them; calls are throttled, refused, slow, or their answer is lost; clocks differ; Search, the
// table's index, DescribeTrainingJob and ListTags tell of the past. Then nothing fails any more for
// thirty hours, and what was missed is made up for. All of it follows from the seed.
//
// The invariants, by the names under which a violation is told:
//
//   stopped without a rule: a function stops a job only where a rule that is enforced matches it,
//     as it was when the function looked.
//   copied without a rule: a job is copied only after a failure, or a stop, by which a restart's
//     rule matched it, and never below TRAINWARDEN_MODE enforce.
//   left running: a job that breaks an enforced rule for hours, when the weather is over, was
//     stopped; or a limit that is truly used up holds it back, and the last record says so.
//   not copied: a job that failed, with a rule that copies it, or that was stopped to be copied,
//     has its copy, or a record says why not.
//   not told: of a job that breaks a rule of the mode notify, people hear.
//   not watched: a job that trains has the alarms that its rules ask for.
//   two live jobs: no copy is made while the original lives, or while any other job on its
//     checkpoint does that the functions made or that Search could tell of.
//   two copies: a job has one copy at most.
//   endless chain: no copy is of a higher generation than a rule's limit, and in the end the table
//     owes nothing.
//   silent: what a function did stands in its log; a stop, by rules that notify, is told to people.
//   told twice: what was told, and noted as told, is not told again.
//   wrote without enforce: observe writes nothing but alarms (W2), notify no more than notices.
//   limit: in no hour are more jobs stopped, stopped for their silence, or copied, than the limits
//     say, and no sweep stops more than stops_per_sweep by one rule on descriptions, or three times
//     that by all.
//   alarm without a job: in the end each alarm has a job that lives.
//
// The judge (judge.cc) knows what truly was (law.h) and none of the product's code. Where an
// invariant is broken, the seed is told, and the shortest history that still breaks it.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  std::uint64_t seed = 1;
};

std::optional<Options> read(const std::vector<std::string_view>& arguments) {
  Options out;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    if (i + 1 == arguments.size()) return std::nullopt;
    std::uint64_t* const into = arguments[i] == "--histories" ? &out.histories
                                : arguments[i] == "--seed"    ? &out.seed
                                                              : nullptr;
    const std::string_view text = arguments[i + 1];
    if (into == nullptr) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *into);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  }
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
    for (const Invocation& one : evidence.invocations) counts_["deaths"] += one.died ? 1 : 0;
    for (const Act& act : evidence.acts) {
      if (!act.done) continue;
      if (act.operation == "StopTrainingJob") ++counts_["stops"];
      if (act.operation == "CreateTrainingJob") ++counts_["copies"];
      if (act.operation == "PutMetricAlarm") ++counts_["alarms"];
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
    for (int i = 0; i < kBreaches; ++i) {
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
    for (const std::string& line : block_) fmt::print("    {}\n", line);
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

void tell(const Story& story, const Violation& violation) {
  fmt::print("\nseed {}: {}: {}\n", story.seed, violation.invariant, violation.text);
  fmt::print("looking for the shortest history that breaks it ...\n");
  std::fflush(stdout);
  const Shortest shortest = shrink(story, violation.invariant);
  fmt::print("{}", to_text(shortest.story));
  fmt::print("  mishaps:\n");
  for (const std::string& mishap : shortest.evidence.struck) fmt::print("    {}\n", mishap);
  fmt::print("  what happened:\n");
  Diary().print(shortest.evidence.diary);
  for (const Violation& one : shortest.violations) fmt::print("{}: {}\n", one.invariant, one.text);
  fmt::print("seed {}: again by `./dev chaos --histories 1 --seed {}`\n", story.seed, story.seed);
}

// Whether a second telling of the story goes as the first, line by line.
bool is_told_again(const Story& story) {
  const auto diary = [&] { return World(story, {}, true).run().diary; };
  const auto first = diary();
  const auto second = diary();
  const auto [a, b] = std::ranges::mismatch(first, second);
  if (a == first.end() && b == second.end()) return true;
  fmt::print("seed {}: told twice, and not alike:\n  {}\n  {}\n", story.seed,
             a == first.end() ? "(its end)" : *a, b == second.end() ? "(its end)" : *b);
  return false;
}

int run(const Options& options) {
  Tally tally;
  for (std::uint64_t i = 0; i < options.histories; ++i) {
    const Story story = draw(options.seed + i);
    if (i % kTellAgainEach == 0 && !is_told_again(story)) return 1;
    World world(story, {}, false);
    const Evidence evidence = world.run();
    tally.add(evidence);
    const auto violations = judge(evidence);
    if (violations.empty()) continue;
    tell(story, violations.front());
    return 1;
  }
  fmt::print("no invariant was broken, from seed {} on: {}\n", options.seed, tally.text());
  if (const std::string missing = tally.missing(); !missing.empty()) {
    fmt::print("but there were no {}: that proves little\n", missing);
    return 1;
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const auto options = read({arguments + 1, arguments + count});
  if (!options) {
    fmt::print(stderr, "usage: chaos [--histories N] [--seed S]\n");
    return kUsage;
  }
  return run(*options);
}
