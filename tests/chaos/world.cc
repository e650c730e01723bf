#include "tests/chaos/world.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <variant>

#include "handlers/rules/state/item_id.h"
#include "runtime/json/json.h"
#include "tests/chaos/process.h"
#include "tests/localaws/sagemaker/warm_pool.h"
#include "tests/localaws/sns/sns.h"

namespace trainwarden::chaos {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr sys_millis kStart{milliseconds(1783002000000)};  // a full minute, and five
constexpr minutes kOutage{60};                             // of metrics
constexpr hours kOften{5};                                 // until then a sweep each 15 minutes

constexpr seconds kMovesOn{2};  // jobs that start or stop do so by themselves

std::string tags_json(const localaws::Tags& tags) {
  json::Writer out;
  out.begin_object().key("Tags").begin_array();
  for (const auto& [key, value] : tags)
    out.begin_object().member("Key", key).member("Value", value).end_object();
  out.end_array().end_object();
  return out.take();
}

std::string role_arn(const JobStory& job) {
  return "arn:aws:iam::111122223333:role/training/" + job.role;
}

constexpr std::string_view kBucket = "example-bucket";
constexpr std::string_view kLogGroup = "/aws/sagemaker/TrainingJobs";
constexpr const char* kTuner = "tuner";
constexpr minutes kCheckpointEach{10};

// Many of them are other spellings of a key that notices tell of (A8).
std::string key_of(int number) {
  std::string out = "owner";
  if (number >= 1 << out.size()) return fmt::format("key-{}", number);
  for (std::size_t i = 0; i < out.size(); ++i)
    if ((static_cast<unsigned>(number) >> i & 1U) != 0) out[i] = static_cast<char>(out[i] - 32);
  return out;
}

std::string value_of(int size, bool wide) {
  std::string out;
  for (int i = 0; i < size; ++i) out += wide ? "\xe7\x95\x8c" : "a";
  return out;
}

// In their order; without those that say who launched the job.
testing::Tags tags_of(const JobStory& job, sys_millis now) {
  testing::Tags out{{"project", "chaos"}};
  if (job.owner_after == seconds(0)) out.emplace_back("owner", "somebody");
  if (job.spare) out.emplace_back("spare", "yes");
  if (job.stop_at_after)
    out.emplace_back("stop-at", rfc3339(std::chrono::floor<seconds>(now + *job.stop_at_after)));
  if (job.cost_center) out.emplace_back("cost_center", "1");
  for (int i = 1; i <= job.tags; ++i)
    out.emplace_back(key_of(i), value_of(job.tag_size, job.wide_tags));
  return out;
}

std::string create_request(const JobStory& job, const testing::Tags& tags) {
  constexpr int kLongestParameter = 2500;
  json::Writer out;
  out.begin_object().member("TrainingJobName", job.name);
  out.member("RoleArn", role_arn(job));
  out.key("AlgorithmSpecification").begin_object().member("TrainingImage", "example/image:1");
  out.member("TrainingInputMode", "File").end_object();
  out.key("OutputDataConfig").begin_object().member("S3OutputPath", "s3://example-bucket/out/");
  out.end_object().key("ResourceConfig").begin_object().member("InstanceType", job.type);
  out.member("InstanceCount", job.count).member("VolumeSizeInGB", 100);
  if (job.keep_alive > seconds(0)) out.member("KeepAlivePeriodInSeconds", job.keep_alive.count());
  out.end_object();
  if (job.parameters > 0) {
    out.key("HyperParameters").begin_object();
    for (int i = 0; i < job.parameters; ++i)
      out.member(fmt::format("p{}", i), value_of(kLongestParameter, false));
    out.end_object();
  }
  out.key("StoppingCondition").begin_object().member("MaxRuntimeInSeconds", job.max_runtime);
  if (job.spot) out.member("MaxWaitTimeInSeconds", job.max_runtime + 3600);
  out.end_object().member("EnableManagedSpotTraining", job.spot);
  if (!job.checkpoint.empty())
    out.key("CheckpointConfig").begin_object().member("S3Uri", job.checkpoint).end_object();
  out.key("Tags").begin_array();
  for (const auto& [key, value] : tags)
    out.begin_object().member("Key", key).member("Value", value).end_object();
  out.end_array().end_object();
  return out.take();
}

std::string state_event(const testing::EventTold& event, sys_millis now) {
  json::Writer out;
  out.begin_object().member("version", "0").member("id", "e");
  out.member("detail-type", "SageMaker Training Job State Change")
      .member("source", "aws.sagemaker");
  out.member("account", testing::kAccount).member("region", testing::kRegion);
  out.member("time", rfc3339(std::chrono::floor<seconds>(now)));
  out.key("detail").begin_object().member("TrainingJobName", event.job);
  out.member("TrainingJobArn", testing::arn_of(event.job));
  out.member("TrainingJobStatus", event.status).member("SecondaryStatus", event.secondary);
  out.member("CreationTime", event.created.time_since_epoch().count());
  out.end_object().end_object();
  return out.take();
}

constexpr const char* kScheduled =
    R"({"id":"e","detail-type":"Scheduled Event","source":"aws.events","account":"111122223333",)"
    R"("region":"eu-central-1","detail":{}})";

std::unique_ptr<testing::Env> environment_of(const Story& story, const Law& law) {
  return std::make_unique<testing::Env>(std::initializer_list<std::string>{
      // Buckets are paths of the embedded AWS.
      story.grown ? "AWS_ENDPOINT_URL_S3=https://s3.example/" : "NO_ENDPOINT=",
      "AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY=s",
      fmt::format("AWS_MAX_ATTEMPTS={}", story.attempts), "TRAINWARDEN_POLICY=" + law.to_json(),
      "TRAINWARDEN_MODE=" + law.ceiling, "TRAINWARDEN_TABLE=" + testing::state_table().arn(),
      std::string("TRAINWARDEN_ALARM_TOPIC=") + testing::kAlarmTopic,
      std::string("TRAINWARDEN_NOTIFY_TOPIC=") + testing::kPeople});
}

std::string weekly_event(sys_millis now) {
  json::Writer out;
  out.begin_object().member("source", "aws.events").member("id", "e");
  out.member("detail-type", "Trainwarden Weekly Report").member("account", testing::kAccount);
  out.member("region", testing::kRegion);
  out.member("time", rfc3339(std::chrono::floor<seconds>(now))).end_object();
  return out.take();
}

std::string text_of(json::Value object, std::string_view outer, std::string_view inner) {
  const auto found = object.find_present(outer);
  const auto value = found ? found->find_present(inner) : std::nullopt;
  return value && value->is_string() ? std::string(value->as_string()) : std::string();
}

long number_of(json::Value object, std::string_view outer, std::string_view inner) {
  const auto found = object.find_present(outer);
  const auto value = found ? found->find_present(inner) : std::nullopt;
  return value ? static_cast<long>(value->as_integer().value_or(0)) : 0;
}

}  // namespace

