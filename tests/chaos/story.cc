#include "tests/chaos/story.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <random>

namespace trainwarden::chaos {
namespace {

constexpr std::array<const char*, 3> kTypes = {"ml.g5.12xlarge", "ml.p4d.24xlarge",
                                               "ml.g4dn.xlarge"};

// std::mt19937_64 is the same everywhere; the standard's distributions are not.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  bool chance(double p) { return static_cast<double>(random_() >> 11U) / 9007199254740992.0 < p; }
  long between(long low, long high) {
    return low + static_cast<long>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  template <class List>
  auto one_of(const List& list) {
    return list[static_cast<std::size_t>(between(0, static_cast<long>(std::size(list)) - 1))];
  }

 private:
  std::mt19937_64 random_;
};

std::string draw_mode(Draw& draw, double enforce) {
  if (draw.chance(enforce)) return "enforce";
  return draw.chance(0.5) ? "notify" : "observe";
}

Rule draw_rule(Draw& draw, Breach breach) {
  constexpr std::array<long, 4> kUsd = {300, 1000, 3000, 5000};
  Rule out{.breach = breach};
  if (draw.chance(0.15)) out.mode = draw_mode(draw, 0.3);
  out.notify = draw.chance(0.8);
  out.spares = draw.chance(0.3);
  out.type = draw.one_of(kTypes);
  out.limit = draw.between(1, 3);
  switch (breach) {
    case Breach::kMachines:
      out.number = draw.between(1, 3);
      break;
    case Breach::kCost:
      out.number = draw.one_of(kUsd);
      break;
    case Breach::kLong:
      out.number = draw.between(10, 60) * 60;
      break;
    case Breach::kInterrupted:
      out.number = draw.between(1, 3);
      break;
    default:
      break;
  }
  return out;
}

Law draw_law(Draw& draw) {
  constexpr std::array<long, 5> kLimits = {1, 2, 3, 5, 20};
  Law out;
  out.mode = draw_mode(draw, 0.85);
  out.ceiling = draw_mode(draw, 0.92);
  std::vector<Breach> breaches;
  for (int i = 0; i < kFirstBreaches; ++i)
    if (draw.chance(static_cast<Breach>(i) == Breach::kFailed ? 0.6 : 0.4))
      breaches.push_back(static_cast<Breach>(i));
  if (breaches.empty())
    breaches.push_back(static_cast<Breach>(draw.between(0, kFirstBreaches - 1)));
  for (const Breach breach : breaches) out.rules.push_back(draw_rule(draw, breach));
  out.stops_per_sweep = draw.chance(0.5) ? 5 : draw.one_of(kLimits);
  out.stops_per_hour = draw.chance(0.5) ? 20 : draw.one_of(kLimits);
  if (draw.chance(0.02)) out.stops_per_hour = 0;
  if (draw.chance(0.5)) out.silent_stops_per_hour = draw.between(1, 5);
  out.restarts_per_hour = draw.chance(0.6) ? 20 : draw.one_of(kLimits);
  return out;
}

std::vector<Turn> draw_queue(Draw& draw, bool spot) {
  constexpr std::array<const char*, 4> kReasons = {
      "InternalServerError: We encountered an internal error. Please try again.",
      "CapacityError: Unable to provision requested ML compute capacity. Please retry using a "
      "different ML instance type.",
      "AlgorithmError: ExecuteUserScriptError: ExitCode 1",
      "InternalServerError: We encountered an internal error. Please try again."};
  std::vector<Turn> out;
  seconds at{draw.between(10, 900)};
  if (spot)
    for (long i = draw.between(0, 4); i > 0; --i) {
      out.push_back({at, "Interrupted"});
      at += seconds(draw.between(5, 400));
      out.push_back({at, "Starting"});
      at += seconds(draw.between(10, 900));
    }
  at += seconds(draw.between(0, 4000));
  if (draw.chance(0.4))
    out.push_back({at, "Failed", draw.one_of(kReasons)});
  else if (draw.chance(0.3))
    out.push_back({at, "Completed"});
  return out;
}

JobStory draw_job(Draw& draw, int number, seconds at) {
  constexpr std::array<long, 2> kRuntimes = {86400, 432000};
  JobStory out{.name = fmt::format("job-{}", number), .at = at};
  out.type = draw.one_of(kTypes);
  out.count = static_cast<int>(draw.between(1, 4));
  out.spot = draw.chance(0.45);
  if (draw.chance(0.7))
    out.checkpoint = draw.chance(0.35) ? "s3://example-bucket/checkpoints/shared"
                                       : "s3://example-bucket/checkpoints/" + out.name;
  if (draw.chance(0.7)) out.owner_after = seconds(0);
  if (!out.owner_after && draw.chance(0.4)) out.owner_after = seconds(draw.between(1, 1500));
  out.spare = draw.chance(0.15);
  out.max_runtime = draw.one_of(kRuntimes);
  out.turns = draw_queue(draw, out.spot);
  if (draw.chance(0.3))
    out.idle_after = seconds(draw.between(0, 2400));
  else if (draw.chance(0.3))
    out.silent_after = seconds(draw.between(0, 3600));
  if (draw.chance(0.1)) out.stopped_by_hand_after = seconds(draw.between(5, 5000));
  if (draw.chance(0.1)) out.deleted_after = seconds(draw.between(300, 9000));
  return out;
}

// At that time all jobs fail that run, within seconds of each other.
void fail_all(Draw& draw, std::vector<JobStory>& jobs, seconds at) {
  for (JobStory& job : jobs) {
    const seconds after = at + seconds(draw.between(0, 20)) - job.at;
    if (after < seconds(5)) continue;
    std::erase_if(job.turns, [&](const Turn& turn) { return turn.after >= after; });
    job.turns.push_back(
        {after, "Failed", "InternalServerError: We encountered an internal error."});
  }
}

Rates draw_rates(Draw& draw) {
  const auto at_most = [&](double most) {
    return draw.chance(0.4) ? 0.0 : most * static_cast<double>(draw.between(1, 10)) / 10;
  };
  return {.lost = at_most(0.3),
          .late = at_most(0.4),
          .doubled = at_most(0.3),
          .dies = at_most(0.03),
          .throttled = at_most(0.05),
          .broken = at_most(0.03),
          .denied = at_most(0.05),
          .cut = at_most(0.03),
          .slow = at_most(0.05),
          .lags = at_most(0.4)};
}

std::string to_text(const JobStory& job) {
  std::string out =
      fmt::format("{} {}: {} x {}{}{}", clock_text(job.at), job.name, job.count, job.type,
                  job.spot ? ", spot" : "", job.checkpoint.empty() ? "" : ", " + job.checkpoint);
  if (job.owner_after) out += fmt::format(", owner after {} s", job.owner_after->count());
  if (job.spare) out += ", spare=yes";
  out += fmt::format(", MaxRuntime {} s", job.max_runtime);
  if (job.idle_after) out += fmt::format(", idle after {} s", job.idle_after->count());
  if (job.silent_after) out += fmt::format(", silent after {} s", job.silent_after->count());
  if (job.deleted_after) out += fmt::format(", deleted after {} s", job.deleted_after->count());
  const auto after = [&out](const char* what, std::optional<seconds> time) {
    if (time) out += fmt::format(", {} after {} s", what, time->count());
  };
  after("owner lost", job.owner_lost_after);
  after("works again", job.works_after);
  after("idle again", job.idle_again_after);
  after("its tag stop-at", job.stop_at_after);
  after("writes no checkpoint", job.writes_until);
  if (job.role != "SomeRole") out += ", " + job.role;
  if (job.tags > 0)
    out += fmt::format(", {} tags of {}{}", job.tags, job.tag_size, job.wide_tags ? " wide" : "");
  if (job.parameters > 0) out += fmt::format(", {} parameters", job.parameters);
  if (job.endless_log) out += ", a log without an end";
  if (job.lacks_memory) out += ", lacks memory";
  if (job.keep_alive > seconds(0)) out += fmt::format(", a pool for {} s", job.keep_alive.count());
  if (job.of_tuner) out += ", of a tuning job";
  if (job.cost_center) out += ", cost_center";
  if (job.stopped_by_hand_after)
    out += fmt::format(", stopped by hand after {} s", job.stopped_by_hand_after->count());
  for (const Turn& turn : job.turns)
    out += fmt::format("\n      after {} s {}{}", turn.after.count(), turn.secondary,
                       turn.reason.empty() ? "" : ": " + turn.reason);
  return out;
}

// Each has three events within seconds: some two hundred invocations at once.
constexpr int kBurst = 66;

// Each of these is drawn by its name, so that one more changes none of the others.
class Growth {
  // Above their first use, since their results are deduced.
  bool chance(const std::string& about, double share) const { return dice_.roll(about) < share; }
  template <class List>
  auto one_of(const std::string& about, const List& list) const {
    return list[static_cast<std::size_t>(
        dice_.between(about, 0, static_cast<long>(std::size(list)) - 1))];
  }

