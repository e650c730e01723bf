#include "handlers/actions/stop/stop_tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "handlers/actions/fetch/gather.h"
#include "handlers/actions/stop/brake_slots.h"
#include "handlers/actions/stop/find_tuner.h"
#include "handlers/actions/stop/stop_tags.h"
#include "handlers/actions/table/items.h"
#include "handlers/actions/tell/claims.h"
#include "handlers/actions/tell/compose.h"
#include "handlers/rules/notices/notice.h"
#include "handlers/rules/state/begin_steps.h"
#include "handlers/rules/state/item_id.h"

namespace trainwarden::actions {
namespace {

using rules::ActionResult;
using rules::Tuner;

// Records that the stop was accepted. True for the first to record it, who counts the stop.
Result<bool> note_accepted(const std::string& id, const rules::StopOrder& order, const Apis& apis) {
  bool is_first = false;
  CHECK_OK(change_job_item(id, apis, [&](rules::JobItem item, sys_seconds now) {
    is_first = !item.stop || !item.stop->accepted;
    return rules::stop_accepted(std::move(item), order, now);
  }));
  return is_first;
}

// The stop of one tuner, requested by a decision on one of its jobs.
class TunerStop {
 public:
  TunerStop(const Subject& subject, Rechecked& rechecked, Tuner tuner)
      : subject_(subject),
        apis_(subject.apis),
        rechecked_(rechecked),
        tuner_(std::move(tuner)),
        told_{tuner_.kind == rules::TunerKind::kAutoMlJob, tuner_.name, tuner_.running},
        id_(rules::tuner_item_id(tuner_)),
        order_{rechecked.decision->rule, reason_of(*rechecked.decision)} {}

  std::optional<ActionOutcome> carry_out() {
    if (tuner_.has_ended()) return std::nullopt;
    const auto item = read_job_item(id_, apis_);
    if (!item) return failure(item.error());
    if (tuner_.state == Tuner::State::kStopping) return found_stopping(*item);
    if (rules::is_refused_now(*item, apis_.now())) return denied(*item);
    if (was_just_stopped(*item)) return done({.kind = Kind::kTunerStoppedBefore});
    const rules::TrainingJob& of = *rechecked_.sources->job();
    const auto job = job_item_id(of);
    if (!job) return failure(job.error());
    rules::BrakeAsk ask = brake_ask(id_, *item, *rechecked_.decision, of, false, subject_);
    ask.silent_job = *job;
    const auto slot = take_brake_slot(ask, subject_);
    if (!slot) return failure(slot.error());
    if (slot->held) return done({.kind = Kind::kHeldBack, .reason = slot->held});
    return braked(*slot);
  }

 private:
  using Kind = ActionResult::Kind;

  ActionOutcome done(ActionResult result) const {
    result.tuner = told_;
    ActionOutcome out{rules::ActionKind::kStop, std::move(result)};
    out.notice_item_id = id_;
    return out;
  }
  ActionOutcome failure(Error error) const {
    ActionOutcome out =
        failed(rules::ActionKind::kStop,
               std::move(error).in(fmt::format("the {} {}, which launched the job",
                                               rules::name(tuner_.kind), tuner_.name)));
    out.notice_item_id = id_;
    return out;
  }
  ActionOutcome denied(const rules::JobItem& item) const {
    return done(rules::not_done(rules::denial_of(item, rules::Why::kTunerStopDenied)));
  }

  // Describe may still report it as running for a short time after a stop. If it runs on after
  // that, it is asked to stop again.
  bool was_just_stopped(const rules::JobItem& item) const {
    return item.stop && item.stop->accepted && apis_.now() - item.stop->at < rules::kStillUnderWay;
  }

  // The recipients may depend on the job's tags, which the rule itself need not have asked for.
  // Without the tags the notice names no owner.
  void read_tags() {
    rules::Sources& sources = *rechecked_.sources;
    const bool tells =
        std::ranges::find(rechecked_.decision->actions, rules::ActionKind::kNotify,
                          &rules::Action::kind) != rechecked_.decision->actions.end();
    if (tells && sources.tags() == nullptr)
      static_cast<void>(gather(sources, {rules::Source::kTags}, subject_.job, apis_));
  }