World::World(const Story& story, const std::set<std::string>& spared, bool diary)
    : story_(story),
      keeps_diary_(diary),
      clock_(kStart),
      aws_(clock_, story.index_lag, testing::kRegion, story.search_lag),
      weather_(story.seed, spared),
      crew_(clock_, [this](milliseconds time) { pass(time); }) {
  evidence_.story = story;
  evidence_.start = kStart;
}

World::~World() { crew_.finish(); }

Evidence World::run() {
  plan();
  crew_.run(kStart + kWeather);
  weather_.end();
  crew_.run(kStart + story_.end);
  crew_.finish();
  return gather();
}

const testing::Env& World::environment_now() {
  const milliseconds now = clock_.now() - kStart;
  const Law law = law_at(story_, now);
  const std::size_t edits = laws_until(story_, now).size() - 1;
  const std::string& ceiling =
      edits == 0 ? story_.law.ceiling : story_.edits[edits - 1].law.ceiling;
  auto& found = environments_[{edits, law.ceiling != ceiling}];
  if (found == nullptr) found = environment_of(story_, law);
  return *found;
}

void World::plan() {
  if (story_.grown) {
    aws_.s3().place_bucket(kBucket, testing::kRegion);
    static_cast<void>(
        aws_.call("CreateLogGroup", fmt::format(R"({{"logGroupName":"{}"}})", kLogGroup)));
    if (std::ranges::any_of(story_.jobs, &JobStory::of_tuner))
      static_cast<void>(aws_.sagemaker().place_tuner(localaws::TunerType::kTuningJob, kTuner, "{}",
                                                     clock_.now()));
  }
  if (story_.weekly) plan_report(kStart + *story_.weekly);
  for (const JobStory& job : story_.jobs)
    crew_.at(kStart + job.at, [this, &job] { start_job(job); });
  int number = 0;
  for (const seconds at : story_.sweeps) plan_sweep(kStart + at, ++number);
  sys_millis at = kStart + kWeather + minutes(5);
  const sys_millis end = kStart + story_.end;
  for (; at < std::min(kStart + kOften, end); at += minutes(15)) plan_sweep(at, ++number);
  std::vector<sys_millis> late;
  for (; at < end - minutes(10); at += hours(2)) {
    plan_sweep(at, ++number);
    late.push_back(at);
  }
  if (!story_.law.watches()) return;
  for (at = kStart + minutes(1); at < kStart + kOften; at += kPeriod)
    crew_.at(at, [this] { measure(1); });
  // Before each sweep, which is where alarms are confirmed again.
  for (const sys_millis sweep : late)
    crew_.at(sweep - minutes(4), [this] { measure(2 * kPeriods); });
}