 public:
  Growth(Story& story, const Dice& dice) : story_(story), dice_(dice) {}

  void grow() {
    story_.grown = true;
    if (chance("a burst", 0.006)) return burst();
    grow_law(story_.law, "law");
    for (JobStory& job : story_.jobs) grow_job(job);
    if (chance("more of one role", 0.1)) crowd();
    grow_rates();
    if (chance("an edit", 0.25)) edit("edit 1", dice_.between("edit 1 at", 300, 4000));
    if (chance("an edit", 0.1)) edit("edit 2", dice_.between("edit 2 at", 4100, 7000));
    if (chance("a report", 0.15)) story_.weekly = seconds(dice_.between("report at", 60, 6000));
    constexpr std::array<long, 4> kErrors = {900, 900, 4000, 60000};
    story_.clock_error = milliseconds(one_of("clock", kErrors));
    if (chance("large pages", 0.1))
      story_.page_limit = static_cast<std::size_t>(dice_.between("page", 1, 4));
  }

 private:
  void maybe(std::optional<seconds>& time, const std::string& about, double share, long low,
             long high) const {
    if (chance(about + "?", share)) time = seconds(dice_.between(about, low, high));
  }

  static bool is_described(const Rule& rule) {
    return rule.stops() && !rule.watches() && rule.breach != Breach::kTuner &&
           rule.breach != Breach::kStale;
  }

