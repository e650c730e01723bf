#include "handlers/cli/restart/restart_command.h"

#include <fmt/core.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/actions/restart/copy.h"
#include "handlers/actions/restart/restart.h"
#include "handlers/cli/access/aws_session.h"
#include "handlers/cli/restart/restart_doubts.h"
#include "handlers/cli/restart/wait_for_end.h"
#include "handlers/rules/job/copy_settings.h"
#include "handlers/rules/job/job_tags.h"
#include "handlers/rules/restart/by_hand.h"
#include "handlers/rules/state/end_steps.h"

namespace trainwarden::cli {
namespace {

using actions::JobSnapshot;
using rules::Reason;
using rules::Why;

// Hides the values of what may be secret and keeps the names.
json::Document without_values(json::Value body) {
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object();
    for (const json::Member member : body.members()) {
      if (!rules::is_free_map(member.name)) {
        sink.member(member.name, member.value);
        continue;
      }
      sink.key(member.name).begin_object();
      for (const json::Member hidden : member.value.members()) sink.member(hidden.name, "(hidden)");
      sink.end_object();
    }
    sink.end_object();
  });
}

class HandRestart {
 public:
  HandRestart(const RestartInputs& inputs, const aws::JobName& name, const actions::Apis& session,
              Console& console)
      : inputs_(inputs), name_(name), session_(session), console_(console) {}

  Printed go() {
    if (auto out = look()) return *std::move(out);
    if (inputs_.dry_run) return rehearse();
    print_doubts();
    if (!original_->job().has_ended()) {
      if (auto out = stop()) return *std::move(out);
      if (auto out = wait()) return *std::move(out);
      if (auto out = look()) return *std::move(out);
    }
    return create();
  }

 private:
  enum class Stage : std::uint8_t { kBegin, kStopping, kEnded };
  enum class Holder : std::uint8_t { kNobody, kCopy, kOther };  // who has the copy's name

  // Reads the job and checks everything that the copy depends on. Returns the outcome if it is
  // already known.
  std::optional<Printed> look() {
    const CommandStep step(session_);
    if (auto out = read(step)) return out;
    // Instance groups have no single type to change: a restart would silently keep all of theirs.
    if (!inputs_.options.instance_types.empty() && original_->job().has_preferences)
      return Printed{
          1,
          fmt::format("{}: refused: it has InstancePreferences, which its copy keeps and "
                      "--instance-type does not change\n",
                      inputs_.job),
          {}};
    if (!inputs_.options.instance_types.empty() && original_->job().has_instance_groups)
      return Printed{1,
                     fmt::format("{}: refused: it has instance groups, and --instance-type does "
                                 "not say which of them to change\n",
                                 inputs_.job),
                     {}};
    auto holder = name_copy(step);
    // The job may have ended since it was read, and somebody else may have copied it.
    if (holder && *holder == Holder::kOther && !original_->job().has_ended()) {
      if (auto out = read(step)) return out;
      holder = name_copy(step);
    }
    if (!holder) return failed(holder.error(), step);
    if (*holder == Holder::kCopy) return already_copied(step);
    const auto refusal = judge(step);
    if (!refusal) return failed(refusal.error(), step);
    if (*refusal) return refused(**refusal);
    if (*holder == Holder::kOther) return refused({.why = Why::kNameTaken, .name = copy_->str()});
    if (stage_ == Stage::kBegin && original_->lineage.child == copy_->view())
      console_.say(fmt::format("{}: its copy {} is gone", inputs_.job, copy_->view()));
    return std::nullopt;
  }

  std::optional<Printed> read(const CommandStep& step) {
    const actions::JobRef job{name_, {}};
    const bool again = original_.has_value();
    auto found = again ? actions::read_snapshot(job, original_->job().created, step.apis())
                       : actions::read_settled_snapshot(job, std::nullopt, step.apis());
    if (!found && again && found.error().absent) return refused({.why = *found.error().absent});
    if (!found) return failed(found.error().error, step);
    original_.emplace(*std::move(found));
    return std::nullopt;
  }

  Result<Holder> name_copy(const CommandStep& step) {
    TRY(const std::string text, actions::name_of_copy(*original_));
    TRY(copy_, aws::JobName::parse(text));
    return holder_of_name(step);
  }

  Result<Holder> holder_of_name(const CommandStep& step) const {
    const auto described = step.apis().sagemaker.describe_training_job(*copy_, step.context());
    if (!described && described.error().code == ErrorCode::kNotFound) return Holder::kNobody;
    if (!described) return fail(described.error());
    const rules::TrainingJob& job = original_->job();
    // A copy is never made before its original has ended.
    if (!job.has_ended()) return Holder::kOther;
    const bool is_copy = rules::is_that_copy(job, rules::read_training_job(described->root()),
                                             rules::earliest_copy(job).value_or(sys_seconds()));
    return is_copy ? Holder::kCopy : Holder::kOther;
  }