void World::plan_sweep(sys_millis time, int number) {
  const std::string id = fmt::format("sweep {}", number);
  crew_.at(time, [this, id] {
    if (weather_.strikes(id + " is lost", story_.rates.lost)) return;
    deliver(clock_.now(), {Function::kState, id, kScheduled});
  });
}

void World::plan_report(sys_millis time) {
  crew_.at(time, [this] {
    const Delivery delivery{Function::kState, "report 1", weekly_event(clock_.now())};
    deliver(clock_.now(), delivery);
    if (!weather_.strikes(delivery.id + " comes twice", story_.rates.doubled)) return;
    deliver(clock_.now() + seconds(weather_.dice().between("report", 0, 600)),
            {Function::kState, "report 2", delivery.payload});
  });
}

// By a tuning job, whose jobs nobody can create.
bool World::launch(const JobStory& job) {
  const auto* const tuner = aws_.sagemaker().find_tuner(localaws::TunerType::kTuningJob, kTuner);
  if (tuner == nullptr || tuner->status != "InProgress") return false;
  aws_.place({.name = job.name,
              .secondary = "Starting",
              .type = job.type,
              .count = job.count,
              .age = seconds(0),
              .since = seconds(0),
              .tags = tags_of(job, clock_.now()),
              .more = fmt::format(R"(,"RoleArn":"{}","TuningJobArn":"{}")", role_arn(job),
                                  tuner->arn_of_child())});
  note_job(job.name);
  for (const auto& [after, to] : {std::pair(20, "Downloading"), std::pair(40, "Training")})
    crew_.at(clock_.now() + seconds(after), [this, name = job.name, to] { turn(name, {{}, to}); });
  return true;
}

bool World::create(const JobStory& job) {
  if (job.of_tuner) return launch(job);
  const auto created =
      aws_.call("CreateTrainingJob", create_request(job, tags_of(job, clock_.now())));
  if (!created) tell(fmt::format("{} could not be created: {}", job.name, created.error().message));
  return created.has_value();
}

// Each is an object of its own.
void World::plan_checkpoints(const JobStory& job) {
  const auto until = clock_.now() + *job.writes_until;
  for (sys_millis at = clock_.now() + seconds(1); at < until; at += kCheckpointEach)
    crew_.at(at, [this, &job] {
      if (aws_.find(job.name) == nullptr || !truth_of(job.name).lives(clock_.now())) return;
      const std::string_view path = std::string_view(job.checkpoint).substr(5 + kBucket.size() + 1);
      auto& written = checkpoints_[job.checkpoint];
      written.push_back(clock_.now());
      aws_.s3().put(kBucket, fmt::format("{}/{}", path, written.size()), clock_.now());
    });
}

void World::write_log(const std::string& job) {
  const std::string stream =
      fmt::format(R"("logGroupName":"{}","logStreamName":"{}/algo-1-1783002000")", kLogGroup, job);
  static_cast<void>(aws_.call("CreateLogStream", "{" + stream + "}"));
  const auto put = aws_.call(
      "PutLogEvents",
      fmt::format(
          R"({{{},"logEvents":[{{"timestamp":{},"message":"torch.OutOfMemoryError: CUDA out )"
          R"(of memory. Tried to allocate 2.00 GiB."}}]}})",
          stream, clock_.now().time_since_epoch().count() - 1));
  if (!put) tell("the log was refused: " + put.error().message);
}

