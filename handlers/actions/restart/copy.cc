#include "handlers/actions/restart/copy.h"

#include <fmt/core.h>

#include <array>
#include <chrono>
#include <utility>

#include "handlers/actions/stop/stop_tags.h"
#include "handlers/rules/job/job_tags.h"

namespace trainwarden::actions {
namespace {

// Tags arrive late, even those given with CreateTrainingJob.
constexpr std::chrono::seconds kTagsArrive{60};

// Whether the job that has the copy's name is this copy.
Result<bool> is_copy_of(const aws::JobName& name, const JobSnapshot& original, const Apis& apis) {
  TRY(const JobSnapshot found, read_snapshot({name, {}}, std::nullopt, apis));
  const rules::Lineage lineage = found.lineage();
  if (lineage.parent == original.job().name)
    return lineage.generation == original.lineage().generation.value_or(0) + 1;
  const auto created = found.job().created;
  return lineage.parent.empty() && created && apis.now() - *created < kTagsArrive;
}

Result<std::string> create(const JobSnapshot& original, const rules::CopyChanges& changes,
                           std::string_view name, std::string body, const Apis& apis) {
  auto created = apis.sagemaker.create_training_job(std::move(body), apis.context);
  if (created || !aws::refuses_metric_definitions(created.error())) return created;
  auto without = original.copy_request(changes, name, false);
  if (!without) return created;
  return apis.sagemaker.create_training_job(*std::move(without), apis.context);
}

// That the job was copied, in a tag of its own; where there is no room for one, in place of the
// intent, since overwriting takes none. A job without either is kept from a second copy by the
// copy's name alone, as long as the copy is there.
Result<void> tag_as_copied(const JobSnapshot& original, const aws::JobName& copy,
                           const Apis& apis) {
  const std::array<aws::Tag, 1> child{{{std::string(rules::kChildTag), copy.str()}}};
  auto tagged = apis.sagemaker.add_tags(original.job().arn, child, apis.context);
  const bool full = !tagged && refuses_these_tags(tagged.error());
  if (!full || !original.tags().intent) return tagged;
  const std::array<aws::Tag, 1> done{
      {{std::string(rules::kIntentTag), std::string(rules::kDoneIntent) + copy.str()}}};
  return apis.sagemaker.add_tags(original.job().arn, done, apis.context);
}

Copied refuse(rules::Reason why) {
  return {.how = Copied::How::kRefused, .refusal = std::move(why)};
}

}  // namespace

Result<Copied> copy(const JobSnapshot& original, const rules::CopyChanges& changes,
                    const Apis& apis, bool by_hand) {
  using How = Copied::How;
  const rules::Lineage lineage = original.lineage();
  if (!lineage.child.empty()) return Copied{How::kAlready, lineage.child};
  if (auto refused = rules::why_no_copy(original.restart_case(apis, by_hand)))
    return refuse(*std::move(refused));
  // Never while the original may still write to its checkpoint.
  if (original.status() != rules::JobStatus::kFailed &&
      original.status() != rules::JobStatus::kStopped)
    return fail(ErrorCode::kUnavailable,
                fmt::format("the job is {} and has not ended", original.job().status_text));
  if (!lineage.generation) return refuse({.why = rules::Why::kNoGeneration});
  TRY(const std::string text, name_of_copy(original));
  TRY(const aws::JobName name, aws::JobName::parse(text));
  auto body = original.copy_request(changes, name.view());
  if (!body) return refuse(std::move(body).error());
  TRY(auto taken, why_checkpoint_is_taken(original, apis));
  if (taken) return refuse(*std::move(taken));

  Copied out{How::kMade, name.str()};
  const auto created = create(original, changes, name.view(), *std::move(body), apis);
  if (!created) {
    if (created.error().code != ErrorCode::kConflict) return fail(created.error());
    // Someone was faster: an earlier delivery, or a try of ours whose answer was lost.
    TRY(const bool ours, is_copy_of(name, original, apis));
    if (!ours) return refuse({.why = rules::Why::kNameTaken, .name = name.str()});
    out.how = How::kAlready;
  }
  auto tagged = tag_as_copied(original, name, apis);
  if (!tagged) out.untagged = std::move(tagged).error();
  return out;
}

}  // namespace trainwarden::actions