  // Returns why the restart is refused; stores what else speaks against it in doubts_.
  Result<std::optional<Reason>> judge(const CommandStep& step) {
    const actions::Apis& apis = step.apis();
    const rules::RestartCase found = original_->restart_case(apis);
    std::optional<rules::Sources> parent;
    if (rules::needs_parent(found, inputs_.options)) {
      TRY(parent, actions::read_parent(*original_, apis));
    }
    rules::ByHand judged =
        rules::judge_by_hand(found, inputs_.options, parent ? parent->job() : nullptr);
    if (judged.refusal) return std::move(judged.refusal);
    doubts_ = std::move(judged.doubts);
    TRY(auto taken, actions::why_checkpoint_is_taken(*original_, apis));
    if (taken) return taken;
    return request_refusal();
  }

  // Why CreateTrainingJob cannot be called. If only our tags are too many, the copy goes without
  // them.
  std::optional<Reason> request_refusal() {
    parts_ = original_->copy_parts();
    const auto body = original_->copy_request(changes(), copy_->view(), parts_);
    if (!body) return body.error();
    if (!parts_.our_tags && stage_ == Stage::kBegin)
      console_.say(fmt::format("{}: the copy bears no tags of Trainwarden's: a job takes {} tags",
                               inputs_.job, rules::kMostTags));
    return std::nullopt;
  }

  rules::CopyChanges changes() const {
    return rules::changes_for(original_->job(), inputs_.options.spot,
                              inputs_.options.instance_types);
  }

  void print_doubts() {
    for (const std::string& line : doubt_lines(inputs_, original_->job(), doubts_))
      console_.say(line);
  }

  Printed rehearse() {
    const auto body = original_->copy_request(changes(), copy_->view(), parts_);
    if (!body) return refused(body.error());
    const auto request = json::Document::parse(*body);
    if (!request) return {2, {}, error_line(request.error())};
    const bool ended = original_->job().has_ended();
    console_.say(fmt::format("{}: {}; the guards allow the copy {}, which would be made {}",
                             inputs_.job, printable(original_->job().status_text), copy_->view(),
                             ended ? "now" : "when the job has been stopped and has ended"));
    print_doubts();
    return {0, printable(json::to_text(without_values(request->root()).root())) + '\n', {}};
  }

  std::optional<Printed> stop() {
    if (console_.is_interrupted()) return interrupted();
    if (original_->status() == rules::JobStatus::kStopping) {
      stage_ = Stage::kStopping;
      return std::nullopt;
    }
    const CommandStep step(session_);
    const auto stopped = step.apis().sagemaker.stop_training_job(name_, step.context());
    if (!stopped && stopped.error().code == ErrorCode::kNotFound)
      return refused({.why = Why::kGone});
    // A conflict means that the job is stopping or has ended already. Who stopped it does not
    // matter.
    const bool conflict = !stopped && stopped.error().code == ErrorCode::kConflict;
    if (!stopped && !conflict && !was_stopped_all_the_same()) return failed(stopped.error(), step);
    stage_ = Stage::kStopping;
    console_.say(fmt::format("{}: stopping; when it has ended, its copy {} is made", inputs_.job,
                             copy_->view()));
    return std::nullopt;
  }

  // After a stop that was refused, or whose answer was lost: whether the job is stopping all the
  // same.
  bool was_stopped_all_the_same() const {
    const CommandStep step(session_);
    const auto described = step.apis().sagemaker.describe_training_job(name_, step.context());
    if (!described) return false;
    const auto status = rules::read_training_job(described->root()).status;
    return status == rules::JobStatus::kStopping || rules::is_terminal(status);
  }

  std::optional<Printed> wait() {
    const auto waited = wait_for_end(name_, original_->job().created, session_, console_);
    if (!waited) return failed(waited.error().error, waited.error().credentials_over);
    switch (*waited) {
      case WaitResult::kInterrupted:
        return interrupted();
      case WaitResult::kGone:
        return refused({.why = Why::kGone});
      case WaitResult::kNamesake:
        return refused({.why = Why::kNamesake});
      case WaitResult::kEnded:
        break;
    }
    stage_ = Stage::kEnded;
    return std::nullopt;
  }