void World::start_job(const JobStory& job) {
  if (!create(job)) return;
  stories_.emplace(job.name, &job);
  if (job.endless_log) endless_logs_.insert(job.name);
  if (job.idle_after) {
    constexpr hours kForEver{1000};
    auto& idle = idle_[job.name];
    const auto from = clock_.now();
    idle.push_back({from + *job.idle_after, from + job.works_after.value_or(kForEver)});
    if (job.idle_again_after) idle.push_back({from + *job.idle_again_after, from + kForEver});
  }
  if (job.silent_after) silent_from_[job.name] = clock_.now() + *job.silent_after;
  if (job.writes_until) plan_checkpoints(job);
  drain();
  plan_queue(job.name, job.turns);
  const auto later = [&](std::optional<seconds> after, auto happens) {
    if (after && *after > seconds(0)) crew_.at(clock_.now() + *after, happens);
  };
  later(job.deleted_after, [this, name = job.name] { delete_job(name); });
  later(job.owner_after, [this, name = job.name] {
    if (!aws_.tag_job(name, "owner", "somebody")) return;
    tagged_[name].push_back({clock_.now(), "owner"});
    note_tags(name);
    tell(name + " gets an owner");
  });
  later(job.owner_lost_after, [this, name = job.name] {
    const auto lost = aws_.call(
        "DeleteTags",
        fmt::format(R"({{"ResourceArn":"{}","TagKeys":["owner"]}})", testing::arn_of(name)));
    if (!lost) return;
    tagged_[name].push_back({clock_.now(), "owner", false});
    note_tags(name);
    tell(name + " loses its owner");
  });
  later(job.stopped_by_hand_after, [this, name = job.name] {
    const auto stopped = aws_.call("StopTrainingJob", R"({"TrainingJobName":")" + name + "\"}");
    if (!stopped) return;
    stopped_by_hand_[name] = clock_.now();
    tell(name + " is stopped by hand");
    drain();
  });
}

void World::plan_queue(const std::string& job, const std::vector<Turn>& turns) {
  for (const Turn& one : turns)
    crew_.at(clock_.now() + one.after, [this, job, one] { turn(job, one); });
}

void World::delete_job(const std::string& job) {
  Truth before = truth_of(job);
  if (!aws_.call("DeleteTrainingJob", R"({"TrainingJobName":")" + job + "\"}")) return;
  before.steps.push_back({clock_.now(), "Deleting", "Deleting"});
  gone_.emplace(job, std::move(before));
  tell(job + " is deleted");
}

void World::turn(const std::string& job, const Turn& turn) {
  const localaws::Job* const found = aws_.find(job);
  if (found == nullptr) return;
  const auto& state = found->machine.state();
  if (state.status != "InProgress" || state.secondary == "Uploading" ||
      !localaws::transition_allowed(state.secondary, turn.secondary))
    return;
  const auto story = stories_.find(job);
  if (turn.secondary == "Failed" && story != stories_.end() && story->second->lacks_memory)
    write_log(job);
  aws_.enter(job, turn.secondary, turn.reason);
  drain();
}

// What becomes of a copy.
std::vector<Turn> World::fate_of(const std::string& copy) const {
  const Dice& dice = weather_.dice();
  const double fate = dice.roll(copy + " fate");
  const seconds after(dice.between(copy + " lasts", 20, 4000));
  if (fate < 0.35) return {};
  if (fate < 0.55) return {{after, "Completed"}};
  if (fate < 0.9)
    return {{after, "Failed", "InternalServerError: We encountered an internal error."}};
  return {{after, "Failed", "AlgorithmError: ExecuteUserScriptError: ExitCode 1"}};
}