  void grow_law(Law& law, const std::string& about) const {
    const auto add = [&](Breach breach, double share, long number) {
      const std::string of = fmt::format("{} {}", about, name(breach));
      if (!chance(of, share)) return;
      Rule rule{.breach = breach, .number = number};
      rule.notify = chance(of + " tells", 0.8);
      rule.spares = chance(of + " spares", 0.2);
      if (chance(of + " mode", 0.1)) rule.mode = "notify";
      law.rules.push_back(rule);
    };
    add(Breach::kExpired, 0.25, 0);
    add(Breach::kStale, 0.15, dice_.between(about + " stale", 10, 40) * 60);
    add(Breach::kTuner, 0.12, 0);
    add(Breach::kPool, 0.15, 0);
    add(Breach::kMemory, 0.2, 0);
    constexpr std::array<long, 4> kGraces = {300, 900, 1800, 2700};
    for (Rule& rule : law.rules) {
      const std::string of = fmt::format("{} {} grace", about, rule.rule_name());
      if (is_described(rule) && chance(of, 0.35)) rule.grace = one_of(of, kGraces);
    }
  }

  void grow_job(JobStory& job) const {
    const std::string& who = job.name;
    if (job.owner_after) {
      const long from = job.owner_after->count();
      maybe(job.owner_lost_after, who + " owner lost", 0.3, from + 60, from + 5000);
    }
    if (job.idle_after) {
      const long from = job.idle_after->count();
      maybe(job.works_after, who + " works", 0.3, from + 1200, from + 3600);
      if (job.works_after) {
        const long then = job.works_after->count();
        maybe(job.idle_again_after, who + " idle again", 0.6, then + 300, then + 3600);
      }
    }
    maybe(job.stop_at_after, who + " stop-at", 0.4, 300, 9000);
    if (chance(who + " fails", 0.2)) fail_after_interruption(job);
    if (!job.checkpoint.empty()) maybe(job.writes_until, who + " writes", 0.6, 60, 6000);
    job.role = fmt::format("Role{}", dice_.between(who + " role", 1, 3));
    constexpr std::array<int, 3> kSizes = {1, 60, 256};
    if (chance(who + " tags", 0.25)) {
      job.tags = static_cast<int>(dice_.between(who + " tags", 1, 43));
      job.tag_size = one_of(who + " size", kSizes);
      job.wide_tags = chance(who + " wide", 0.4);
    }
    if (chance(who + " parameters", 0.03))
      job.parameters = static_cast<int>(dice_.between(who + " parameters", 10, 90));
    job.lacks_memory = chance(who + " memory", 0.3);
    job.endless_log = chance(who + " log", 0.08);
    constexpr std::array<long, 3> kKept = {600, 2400, 3600};
    if (!job.spot && chance(who + " pool", 0.4)) job.keep_alive = seconds(one_of(who, kKept));
    job.of_tuner = !job.spot && chance(who + " tuner", 0.15);
    job.cost_center = !chance(who + " cost", 0.4);
  }

