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
  for (int i = 0; i < kBreaches; ++i)
    if (draw.chance(static_cast<Breach>(i) == Breach::kFailed ? 0.6 : 0.4))
      breaches.push_back(static_cast<Breach>(i));
  if (breaches.empty()) breaches.push_back(static_cast<Breach>(draw.between(0, kBreaches - 1)));
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
  if (job.stopped_by_hand_after)
    out += fmt::format(", stopped by hand after {} s", job.stopped_by_hand_after->count());
  for (const Turn& turn : job.turns)
    out += fmt::format("\n      after {} s {}{}", turn.after.count(), turn.secondary,
                       turn.reason.empty() ? "" : ": " + turn.reason);
  return out;
}

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
  return out;
}

Law law_at(const Story& story, milliseconds since_start) {
  Law out = story.law;
  if (story.held && since_start >= story.held->from && since_start < story.held->to)
    out.ceiling = weaker(out.ceiling, story.held->mode);
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
  for (const JobStory& job : story.jobs) out += "  " + to_text(job) + "\n";
  out += "  sweeps:";
  for (const seconds at : story.sweeps) out += " " + clock_text(at);
  return out + "\n";
}

}  // namespace trainwarden::chaos
