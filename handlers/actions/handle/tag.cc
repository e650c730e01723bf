#include "handlers/actions/handle/tag.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "handlers/actions/fetch/gather.h"
#include "handlers/actions/fetch/recheck.h"

namespace trainwarden::actions {
namespace {

using rules::Source;

using Kind = rules::ActionResult::Kind;

ActionOutcome tag_done(rules::ActionResult result) {
  return {rules::ActionKind::kTag, std::move(result)};
}

// The action's tags that the job lacks or has with another value.
std::vector<aws::Tag> missing(const rules::Action& action, json::Value tags) {
  std::vector<aws::Tag> out;
  for (const auto& [key, value] : action.tags) {
    const auto found = tags.find_present(key);
    if (!found || !found->is_string() || found->as_string() != value) out.push_back({key, value});
  }
  return out;
}

}  // namespace

ActionOutcome tag(const Subject& subject, const rules::Decision& decision,
                  const rules::Action& action) {
  const auto known = subject.sources.known(Source::kTags);
  if (known && missing(action, *known).empty()) return tag_done({Kind::kTaggedBefore});
  auto rechecked = recheck(subject, decision);
  if (!rechecked) return failed(rules::ActionKind::kTag, std::move(rechecked).error());
  if (!rechecked->decision) return tag_done(rules::not_done(*std::move(rechecked->reason)));
  const auto& actions = rechecked->decision->actions;
  if (std::ranges::find(actions, action) == actions.end())
    return tag_done(rules::not_done(rules::Why::kNoLongerAsked));
  rules::Sources& sources = *rechecked->sources;
  if (!sources.known(Source::kTags)) gather(sources, {Source::kTags}, subject.job, subject.apis);
  const auto tags = sources.known(Source::kTags);
  if (!tags) {
    const Error* const why = sources.unavailable(Source::kTags);
    return failed(rules::ActionKind::kTag,
                  {ErrorCode::kUnavailable, why != nullptr ? why->message : "ListTags failed"});
  }
  const std::vector<aws::Tag> wanted = missing(action, *tags);
  if (wanted.empty()) return tag_done({Kind::kTaggedBefore});
  const auto added = subject.apis.sagemaker.add_tags(rechecked->arn, wanted, subject.apis.context);
  if (added) return tag_done({Kind::kTagged});
  const ErrorCode code = added.error().code;
  if (code == ErrorCode::kLimitExceeded || code == ErrorCode::kRejected)
    return tag_done(rules::refused(rules::because_of(added.error())));
  if (code == ErrorCode::kNotFound) return tag_done(rules::not_done(rules::Why::kGone));
  return failed(rules::ActionKind::kTag, added.error());
}

}  // namespace trainwarden::actions