  // While functions may still look at the interruption.
  void fail_after_interruption(JobStory& job) const {
    auto& turns = job.turns;
    const auto one = std::ranges::find(turns, "Interrupted", &Turn::secondary);
    if (one == turns.end()) return;
    const seconds at = one->after + seconds(dice_.between(job.name + " fails at", 1, 12));
    turns.erase(one + 1, turns.end());
    turns.push_back({at, "Failed", "AlgorithmError: ExecuteUserScriptError: ExitCode 1"});
  }

  // Jobs of one role that fail together, and need more copies than there are in an hour.
  void crowd() const {
    const seconds at(dice_.between("crowd at", 300, 5000));
    for (int i = 0; i < 8; ++i) {
      JobStory job{.name = fmt::format("crowd-{}", i + 1), .at = at};
      job.owner_after = seconds(0);
      job.role = "Crowd";
      job.turns = {{seconds(dice_.between(job.name, 300, 500)), "Failed",
                    "InternalServerError: We encountered an internal error."}};
      story_.jobs.push_back(job);
    }
    story_.law.restarts_per_hour = dice_.between("crowd's limit", 1, 3);
  }

  void grow_rates() const {
    if (chance("deadly", 0.2)) story_.rates.dies = 0.06;
    if (chance("slow", 0.12)) story_.rates.slow = 0.25;
    if (chance("denied", 0.15)) story_.rates.denied = 0.3;
  }

  void edit(const std::string& about, long at) const {
    Law law = story_.edits.empty() ? story_.law : story_.edits.back().law;
    const double what = dice_.roll(about);
    const auto which = static_cast<std::size_t>(
        dice_.between(about + " rule", 0, static_cast<long>(law.rules.size()) - 1));
    if (what < 0.3) {
      constexpr std::array<const char*, 3> kModes = {"observe", "notify", "enforce"};
      law.mode = one_of(about + " mode", kModes);
    } else if (what < 0.5 && law.rules.size() > 1) {
      law.rules.erase(law.rules.begin() + static_cast<std::ptrdiff_t>(which));
    } else if (what < 0.8) {
      Rule& rule = law.rules[which];
      rule.mode = chance(about + " mode", 0.5) ? "notify" : "";
      rule.spares = !rule.spares;
      if (is_described(rule)) rule.grace = rule.grace > 0 ? 0 : 900;
    } else {
      Rule& rule = law.rules[which];
      rule.notify = !rule.notify;
      rule.number = std::max(rule.number / 2, 1L);
    }
    story_.edits.push_back({seconds(at), law});
  }

  void burst() const {
    story_.burst = Burst{.at = seconds(dice_.between("burst", 60, 3000)), .jobs = kBurst};
    story_.law = Law();
    story_.law.rules = {Rule{.breach = Breach::kNoOwner}};
    story_.law.stops_per_hour = 1000;
    story_.law.stops_per_sweep = 1000;
    story_.jobs.clear();
    story_.rates = Rates();
    story_.held.reset();
    story_.no_metrics = false;
    story_.search_lag = story_.index_lag = seconds(0);
    story_.end = std::chrono::hours(3);
    for (int i = 0; i < story_.burst->jobs; ++i) {
      JobStory job{.name = fmt::format("burst-{}", i + 1), .at = story_.burst->at};
      job.role = fmt::format("Role{}", i % 3);
      story_.jobs.push_back(job);
    }
  }

