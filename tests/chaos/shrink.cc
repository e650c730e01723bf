#include "tests/chaos/shrink.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "tests/chaos/world.h"

namespace trainwarden::chaos {
namespace {

constexpr int kMostRuns = 1500;

class Shrinker {
 public:
  Shrinker(Story story, const std::string& invariant)
      : story_(std::move(story)), invariant_(invariant) {}

  Shortest shrink() {
    for (int before = runs_; progress_ && runs_ < kMostRuns; before = runs_) {
      progress_ = false;
      take_jobs();
      spare_mishaps();
      take_lists();
      calm_down();
      if (runs_ == before) break;
    }
    World world(story_, spared_, true);
    Evidence evidence = world.run();
    auto violations = judge(evidence);
    std::erase_if(violations, [&](const Violation& one) { return one.invariant != invariant_; });
    return {std::move(story_), std::move(spared_), std::move(evidence), std::move(violations)};
  }

 private:
  bool breaks(const Story& story, const std::set<std::string>& spared) {
    if (++runs_ > kMostRuns) return false;
    World world(story, spared, false);
    const Evidence evidence = world.run();
    const bool broken = std::ranges::any_of(
        judge(evidence), [&](const Violation& one) { return one.invariant == invariant_; });
    if (broken) struck_ = evidence.struck;
    return broken;
  }

  bool attempt(const std::function<void(Story&)>& change) {
    Story changed = story_;
    change(changed);
    if (!breaks(changed, spared_)) return false;
    story_ = std::move(changed);
    progress_ = true;
    return true;
  }

  // Halves first, then single ones.
  template <class List>
  void take(List Story::* list) {
    for (std::size_t size = std::max<std::size_t>((story_.*list).size() / 2, 1);; size /= 2) {
      for (std::size_t at = 0; at < (story_.*list).size();) {
        const std::size_t count = std::min(size, (story_.*list).size() - at);
        const bool taken = attempt([&](Story& story) {
          auto& items = story.*list;
          const auto from = items.begin() + static_cast<std::ptrdiff_t>(at);
          items.erase(from, from + static_cast<std::ptrdiff_t>(count));
        });
        if (!taken) at += count;
      }
      if (size <= 1) return;
    }
  }

  void take_jobs() {
    take(&Story::jobs);
    for (std::size_t i = 0; i < story_.law.rules.size();)
      if (!attempt([i](Story& story) {
            story.law.rules.erase(story.law.rules.begin() + static_cast<std::ptrdiff_t>(i));
          }))
        ++i;
  }

  void take_lists() {
    take(&Story::sweeps);
    take(&Story::edits);
    for (std::size_t i = 0; i < story_.jobs.size(); ++i) {
      for (std::size_t j = story_.jobs[i].turns.size(); j-- > 0;)
        attempt([i, j](Story& story) {
          auto& turns = story.jobs[i].turns;
          turns.erase(turns.begin() + static_cast<std::ptrdiff_t>(j));
        });
      if (story_.jobs[i].stopped_by_hand_after)
        attempt([i](Story& story) { story.jobs[i].stopped_by_hand_after.reset(); });
      if (story_.jobs[i].idle_after)
        attempt([i](Story& story) { story.jobs[i].idle_after.reset(); });
      if (story_.jobs[i].deleted_after)
        attempt([i](Story& story) { story.jobs[i].deleted_after.reset(); });
      if (story_.jobs[i].silent_after)
        attempt([i](Story& story) { story.jobs[i].silent_after.reset(); });
      if (story_.jobs[i].owner_after != seconds(0))
        attempt([i](Story& story) { story.jobs[i].owner_after = seconds(0); });
      if (story_.jobs[i].count > 1) attempt([i](Story& story) { story.jobs[i].count = 1; });
      take_growth(i);
    }
  }

  void take_growth(std::size_t i) {
    take_time(i, &JobStory::owner_lost_after);
    take_time(i, &JobStory::works_after);
    take_time(i, &JobStory::idle_again_after);
    take_time(i, &JobStory::stop_at_after);
    take_time(i, &JobStory::writes_until);
    if (story_.jobs[i].tags > 0) attempt([i](Story& story) { story.jobs[i].tags = 0; });
    if (story_.jobs[i].parameters > 0) attempt([i](Story& story) { story.jobs[i].parameters = 0; });
    if (story_.jobs[i].endless_log)
      attempt([i](Story& story) { story.jobs[i].endless_log = false; });
    if (story_.jobs[i].keep_alive > seconds(0))
      attempt([i](Story& story) { story.jobs[i].keep_alive = seconds(0); });
    if (story_.jobs[i].of_tuner) attempt([i](Story& story) { story.jobs[i].of_tuner = false; });
  }

  void take_time(std::size_t i, std::optional<seconds> JobStory::* time) {
    if (story_.jobs[i].*time) attempt([i, time](Story& story) { (story.jobs[i].*time).reset(); });
  }

  // Mishaps of the last history that broke it: those that it does not need.
  void spare_mishaps() {
    if (!breaks(story_, spared_)) return;
    std::vector<std::string> left = struck_;
    for (std::size_t size = std::max<std::size_t>(left.size(), 1);; size /= 2) {
      for (std::size_t at = 0; at < left.size();) {
        const std::size_t count = std::min(size, left.size() - at);
        const auto from = left.begin() + static_cast<std::ptrdiff_t>(at);
        const auto to = from + static_cast<std::ptrdiff_t>(count);
        auto spared = spared_;
        spared.insert(from, to);
        if (breaks(story_, spared)) {
          spared_ = std::move(spared);
          progress_ = true;
          left.erase(from, to);
        } else {
          at += count;
        }
      }
      if (size <= 1) return;
    }
  }

  void calm_down() {
    for (double Rates::* const rate :
         {&Rates::lost, &Rates::late, &Rates::doubled, &Rates::dies, &Rates::throttled,
          &Rates::broken, &Rates::denied, &Rates::cut, &Rates::slow, &Rates::lags})
      if (story_.rates.*rate > 0) attempt([rate](Story& story) { story.rates.*rate = 0; });
    for (seconds Story::* const lag : {&Story::search_lag, &Story::index_lag})
      if (story_.*lag > seconds(0)) attempt([lag](Story& story) { story.*lag = seconds(0); });
    if (story_.attempts > 1) attempt([](Story& story) { story.attempts = 1; });
    if (story_.held) attempt([](Story& story) { story.held.reset(); });
    if (story_.no_metrics) attempt([](Story& story) { story.no_metrics = false; });
    if (story_.weekly) attempt([](Story& story) { story.weekly.reset(); });
    if (story_.page_limit > 0) attempt([](Story& story) { story.page_limit = 0; });
    if (story_.clock_error > kClockError)
      attempt([](Story& story) { story.clock_error = kClockError; });
  }

  Story story_;
  const std::string& invariant_;
  std::set<std::string> spared_;
  std::vector<std::string> struck_;
  bool progress_ = true;
  int runs_ = 0;
};

}  // namespace

Shortest shrink(Story story, const std::string& invariant) {
  return Shrinker(std::move(story), invariant).shrink();
}

}  // namespace trainwarden::chaos