  Printed create() {
    const CommandStep step(session_);
    auto made = ask_for_copy(step);
    if (!made && made.error().code == ErrorCode::kAccessDenied && parts_.our_tags &&
        !step.credentials_over()) {
      parts_.our_tags = false;
      const Error with_tags = std::move(made).error();
      made = ask_for_copy(step);
      if (made)
        console_.say(fmt::format("{}: the copy bears no tags of Trainwarden's: with them, {}",
                                 inputs_.job, printable(with_tags.message)));
    }
    if (made) return copied(step);
    const bool unknown = made.error().code == ErrorCode::kConflict || retryable(made.error().code);
    const auto holder = unknown ? holder_of_name(step) : Holder::kNobody;
    if (!holder) return failed(holder.error(), step);
    switch (*holder) {
      case Holder::kCopy:
        return already_copied(step);
      case Holder::kOther:
        return refused({.why = Why::kNameTaken, .name = copy_->str()});
      case Holder::kNobody:
        break;
    }
    return failed(made.error(), step);
  }

  Result<void> ask_for_copy(const CommandStep& step) const {
    return actions::create_copy(*original_, changes(), copy_->view(), step.apis(), step.context(),
                                parts_);
  }

  Printed copied(const CommandStep& step) {
    tag_original(step);
    return {0, fmt::format("{}: copied as {}\n", inputs_.job, copy_->view()), {}};
  }

  // The copy may be from a command that ended before it could tag the original.
  Printed already_copied(const CommandStep& step) {
    if (!inputs_.dry_run && original_->lineage.child != copy_->view()) tag_original(step);
    return {0, fmt::format("{}: already copied as {}\n", inputs_.job, copy_->view()), {}};
  }

  void tag_original(const CommandStep& step) {
    const std::array<aws::Tag, 1> child{{{std::string(rules::kChildTag), copy_->str()}}};
    const auto tagged = step.apis().sagemaker.add_tags(original_->job().arn, child, step.context());
    if (tagged) return;
    const std::string_view again =
        retryable(tagged.error().code) ? "; give the command again to tag the job" : "";
    console_.say(fmt::format("{}: its tag {} was not written{}: {}", inputs_.job, rules::kChildTag,
                             again, printable(tagged.error().message)));
  }

  Printed refused(Reason reason) const {
    const bool stopped = stage_ != Stage::kBegin;
    if (stopped && reason.why == Why::kCompleted) reason.why = Why::kCompletedAllTheSame;
    Printed out{1, refusal_line(inputs_, reason), {}};
    const bool may_change = reason.why == Why::kCheckpointUsed || reason.why == Why::kNameTaken;
    if (stopped && may_change) out.error = how_to_go_on(" when that is no longer so,");
    return out;
  }

  Printed interrupted() const {
    if (stage_ == Stage::kBegin)
      return {130, {}, fmt::format("{}: interrupted: nothing was done\n", inputs_.job)};
    return {130, {}, how_to_go_on("")};
  }

  Printed failed(const Error& error, const CommandStep& step) const {
    return failed(error, step.credentials_over());
  }
  Printed failed(Error error, bool credentials_over) const {
    Printed out{2, {}, error_line(about_job(std::move(error), inputs_.job, session_))};
    if (credentials_over) {
      out.error += how_to_go_on(" with credentials that are valid");
    } else if (stage_ != Stage::kBegin) {
      out.error += how_to_go_on("");
    }
    return out;
  }

  static std::string error_line(const Error& error) {
    return fmt::format("trainwarden: {}\n", printable(error.message));
  }

  std::string how_to_go_on(std::string_view when) const {
    const std::string_view standing = stage_ == Stage::kBegin ? "nothing was done"
                                      : stage_ == Stage::kStopping
                                          ? "it is stopping, and is not copied yet"
                                          : "it has ended, and is not copied yet";
    return fmt::format("{}: {};{} the same command goes on from there: {}\n", inputs_.job, standing,
                       when, same_command(inputs_));
  }

  const RestartInputs& inputs_;
  const aws::JobName& name_;
  const actions::Apis& session_;
  Console& console_;
  Stage stage_ = Stage::kBegin;
  std::optional<JobSnapshot> original_;
  std::optional<aws::JobName> copy_;
  rules::CopyParts parts_;
  std::vector<Reason> doubts_;
};

}  // namespace

Printed restart(const RestartInputs& inputs, const actions::Apis& session, Console& console) {
  const auto name = aws::JobName::parse(inputs.job);
  if (!name) return {2, {}, fmt::format("trainwarden: {}\n", printable(name.error().message))};
  return HandRestart(inputs, *name, session, console).go();
}

}  // namespace trainwarden::cli