  Story& story_;
  const Dice& dice_;
};

}  // namespace

Story draw(std::uint64_t seed) {
  constexpr std::array<long, 4> kLags = {0, 1, 5, 15};
  Draw draw(seed);
  Story out{.seed = seed};
  out.law = draw_law(draw);
  const int jobs = static_cast<int>(draw.chance(0.05) ? draw.between(8, 16) : draw.between(1, 7));
  seconds at{0};
  for (int i = 0; i < jobs; ++i) {
    if (!draw.chance(0.4)) at = seconds(draw.between(30, 5400));  // else beside the one before
    out.jobs.push_back(draw_job(draw, i + 1, at));
  }
  if (draw.chance(0.3)) fail_all(draw, out.jobs, seconds(draw.between(600, 7000)));
  for (seconds sweep{0}; sweep < kWeather; sweep += std::chrono::minutes(15)) {
    out.sweeps.push_back(sweep + seconds(draw.between(0, 30)));
    if (draw.chance(0.15)) out.sweeps.push_back(out.sweeps.back() + seconds(draw.between(0, 3)));
  }
  out.rates = draw_rates(draw);
  out.search_lag = seconds(draw.one_of(kLags));
  out.index_lag = seconds(draw.one_of(kLags));
  out.attempts = static_cast<int>(draw.between(1, 3));
  out.no_metrics = draw.chance(0.2);
  if (draw.chance(0.15)) {
    const seconds from(draw.between(60, 5000));
    out.held = {.from = from,
                .to = from + seconds(draw.between(60, 5000)),
                .mode = draw.chance(0.5) ? "observe" : "notify"};
  }
  if (seed >= kGrown) Growth(out, Dice(seed)).grow();
  return out;
}

Law law_at(const Story& story, milliseconds since_start) {
  Law out = story.law;
  for (const Edit& edit : story.edits)
    if (since_start >= edit.at) out = edit.law;
  if (story.held && since_start >= story.held->from && since_start < story.held->to)
    out.ceiling = weaker(out.ceiling, story.held->mode);
  return out;
}

std::vector<Law> laws_until(const Story& story, milliseconds since_start) {
  std::vector<Law> out{story.law};
  for (const Edit& edit : story.edits)
    if (since_start >= edit.at) out.push_back(edit.law);
  return out;
}

std::string clock_text(milliseconds since_start) {
  const long all = since_start.count();
  return fmt::format("{:02}:{:02}:{:02}.{:03}", all / 3600000, all / 60000 % 60, all / 1000 % 60,
                     all % 1000);
}

std::string to_text(const Story& story) {
  std::string out = fmt::format(
      "  policy: {}\n  TRAINWARDEN_MODE={}, AWS_MAX_ATTEMPTS={}, Search lags {} s, the table's "
      "index {} s{}\n",
      story.law.to_json(), story.law.ceiling, story.attempts, story.search_lag.count(),
      story.index_lag.count(), story.no_metrics ? ", no metrics for an hour" : "");
  if (story.held)
    out += fmt::format("  TRAINWARDEN_MODE={} from {} to {}\n", story.held->mode,
                       clock_text(story.held->from), clock_text(story.held->to));
  for (const Edit& edit : story.edits)
    out += fmt::format("  from {} on: {}\n", clock_text(edit.at), edit.law.to_json());
  if (story.grown)
    out += fmt::format(
        "  clocks {} ms off{}{}{}\n", story.clock_error.count(),
        story.page_limit > 0 ? fmt::format(", pages of at most {} jobs", story.page_limit) : "",
        story.weekly ? ", a report at " + clock_text(*story.weekly) : "",
        story.burst ? fmt::format(", {} jobs at once", story.burst->jobs) : "");
  for (const JobStory& job : story.jobs) out += "  " + to_text(job) + "\n";
  out += "  sweeps:";
  for (const seconds at : story.sweeps) out += " " + clock_text(at);
  return out + "\n";
}

}  // namespace trainwarden::chaos
