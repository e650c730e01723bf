#include "handlers/actions/weekly/weekly.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "awsapi/page_walk.h"
#include "handlers/actions/context/bounded.h"
#include "handlers/actions/context/list_time.h"
#include "handlers/actions/sweep/job_census.h"
#include "handlers/actions/table/items.h"
#include "handlers/actions/tell/claims.h"
#include "handlers/rules/state/item_id.h"
#include "handlers/rules/weekly/week_notice.h"
#include "runtime/base/fnv1a.h"

namespace trainwarden::actions {
namespace {

using std::chrono::milliseconds;

// In eighths of the time.
constexpr int kEighths = 8;
constexpr ListTime kRunningTime{5, 4};
constexpr ListTime kEndedTime{2, 1};

class WeekListing {
 public:
  WeekListing(const ActivePolicy& rules, const Apis& apis, sys_seconds until)
      : apis_(apis),
        time_(apis.context.deadline.left(apis.clock.steady_now())),
        totals_(rules.policy.prices(), until) {}

  // An error if a list failed for another reason than time, or if time ran out before it was told
  // of any job that ended: a report without a figure of its week would be the only one of that day.
  Result<rules::WeekReport> take() {
    const auto add = [this](const rules::Sources& search) {
      totals_.add(search);
      return false;
    };
    // Running jobs come first: a job that ends between the two lists is in both, and in none if it
    // were the other way round.
    JobListing running = JobListing::running(std::nullopt, add);
    JobListing ended = JobListing::changed(std::nullopt, totals_.from(), add);
    std::optional<rules::ListCut> running_cut;
    std::optional<rules::ListCut> ended_cut;
    const std::array<aws::Row, 1> rows{
        aws::Row{[&] { return list(kRunningTime, running, running_cut); },
                 [&] { return list(kEndedTime, ended, ended_cut); }}};
    aws::walk_beside(rows, apis_.sagemaker.client(), apis_.clock, apis_.context);
    const JobCensus of_ended = ended.finish();
    const JobCensus of_running = running.finish();
    jobs_ = of_running.seen + of_ended.seen;
    if (failure_) return fail(*std::move(failure_));
    if (ended_cut && !ended_cut->reached)
      return fail(Error(*of_ended.cut).in("no job that ended could be listed in time"));
    rules::WeekReport out = totals_.take();
    out.running_cut = running_cut;
    out.ended_cut = ended_cut;
    out.too_large = of_running.too_large;
    out.too_large.insert(out.too_large.end(), of_ended.too_large.begin(), of_ended.too_large.end());
    return out;
  }

  std::size_t jobs() const { return jobs_; }

 private:
  Deadline until(int eighths) const {
    return apis_.context.deadline.before(time_ / kEighths * eighths);
  }

  std::optional<aws::List> list(ListTime time, JobListing& jobs,
                                std::optional<rules::ListCut>& cut) {
    if (failure_) return std::nullopt;
    return aws::List{jobs.from_start(), until(time.end), until(time.last_page),
                     [this, &jobs, &cut](const Result<void>& walked, Deadline until) {
                       jobs.note(walked);
                       if (walked) return;
                       if (ran_out_of_time(walked.error(), until, apis_.clock))
                         cut = rules::ListCut{jobs.cursor()};
                       else
                         failure_ = walked.error();
                     }};
  }

  const Apis& apis_;
  milliseconds time_;  // at the beginning
  rules::WeekTotals totals_;
  std::size_t jobs_ = 0;
  std::optional<Error> failure_;
};

std::string report_key(const std::string& topic) {
  return fmt::format("{:016x}", fnv1a("weekly report\n" + topic));
}

bool was_notified(const rules::JobItem& item, const std::string& key) {
  const auto found = item.notices.find(key);
  return found != item.notices.end() && found->second.claim.done;
}

Result<void> check_event_time(sys_seconds time, sys_seconds now) {
  if (time >= now - kOldestEvent && time <= now + kFarthestAhead) return {};
  return fail(
      ErrorCode::kInvalidInput,
      fmt::format("`time`: expected at most {} hours before and {} minutes after {}, which "
                  "is now, found {}",
                  kOldestEvent.count(), kFarthestAhead.count(), rfc3339(now), rfc3339(time)));
}

// Lists the week's jobs, and publishes the report to those who are to get it.
void report(WeeklyRecord& record, const ActivePolicy& rules, const Apis& apis, sys_seconds time) {
  if (auto checked = check_event_time(time, apis.now()); !checked) {
    record.error = std::move(checked).error();
    return;
  }
  const std::string& topic = apis.config.notify_topic;
  const bool tells = !topic.empty() && rules.ceiling != rules::Mode::kObserve;
  const std::string id = rules::report_item_id(time);
  const std::string key = report_key(topic);
  if (tells) {
    const auto item = read_job_item(id, apis);
    if (!item) {
      record.error = item.error();
      return;
    }
    if (was_notified(*item, key)) {
      record.notice = NoticeResult::kSentBefore;
      return;
    }
  }
  WeekListing listing(rules, apis, time - kTimeToSettle);
  auto week = listing.take();
  record.listed_jobs = listing.jobs();
  if (!week) {
    record.error = std::move(week).error();
    return;
  }
  record.week = *std::move(week);
  record.week.account = apis.account;
  record.week.region = apis.sagemaker.client().region();
  record.listed = true;
  if (!tells) {
    record.notice = topic.empty() ? NoticeResult::kNoTopic : NoticeResult::kObserve;
    return;
  }
  const rules::NoticeFormat format = rules.policy.notice_format();
  const ActionOutcome sent =
      send(id, {key, topic, format, rules::week_notice(format, record.week)}, rules, apis);
  record.note = sent.note;
  record.error = sent.error;
  record.state_unavailable = sent.state_unavailable;
  if (sent.error) return;
  record.notice = sent.result.is(rules::ActionResult::Kind::kNotifiedBefore)
                      ? NoticeResult::kSentBefore
                      : NoticeResult::kSent;
}

}  // namespace

std::string_view name(NoticeResult notice) {
  static constexpr std::array<std::string_view, 5> kNames = {"sent", "sent before", "no topic",
                                                             "observe", "failed"};
  return kNames[static_cast<std::size_t>(notice)];
}

json::Document WeeklyRecord::to_json() const {
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object().member("trigger", "report").member("notice", name(notice));
    if (!note.empty()) sink.member("note", shown(note));
    if (error) sink.member("error", shown(error->message));
    sink.member("listed", listed_jobs);
    if (listed) {
      sink.key("week").begin_object();
      rules::write_week(sink, week);
      sink.end_object();
    }
    write_calls(sink, calls);
    sink.member("policy", policy_hash).end_object();
  });
}

WeeklyRecord report_week(const ActivePolicy& rules, const Apis& apis, sys_seconds time,
                         aws::Pace* pace) {
  aws::CallContext context = apis.context;
  context.pace = pace;
  std::vector<aws::CallMade> made;
  context.made = &made;
  const Apis paced(apis.sagemaker.client(), apis.clock, context, apis.config, apis.powers,
                   apis.request, apis.account);
  WeeklyRecord record;
  record.policy_hash = rules.policy.hash();
  report(record, rules, paced, time);
  if (record.error && record.error->code == ErrorCode::kStateUnavailable)
    record.state_unavailable = true;
  record.throttled =
      static_cast<std::size_t>(std::ranges::count_if(made, &aws::CallMade::throttled));
  add_calls(record.calls, made);
  return record;
}

}  // namespace trainwarden::actions
