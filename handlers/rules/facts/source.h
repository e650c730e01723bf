// Where facts come from. A source is one thing to fetch: the event itself, DescribeTrainingJob,
// ListTags, logs, the fleet, the silence of logs, checkpoints. Sources is one snapshot of them for
// one job: each source is unknown (not fetched yet), known, or unavailable (fetching failed).
// Unavailable is never absent (F1): a missing tag and tags that could not be listed are different
// things. Fetches nothing. Some sources are never fetched, and Facts says whether they suffice: the
// policy's prices, and what Describe tells in members that are known here.
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "handlers/rules/job/job_tags.h"
#include "handlers/rules/job/training_job.h"
#include "runtime/base/error.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

enum class Source : std::uint8_t {
  kEvent,
  kDescribe,
  kTags,
  kLogs,
  kFleet,
  kPrices,
  kSilence,
  kCheckpoint,
  kMachines,
  kGpus,
  kLauncher
};
inline constexpr std::size_t kSourceCount = 11;

// "event", "describe", "tags", "logs", "fleet", "prices", "silence", "checkpoint", "machines",
// "gpus", "launcher"
std::string_view name(Source source);

// A set of sources, iterated in the order of the enumeration.
class SourceSet {
 public:
  class Iterator {
   public:
    Source operator*() const { return static_cast<Source>(std::countr_zero(left_)); }
    Iterator& operator++() {
      left_ = static_cast<std::uint16_t>(left_ & (left_ - 1));
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    friend class SourceSet;
    explicit Iterator(std::uint16_t left) : left_(left) {}
    std::uint16_t left_;
  };

  constexpr SourceSet() = default;
  constexpr SourceSet(std::initializer_list<Source> sources) {
    for (Source s : sources) add(s);
  }

  constexpr void add(Source s) { bits_ = static_cast<std::uint16_t>(bits_ | bit(s)); }
  constexpr void remove(Source s) { bits_ = static_cast<std::uint16_t>(bits_ & ~bit(s)); }
  constexpr void remove(SourceSet other) {
    bits_ = static_cast<std::uint16_t>(bits_ & ~other.bits_);
  }
  constexpr bool contains(Source s) const { return (bits_ & bit(s)) != 0; }
  constexpr bool includes(SourceSet other) const { return (other.bits_ & ~bits_) == 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr std::size_t size() const { return static_cast<std::size_t>(std::popcount(bits_)); }
  constexpr SourceSet& operator|=(SourceSet other) {
    bits_ = static_cast<std::uint16_t>(bits_ | other.bits_);
    return *this;
  }
  friend constexpr SourceSet operator|(SourceSet a, SourceSet b) { return a |= b; }
  constexpr bool operator==(const SourceSet&) const = default;

  Iterator begin() const { return Iterator(bits_); }
  Iterator end() const { return Iterator(0); }
  // "describe, tags"; empty for an empty set.
  std::string names() const;

 private:
  static constexpr int bit(Source s) { return 1 << static_cast<int>(s); }
  std::uint16_t bits_ = 0;
};

// Sources that nothing fetches: the policy's own, and what the description tells.
inline constexpr SourceSet kNeverFetched{Source::kPrices, Source::kMachines, Source::kGpus,
                                         Source::kLauncher};

enum class Trigger : std::uint8_t { kState, kAlarm, kSweep };

// "state", "alarm", "sweep"
std::string_view name(Trigger trigger);

// CloudWatch's word for the state of an alarm that has gone off.
inline constexpr std::string_view kInAlarm = "ALARM";
// The state of an alarm whose job sends no metrics that could be trusted (policy.md W4). Our own
// confirmation sets it; CloudWatch never does.
inline constexpr std::string_view kBlindState = "BLIND";

// The alarm that triggered, from its message or from CloudWatch's list.
struct AlarmEvent {
  std::string name;   // trainwarden/<job>/<watch> or trainwarden/<job>/<watch>/<n>
  std::string watch;  // as in the policy
  std::string state;  // ALARM, OK or INSUFFICIENT_DATA; kBlindState only after our confirmation
  // When the first of the watch's alarms went into ALARM, by CloudWatch's list. Never from a
  // message, which may be forged.
  std::optional<sys_seconds> since = {};

  // Whether rules can ask for something in that state.
  bool calls() const { return state == kInAlarm || state == kBlindState; }
};

// What the trigger itself says of a job. Alarms and sweeps have no statuses. Account and region are
// the job's, and therefore the function's own; a sweep has them from the function.
struct JobEvent {
  Trigger trigger = Trigger::kState;
  std::string job_name = {};
  std::optional<std::string> training_job_status = {};
  std::optional<std::string> secondary_status = {};
  std::optional<sys_seconds> creation_time = {};
  std::optional<AlarmEvent> alarm = {};
  // The id and time of the event or message itself. For records only.
  std::string id = {};
  std::optional<sys_seconds> time = {};
  std::optional<std::string> account = {};
  std::optional<std::string> region = {};
};

class Sources {
 public:
  explicit Sources(JobEvent event) : event_(std::move(event)) {}

  // kDescribe: DescribeTrainingJob's answer; kTags: an object of tag keys and values; kLogs:
  // {"tail": [line, …]}, the oldest first; kFleet, kSilence, kCheckpoint: the members of the groups
  // `fleet`, `logs` and `checkpoint`. kEvent is given to the constructor and cannot be set, nor can
  // kPrices. Anything but an object makes the source unavailable.
  void set(Source source, json::Document document);
  void set_unavailable(Source source, Error error);
  // Makes the source unknown again, before it is fetched a second time.
  void forget(Source source);
  // The sources come from Search, which lacks some members: their absence means nothing (S1).
  void mark_provisional() { provisional_ = true; }
  bool provisional() const { return provisional_; }

  const JobEvent& event() const { return event_; }
  // The document's root; nullopt where the source is unknown or unavailable. kEvent has no
  // document.
  std::optional<json::Value> known(Source source) const;
  // kDescribe as a job, and our own among kTags; null where the source is not known.
  const TrainingJob* job() const { return job_ ? &*job_ : nullptr; }
  const JobTags* tags() const { return tags_ ? &*tags_ : nullptr; }
  // Why the source is unavailable; null where it is not.
  const Error* unavailable(Source source) const;

 private:
  using State = std::variant<std::monostate, json::Document, Error>;
  void change(Source source, State state);
  const State& state(Source source) const { return states_[static_cast<std::size_t>(source)]; }

  JobEvent event_;
  std::array<State, kSourceCount> states_;
  // Both point into their documents, which do not move when this object does.
  std::optional<TrainingJob> job_ = {};
  std::optional<JobTags> tags_ = {};
  bool provisional_ = false;
};

// "InProgress/Starting", by Describe if it is known, otherwise by the event; "?" for an unknown
// part.
std::string state_of(const Sources& sources);

}  // namespace trainwarden::rules