  ActionOutcome braked(const BrakeSlot& slot) {
    read_tags();
    const std::vector<Prepared> notices =
        prepare_for_tuner(subject_, *rechecked_.decision, *rechecked_.sources, told_);
    rules::StopDecision decision{};
    const auto begun = change_job_item(id_, apis_, [&](rules::JobItem item, sys_seconds now) {
      const auto before = item.stop;
      auto step = rules::begin_stop(std::move(item), order_, now);
      decision = step.decision;
      // A stop that is under way was announced by the delivery for another of its jobs.
      if (decision != rules::StopDecision::kStop || step.next.stop == before)
        return std::move(step.next);
      return claim(std::move(step.next), notices, apis_, now);
    });
    if (!begun) return failure(begun.error());
    if (decision == rules::StopDecision::kRefusedNow) return denied(*begun);
    if (was_just_stopped(*begun)) return done({.kind = Kind::kTunerStoppedBefore});
    const auto tagged = add_stop_tags(rechecked_.arn, *rechecked_.decision, apis_);
    ActionOutcome out = answered(ask(calls_until(slot, apis_)));
    if (!tagged) out.note = tagged.error().message;
    return out;
  }

  Result<void> ask(const aws::CallContext& context) const {
    TRY(const auto name, aws::TunerName::parse(tuner_.name));
    if (tuner_.kind == rules::TunerKind::kAutoMlJob)
      return apis_.sagemaker.stop_auto_ml_job(name, context);
    return apis_.sagemaker.stop_hyper_parameter_tuning_job(name, context);
  }

  ActionOutcome answered(const Result<void>& answer) {
    if (answer) return accepted();
    const ErrorCode code = answer.error().code;
    // It may have ended just now, or the answer to an earlier attempt was lost.
    if (code == ErrorCode::kConflict || code == ErrorCode::kRejected) {
      const auto again = find_tuner({tuner_.kind, tuner_.arn}, apis_);
      const auto item = last_job_item(id_, apis_);
      if (again && item && again->state != Tuner::State::kRuns) {
        tuner_ = *again;
        return found_stopping(*item);
      }
    }
    if (code == ErrorCode::kNotFound) return done(rules::not_done(rules::Why::kGone));
    if (code != ErrorCode::kConflict && rules::refused_for_good(answer.error())) {
      const auto noted = change_job_item(id_, apis_, [&](rules::JobItem item, sys_seconds now) {
        return rules::stop_refused(std::move(item), name(code), now);
      });
      if (!noted) return failure(noted.error());
    }
    return failure(answer.error());
  }

  ActionOutcome accepted() {
    const auto is_first = note_accepted(id_, order_, apis_);
    ActionOutcome out =
        done({.kind = is_first && !*is_first ? Kind::kTunerStoppedBefore : Kind::kTunerStopped});
    // The tuner stops all the same: its item holds the reason, and the next delivery finds it
    // stopping.
    if (!is_first) out.error = is_first.error();
    if (out.result.is(Kind::kTunerStopped)) out.saved_usd = rechecked_.avoidable_usd;
    return out;
  }

  // The tuner is stopping already. It was stopped by us if an order of ours was recorded just
  // before.
  ActionOutcome found_stopping(const rules::JobItem& item) {
    if (!rules::stop_counts(item, observed_tuner(tuner_), apis_.now()))
      return done(rules::not_done(
          rules::Reason{.why = rules::Why::kTunerStopping,
                        .name = fmt::format("{} {}", rules::name(tuner_.kind), tuner_.name)}));
    if (item.stop->accepted) return done({.kind = Kind::kTunerStoppedBefore});
    return accepted();
  }

  const Subject& subject_;
  const Apis& apis_;
  Rechecked& rechecked_;
  Tuner tuner_;
  rules::StoppedTuner told_;
  std::string id_;
  rules::StopOrder order_;
};

}  // namespace

std::optional<ActionOutcome> stop_tuner(const Subject& subject, Rechecked& rechecked,
                                        const rules::TunerRef& ref) {
  auto tuner = find_tuner(ref, subject.apis);
  if (!tuner) return failed(rules::ActionKind::kStop, std::move(tuner).error());
  return TunerStop(subject, rechecked, *std::move(tuner)).carry_out();
}

std::vector<PendingNotice> settle_tuner(const std::string& id, const Apis& apis) {
  const auto unavailable = [](Error error) {
    return std::vector<PendingNotice>{{{}, failed(rules::ActionKind::kNotify, std::move(error))}};
  };
  const auto tuner = tuner_of_item(id, apis);
  if (!tuner) return unavailable(tuner.error());
  const rules::ObservedJob observed =
      *tuner ? observed_tuner(**tuner)
             : rules::ObservedJob{.status = rules::ObservedJob::Status::kGone};
  return send_pending(id, observed, apis);
}

}  // namespace trainwarden::actions