// Datapoints of the last full periods, which arrive a minute after their end.
void World::measure(int periods) {
  const auto now = clock_.now();
  const sys_millis begun(now.time_since_epoch() / kPeriod * kPeriod);
  json::Writer out;
  out.begin_object().member("Namespace", "/aws/sagemaker/TrainingJobs").key("MetricData");
  out.begin_array();
  std::size_t data = 0;
  const auto add = [&](const char* metric, const std::string& host, sys_millis at, double value) {
    ++data;
    out.begin_object().member("MetricName", metric).key("Dimensions").begin_array();
    out.begin_object().member("Name", "Host").member("Value", host).end_object().end_array();
    out.member("Timestamp", at.time_since_epoch().count() / 1000).member("Value", value);
    out.end_object();
  };
  for (const auto& [name, versions] : descriptions_) {
    const Truth job = truth_of(name);
    for (int i = 1; i <= periods; ++i) {
      const sys_millis from = begun - i * kPeriod;
      const Truth::Step* const step = job.at(from);
      const bool outage = story_.no_metrics && from >= kStart + minutes(30) &&
                          from < kStart + minutes(30) + kOutage;
      if (step == nullptr || outage || step->secondary != "Training" ||
          job.at(from + kPeriod) != step)
        continue;
      const bool idle = std::ranges::any_of(
          job.idle, [&](const Truth::Idleness& one) { return one.from <= from && from < one.to; });
      const bool silent = job.silent_from && *job.silent_from <= from;
      if (!silent) heard_[name].push_back(from);
      for (int host = 1; host <= job.count; ++host) {
        const std::string who = fmt::format("{}/algo-{}", name, host);
        if (!silent)
          add("GPUUtilization", who, from,
              idle ? 0.5 : 60.0 * static_cast<double>(gpus_of(job.type)));
        add("CPUUtilization", who, from, 50);
      }
    }
  }
  out.end_array().end_object();
  if (data == 0) return;
  const auto put = aws_.call("PutMetricData", out.take());
  if (!put) tell("metrics were refused: " + put.error().message);
  drain();
}

void World::pass(milliseconds time) {
  aws_.pass(time);
  drain();
}

// What AWS tells of by itself.
void World::drain() {
  while (events_seen_ < aws_.events.size())
    note_event(testing::EventTold(aws_.events[events_seen_++]));
  while (messages_seen_ < aws_.messages().size()) {
    const localaws::Message& message = aws_.messages()[messages_seen_++];
    if (message.topic_arn != testing::kAlarmTopic) continue;
    const std::string name = fmt::format("alarm {}", message.subject);
    const std::string id = fmt::format("{} {}", name, ++times_[name]);
    if (weather_.strikes(id + " is lost", story_.rates.lost)) continue;
    deliver(clock_.now() + milliseconds(200),
            {Function::kAlarm, id, localaws::sns_event(message, "subscription", testing::kRegion)});
  }
}

// False if it was known before.
bool World::note_job(const std::string& job) {
  const auto described = aws_.call("DescribeTrainingJob", R"({"TrainingJobName":")" + job + "\"}");
  if (described) descriptions_[job].emplace_back(clock_.now(), *described);
  if (tags_.contains(job)) return false;
  note_tags(job);
  for (const auto& [key, value] : aws_.find(job)->tags) tagged_[job].push_back({clock_.now(), key});
  return true;
}

void World::note_event(const testing::EventTold& event) {
  if (note_job(event.job)) {
    const Dice& dice = weather_.dice();
    if (std::ranges::find(aws_.created(), event.job) != aws_.created().end()) {
      plan_queue(event.job, fate_of(event.job));
      if (dice.roll(event.job + " idle") < 0.2)
        idle_[event.job] = {{clock_.now() + seconds(dice.between(event.job + " idle", 60, 3000)),
                             kStart + hours(1000)}};
    }
  }
  const std::string name = fmt::format("event {} {}", event.job, event.secondary);
  const std::string id = fmt::format("{} {}", name, ++times_[name]);
  tell(fmt::format("{} is {}/{}", event.job, event.status, event.secondary));
  crew_.at(clock_.now() + kMovesOn, [] {});  // it is seen when it does
  send_event(event, id);
}

void World::send_event(const testing::EventTold& event, const std::string& id) {
  const Dice& dice = weather_.dice();
  const Rates& rates = story_.rates;
  if (weather_.strikes(id + " is lost", rates.lost)) return;
  milliseconds delay(weather_.over() ? 0 : dice.between(id + " takes", 100, 2000));
  if (weather_.strikes(id + " is late", rates.late))
    delay += milliseconds(dice.between(id + " is late by", 1, 40) * dice.between(id, 100, 30000));
  const Delivery delivery{Function::kState, id, state_event(event, clock_.now())};
  deliver(clock_.now() + delay, delivery);
  if (!weather_.strikes(id + " comes twice", rates.doubled)) return;
  Delivery second = delivery;
  second.id += " twice";
  deliver(clock_.now() + delay + milliseconds(dice.between(second.id, 0, 20000)), second);
}

