// A backtest decides as the deployed functions do (issue 17, 3): 200 made-up histories are lived
// through with the functions on the embedded AWS, in observe mode, and are then exported and
// replayed. Each event and each sweep must have come to the same decisions, for the same reasons.
//
// Left out: what sweeps say of jobs that have ended. A function says it again at every sweep for a
// day, in case the job's own event was lost; in a replay none is.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "handlers/actions/restart/copy.h"
#include "handlers/actions/sweep/sweep.h"
#include "handlers/cli/backtest/replay_export.h"
#include "handlers/cli/export/export_lines.h"
#include "handlers/rules/decide/decision_text.h"
#include "handlers/rules/job/job_at.h"
#include "tests/restart/history.h"
#include "tests/support/aws/one_attempt_client.h"

namespace trainwarden::testing::same_decisions_test {
namespace {

using std::chrono::seconds;

// Rules about what a job is, how long it runs, what it costs, how it ends, the time of day, the
// times in its tags and the fleet.
constexpr const char* kRules = R"(
  {"name": "team", "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "tags": {"team": [{"exists": false}]}}, "actions": ["stop"]},
  {"name": "machines", "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "resources": {"instance_count": [{"numeric": [">", 2]}]}}, "unless": {"tags": {"team": ["research"]}}, "actions": ["stop", "notify"]},
  {"name": "long", "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "runtime": {"training_seconds": [{"numeric": [">", 7200]}]}}, "actions": ["stop"]},
  {"name": "queued", "match": {"job": {"SecondaryStatus": ["Starting"]}, "runtime": {"elapsed_seconds": [{"numeric": [">", 1200]}]}}, "actions": ["notify"]},
  {"name": "dear", "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "cost": {"spent_usd": [{"numeric": [">", 40]}]}}, "actions": ["notify"]},
  {"name": "thrash", "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "spot": {"interruptions": [{"numeric": [">", 1]}]}}, "actions": [{"restart": {"spot": false}}]},
  {"name": "again", "match": {"job": {"TrainingJobStatus": ["Failed"]}, "failure": {"resume": ["yes"]}}, "actions": [{"restart": {}}]},
  {"name": "bug", "match": {"job": {"TrainingJobStatus": ["Failed"]}, "failure": {"resume": ["no"]}}, "actions": ["notify"]},
  {"name": "limit", "match": {"job": {"SecondaryStatus": ["MaxRuntimeExceeded"]}}, "actions": ["notify"]},
  {"name": "night", "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "time": {"hour": [2, 3]}, "resources": {"accelerator": ["gpu"]}}, "actions": ["notify"]},
  {"name": "stop-at", "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "until": {"stop-at": [{"numeric": ["<=", 0]}]}}, "actions": ["stop"]},
  {"name": "kept", "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "runtime": {"elapsed_seconds": [{"numeric": [">", 3600]}]}}, "unless": {"until": {"keep-until": [{"numeric": [">", 0, "<=", 14400]}]}}, "actions": ["stop"]},
  {"name": "scarce", "match": {"job": {"SecondaryStatus": ["Starting", "Training"]}, "fleet": {"capacity_errors_24h": [{"numeric": [">", 0]}]}}, "actions": ["notify"]})";
constexpr const char* kPrices =
    R"("prices": {"ml.g5.12xlarge": 7.09, "ml.p4d.24xlarge": {"usd": 37.7, "spot_factor": 0.4}, "ml.m5.xlarge": 0.23},)";

// {time, job, trigger} → what was decided; empty decisions are left out.
using Decided = std::map<std::tuple<long, std::string, std::string>, std::set<std::string>>;

std::string decision_text(const rules::Decision& decision) {
  std::string out = decision.rule + ":";
  for (const rules::Action& action : decision.actions)
    out.append(" ").append(rules::name(action.kind));
  for (const rules::Because& because : decision.because)
    out += fmt::format("; {} = {}", because.path(), rules::value_text(because));
  return out;
}

void note(Decided& to, sys_seconds at, std::string_view job, rules::Trigger trigger,
          const std::string& decision) {
  to[{static_cast<long>(at.time_since_epoch().count()), std::string(job),
      std::string(rules::name(trigger))}]
      .insert(decision);
}

// One job's life: what happens to it, and after how many seconds each time.
struct Life {
  std::string name;
  long created;
  std::vector<std::pair<long, std::pair<std::string, std::string>>> turns;  // time, state, reason
};

class Lived {
 public:
  explicit Lived(unsigned seed) : dice_(seed) {
    align();
    const int jobs = 2 + below(4);
    for (int i = 0; i < jobs; ++i) plan(i);
    std::ranges::sort(lives_, {}, &Life::created);
  }

  void run() {
    std::vector<std::pair<long, std::pair<std::size_t, std::size_t>>> happenings;
    for (std::size_t i = 0; i < lives_.size(); ++i) {
      happenings.push_back({lives_[i].created, {i, 0}});
      for (std::size_t j = 0; j < lives_[i].turns.size(); ++j)
        happenings.push_back({lives_[i].turns[j].first, {i, j + 1}});
    }
    std::ranges::sort(happenings);
    long next_sweep = begin_ + kQuarter;
    for (const auto& [time, which] : happenings) {
      for (; next_sweep < time; next_sweep += kQuarter) sweep_at(next_sweep);
      pass_to(time);
      happen(lives_[which.first], which.second);
    }
  }

  std::string exported() {
    std::string out = cli::header_line({.since = at(begin_),
                                        .until = at(epoch_now()),
                                        .region = kRegion,
                                        .policy = policy_.hash()});
    for (const Life& life : lives_) {
      rules::Sources sources{rules::JobEvent{.job_name = life.name}};
      sources.set(rules::Source::kDescribe, asked("DescribeTrainingJob", life.name));
      sources.set(rules::Source::kTags, tags_of(life.name));
      out += cli::job_line({std::move(sources), true}, rules::history_needs(policy_));
    }
    return out + cli::end_line(lives_.size());
  }

  const rules::Policy& policy() const { return policy_; }
  const Decided& decided() const { return decided_; }

 private:
  static constexpr long kQuarter = 900;
  static constexpr std::array<const char*, 2> kTimes = {"stop-at", "keep-until"};

  int below(int limit) { return static_cast<int>(dice_() % static_cast<unsigned>(limit)); }
  static sys_seconds at(long epoch) { return sys_seconds(seconds(epoch)); }
  long epoch_now() {
    return static_cast<long>(history_.clock().now().time_since_epoch().count() / 1000);
  }
  void pass_to(long time) { history_.aws().pass(seconds(time - epoch_now())); }
  void align() {
    begin_ = epoch_now() + kQuarter - epoch_now() % kQuarter;
    pass_to(begin_);
  }

  void plan(int number) {
    Life out;
    out.name = fmt::format("job-{}", number);
    // Never at a sweep, and never two at once.
    long time = begin_ + 60L * below(400) + 7 + number;
    out.created = time;
    const auto later = [&](int most) { return time += 60L * (1 + below(most)); };
    const auto turn = [&](long when, const std::string& state, const std::string& reason = "") {
      out.turns.push_back({when, {state, reason}});
    };
    turn(later(40), "Downloading");
    turn(later(10), "Training");
    for (int i = below(4); i > 0 && below(2) == 0; --i) {
      turn(later(60), "Interrupted");
      turn(later(30), "Downloading");
      turn(later(10), "Training");
    }
    later(300);
    switch (below(5)) {
      case 0:
        turn(time, "Failed", "InternalServerError: We encountered an internal error.");
        break;
      case 1:
        turn(time, "Failed",
             "AlgorithmError: ExecuteUserScriptError: ExitCode 1 ErrorMessage \"KeyError: 'lr'\"");
        break;
      case 2:
        turn(time, "Failed", "CapacityError: Unable to provision requested ML compute capacity.");
        break;
      case 3:
        turn(time, "MaxRuntimeExceeded");
        break;
      default:
        turn(time, "Uploading");
        turn(time + 60, "Completed");
    }
    lives_.push_back(std::move(out));
  }

  void happen(const Life& life, std::size_t which) {
    InProcessAws& aws = history_.aws();
    if (which == 0) {
      const std::vector<std::string> types{"ml.g5.12xlarge", "ml.p4d.24xlarge", "ml.m5.xlarge"};
      const std::vector<std::string> teams{"vision", "research", ""};
      const std::string team = teams[static_cast<std::size_t>(below(3))];
      Tags tags;
      if (!team.empty()) tags.emplace_back("team", team);
      for (const char* const key : kTimes)
        if (below(2) == 0)
          tags.emplace_back(key,
                            below(5) == 0 ? "soon" : rfc3339(at(life.created + 60L * below(600))));
      aws.place(
          {.name = life.name,
           .status = "InProgress",
           .secondary = "Starting",
           .type = types[static_cast<std::size_t>(below(3))],
           .count = 1 + below(4),
           .age = seconds(0),
           .since = seconds(0),
           .tags = tags,
           .more =
               below(2) == 0
                   ? R"(,"EnableManagedSpotTraining":true,"StoppingCondition":{"MaxRuntimeInSeconds":86400,"MaxWaitTimeInSeconds":172800})"
                   : ""});
    } else {
      const auto& [state, reason] = life.turns[which - 1].second;
      history_.transition(state, reason, life.name);
    }
    const auto described = asked("DescribeTrainingJob", life.name);
    const rules::TrainingJob job = rules::read_training_job(described.root());
    const auto record = history_.handle(
        history_.event(std::string(job.status_text), std::string(job.secondary_text), life.name));
    ASSERT_TRUE(record);
    add(*record);
  }

  void add(const actions::Record& record) {
    for (const actions::DecisionOutcome& one : record.decisions)
      note(decided_, at(epoch_now()), record.job, record.trigger, decision_text(one.decision));
  }

  void sweep_at(long time) {
    pass_to(time);
    aws::Client client = one_attempt_client(history_.aws(), history_.clock());
    const aws::CallContext context{Deadline::at(history_.clock().steady_now() + seconds(60)), "",
                                   nullptr};
    const actions::Apis apis(
        client, history_.clock(), context, history_.config(),
        {.watch = nullptr, .clear_alarms = nullptr, .copy = &actions::make_pending_copy},
        fmt::format("sweep-{}", time));
    const auto report =
        actions::sweep({policy_, history_.config().ceiling}, apis,
                       {[] { return 0.0; },
                        [this](const actions::Record& record) {
                          const localaws::Job* const job = history_.aws().find(record.job);
                          if (job != nullptr && !localaws::ended(job->machine.state().status))
                            add(record);
                        }});
    EXPECT_FALSE(report.incomplete);
    // A sweep takes its time: calls are paced.
    EXPECT_LT(epoch_now(), time + 60);
  }

  json::Document asked(std::string_view operation, const std::string& job) {
    const auto answer =
        history_.aws().call(operation, fmt::format(R"({{"TrainingJobName":"{}"}})", job));
    EXPECT_TRUE(answer);
    return json::Document::parse(*answer).value();
  }

  json::Document tags_of(const std::string& job) {
    return json::Document::build([&](json::Sink& sink) {
      sink.begin_object();
      for (const char* const key : {"team", kTimes[0], kTimes[1]})
        if (const std::string value = history_.aws().tag(job, key); !value.empty())
          sink.member(key, std::string_view(value));
      sink.end_object();
    });
  }

  std::mt19937 dice_;
  rules::Policy policy_ = testing::policy(kRules, "observe", kPrices);
  History history_{policy_};
  long begin_ = 0;
  std::vector<Life> lives_;
  Decided decided_;
};

Decided replayed(const std::string& exported, const rules::Policy& policy) {
  std::istringstream lines(exported);
  Decided out;
  std::map<std::string, bool> ended;
  cli::ReplayOptions options;
  options.policy_name = "policy.json";
  options.as_enforced = false;
  options.on_event = [&](const cli::ReplayedEvent& one) {
    for (const rules::Decision& decision : one.evaluation.decisions)
      note(out, one.at, one.event.job_name, one.event.trigger, decision_text(decision));
  };
  const auto findings = cli::replay_export(lines, &policy, options);
  EXPECT_TRUE(findings);
  EXPECT_EQ(findings->bad_lines, 0U);
  EXPECT_TRUE(findings->complete);
  return out;
}

std::string shown(const Decided& all) {
  std::string out;
  for (const auto& [key, decisions] : all)
    for (const std::string& decision : decisions)
      out += fmt::format("{} {} {}: {}\n", std::get<0>(key), std::get<1>(key), std::get<2>(key),
                         decision);
  return out;
}

// Under the sanitizers, where each takes ten times as long, the first forty.
#ifdef __has_feature
constexpr unsigned kHistories = __has_feature(address_sanitizer) ? 40 : 200;
#else
constexpr unsigned kHistories = 200;
#endif

TEST(SameDecisions, OfManyHistories) {
  std::size_t decisions = 0;
  for (unsigned seed = 1; seed <= kHistories; ++seed) {
    Lived lived(seed);
    lived.run();
    const std::string exported = lived.exported();
    const Decided again = replayed(exported, lived.policy());
    ASSERT_EQ(shown(lived.decided()), shown(again)) << "seed " << seed;
    ASSERT_EQ(shown(replayed(exported, lived.policy())), shown(again));
    decisions += again.size();
  }
  EXPECT_GT(decisions, 10U * kHistories);
}

}  // namespace
}  // namespace trainwarden::testing::same_decisions_test
