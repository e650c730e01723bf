#include "handlers/actions/stop/find_tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <variant>
#include <vector>

#include "handlers/rules/state/item_id.h"

namespace trainwarden::actions {
namespace {

using rules::Tuner;
using rules::TunerKind;

constexpr int kTunersPerPage = 100;

struct TunerFilter {
  std::string_view name;
  std::string_view value;
};

// Lists tuners by that filter and adds those that pass `wanted`, each name once.
template <class Wanted>
Result<void> add_tuners(TunerKind kind, TunerFilter filter, Wanted wanted,
                        std::vector<Tuner>& found, const Apis& apis) {
  const json::Document request = json::Document::build([&](json::Sink& sink) {
    sink.begin_object().member("MaxResults", kTunersPerPage);
    if (!filter.name.empty()) sink.member(filter.name, filter.value);
    sink.end_object();
  });
  const auto read = [&](json::Value page) -> Result<bool> {
    TRY(std::vector<Tuner> tuners, rules::read_tuners(kind, page));
    for (Tuner& tuner : tuners)
      if (wanted(tuner) && std::ranges::find(found, tuner.name, &Tuner::name) == found.end())
        found.push_back(std::move(tuner));
    return true;
  };
  if (kind == TunerKind::kAutoMlJob)
    return apis.sagemaker.list_auto_ml_jobs(request.root(), read, apis.context);
  return apis.sagemaker.list_hyper_parameter_tuning_jobs(request.root(), read, apis.context);
}

// The tuner's status and what it runs: from Describe for a tuning job, from the list for an AutoML
// job.
Result<Tuner> with_status(Tuner listed, const Apis& apis) {
  if (listed.kind == TunerKind::kAutoMlJob) return listed;
  TRY(const auto name, aws::TunerName::parse(listed.name));
  TRY(const json::Document described,
      apis.sagemaker.describe_hyper_parameter_tuning_job(name, apis.context));
  TRY(Tuner out, rules::read_tuning_job(described.root()));
  if (out.name == listed.name && rules::is_same_arn(out.arn, listed.arn)) return out;
  return fail(ErrorCode::kBadResponse,
              fmt::format("DescribeHyperParameterTuningJob: expected `{}`, found `{}`", listed.arn,
                          out.arn));
}

// A list that could not be fetched says nothing about whether the tuner is in it.
Error not_listed(Error error, const std::string& arn) {
  return std::move(error).in(fmt::format("the name of `{}` could not be looked up", arn));
}

}  // namespace

Result<Tuner> find_tuner(const rules::TunerRef& ref, const Apis& apis) {
  const auto is_it = [&](const Tuner& tuner) { return rules::is_same_arn(tuner.arn, ref.arn); };
  const auto known = apis.tuner_names.find(ref.arn);
  if (known != apis.tuner_names.end())
    return with_status({.kind = ref.kind, .name = known->second, .arn = ref.arn}, apis);
  // AWS does not document whether NameContains is case-sensitive, so the tuners InProgress are
  // always listed, too. Those that are Stopping, and then all tuners, are listed only if none was
  // found: a tuner that launched a running job is usually in one of these two states.
  constexpr std::array<TunerFilter, 3> kOthers{
      {{"StatusEquals", "InProgress"}, {"StatusEquals", "Stopping"}, {}}};
  std::vector<Tuner> found;
  const auto list = [&](TunerFilter filter) {
    return add_tuners(ref.kind, filter, is_it, found, apis);
  };
  Result<void> listed = list({"NameContains", rules::name_in(ref.arn)});
  for (std::size_t i = 0; listed && i < kOthers.size() && (i == 0 || found.empty()); ++i)
    listed = list(kOthers[i]);
  if (!listed) return fail(not_listed(std::move(listed).error(), ref.arn));
  if (found.size() == 1) {
    if (ref.kind == TunerKind::kTuningJob) apis.tuner_names.emplace(ref.arn, found.front().name);
    return with_status(std::move(found.front()), apis);
  }
  return fail(ErrorCode::kUnavailable,
              fmt::format("expected one {} of the ARN `{}`, in whatever case of its letters, found "
                          "{}",
                          rules::name(ref.kind), ref.arn, found.size()));
}

Result<std::optional<Tuner>> tuner_of_item(const std::string& id, const Apis& apis) {
  const rules::DueItem item = rules::due_item(id);
  const auto* const of = std::get_if<rules::TunerOfItem>(&item);
  const auto parsed = aws::TunerName::parse(of != nullptr ? of->name : std::string());
  if (!parsed)
    return fail(ErrorCode::kUnavailable, fmt::format("the item `{}` is no tuning job's", id));
  std::vector<Tuner> found;
  if (of->kind == TunerKind::kAutoMlJob) {
    const auto is_it = [&](const Tuner& tuner) { return tuner.name == of->name; };
    CHECK_OK(add_tuners(TunerKind::kAutoMlJob, {"NameContains", of->name}, is_it, found, apis));
  } else {
    const auto described =
        apis.sagemaker.describe_hyper_parameter_tuning_job(*parsed, apis.context);
    if (!described && described.error().code != ErrorCode::kNotFound)
      return fail(described.error());
    if (described) {
      TRY(Tuner tuner, rules::read_tuning_job(described->root()));
      found.push_back(std::move(tuner));
    }
  }
  // A tuner of the same name that was created later is another one.
  if (found.empty() || rules::tuner_item_id(found.front()) != id) return std::nullopt;
  return std::move(found.front());
}

rules::ObservedJob observed_tuner(const Tuner& tuner) {
  using Status = rules::ObservedJob::Status;
  switch (tuner.state) {
    case Tuner::State::kRuns:
      return {.status = Status::kRuns};
    case Tuner::State::kStopping:
      return {.status = Status::kStopping, .stopping = tuner.changed};
    case Tuner::State::kStopped:
      return {.status = Status::kStopped, .stopping = tuner.changed, .ended = tuner.changed};
    case Tuner::State::kCompleted:
      return {.status = Status::kCompleted, .ended = tuner.changed};
    case Tuner::State::kFailed:
      break;
  }
  return {.status = Status::kFailed, .ended = tuner.changed};
}

}  // namespace trainwarden::actions