void World::note_tags(const std::string& job) {
  if (aws_.find(job) == nullptr) return;
  tags_[job].emplace_back(clock_.now(), tags_json(aws_.find(job)->tags));
}

void World::tell(std::string line) {
  if (keeps_diary_)
    evidence_.diary.push_back(clock_text(clock_.now() - kStart) + " " + std::move(line));
}

Truth World::truth_of(const std::string& job) const {
  const auto gone = gone_.find(job);
  return gone == gone_.end() ? truth_of(*aws_.find(job)) : gone->second;
}

Truth World::truth_of(const localaws::Job& job) const {
  const json::Value document = job.document.root();
  const auto spot = document.find_present("EnableManagedSpotTraining");
  Truth out{.name = job.name,
            .type = text_of(document, "ResourceConfig", "InstanceType"),
            .count = static_cast<int>(number_of(document, "ResourceConfig", "InstanceCount")),
            .spot = spot && spot->as_boolean(),
            .checkpoint = text_of(document, "CheckpointConfig", "S3Uri"),
            .max_runtime = seconds(number_of(document, "StoppingCondition", "MaxRuntimeInSeconds")),
            .steps = {},
            .failure_reason = job.machine.state().failure_reason,
            .tagged = tagged_.at(job.name)};
  for (const auto& step : job.machine.state().transitions)
    out.steps.push_back({step.start, step.status, std::string(localaws::status_of(step.status))});
  if (const auto idle = idle_.find(job.name); idle != idle_.end()) out.idle = idle->second;
  if (const auto silent = silent_from_.find(job.name); silent != silent_from_.end())
    out.silent_from = silent->second;
  if (const auto heard = heard_.find(job.name); heard != heard_.end()) out.heard = heard->second;
  if (const auto hand = stopped_by_hand_.find(job.name); hand != stopped_by_hand_.end())
    out.stopped_by_hand = hand->second;
  out.of_person = std::ranges::find(aws_.created(), job.name) == aws_.created().end();
  const auto role = document.find_present("RoleArn");
  if (role && role->is_string()) out.role = role->as_string();
  if (const auto tuner = document.find_present("TuningJobArn")) out.tuner = tuner->as_string();
  for (const auto& [key, value] : job.tags)
    if (key == "stop-at") out.stop_at = parse_rfc3339(value).value_or(sys_seconds());
  if (const auto written = checkpoints_.find(out.checkpoint); written != checkpoints_.end())
    out.written = written->second;
  if (const auto story = stories_.find(job.name); story != stories_.end()) {
    out.lacks_memory = story->second->lacks_memory && !story->second->endless_log;
    out.keep_alive = story->second->keep_alive;
  }
  out.pool = localaws::pool_status(job);
  return out;
}

namespace {

// What the hour of a digest still gathers (A9), and the sweeps that come send.
bool is_later(json::Value item, sys_millis end) {
  constexpr std::chrono::hours kSweepsWithin{1};
  const auto id = item.find("id");
  const auto since = item.find("since");
  if (!id || !since ||
      !std::holds_alternative<rules::DigestOfItem>(rules::due_item(id->find("S")->as_string())))
    return false;
  const std::string seconds_of(since->find("N")->as_string());
  return sys_seconds(seconds(std::stoll(seconds_of))) + kSweepsWithin > end;
}

// Without the id of the last write's request, which is another one each time that this is told.
std::string without_request(std::string item) {
  const auto at = item.find(R"("request":)");
  if (at != std::string::npos) item.erase(at, item.find('}', at) + 2 - at);
  return item;
}

}  // namespace

Evidence World::gather() {
  evidence_.end = clock_.now();
  evidence_.calls = aws_.calls.size();
  evidence_.struck = weather_.struck();
  for (const auto& [name, versions] : descriptions_) evidence_.jobs.emplace(name, truth_of(name));
  for (const std::string& alarm : aws_.alarms()) {
    const auto first = alarm.find('/');
    const auto second = alarm.find('/', first + 1);
    evidence_.alarms_of[alarm.substr(first + 1, second - first - 1)].push_back(alarm);
  }
  const auto items = json::Document::parse(aws_.dynamodb().items_json());
  for (const json::Member item : items->root().members())
    if (item.value.find_present("due") && !is_later(item.value, evidence_.end)) {
      evidence_.due.emplace_back(item.name);
      tell("still due: " + without_request(json::to_text(item.value)));
    }
  return std::move(evidence_);
}

}  // namespace trainwarden::chaos
