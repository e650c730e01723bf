#include "handlers/cli/export/export_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "handlers/cli/export/day_export.h"
#include "handlers/cli/terminal/amounts.h"
#include "handlers/rules/alarms/history_series.h"
#include "runtime/base/day.h"

namespace trainwarden::cli {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

constexpr int kInterruptedStatus = 130;

class JobsExport {
 public:
  JobsExport(const ExportInputs& inputs, const rules::Policy& policy, ExportFile& file,
             const actions::Apis& apis, const ExportMeans& means)
      : inputs_(inputs),
        policy_(policy),
        file_(file),
        apis_(apis),
        means_(means),
        begun_(apis.clock.steady_now()),
        day_(
            policy, apis, [this] { return means_.console.is_interrupted(); },
            [this](std::size_t jobs) { show(jobs); }) {}

  Printed go() {
    const std::string& region = apis_.sagemaker.client().region();
    if (auto wrong = set_span(region)) return refused(2, *wrong);
    if (file_.is_whole()) {
      means_.console.say(fmt::format("{} is whole already: {}", inputs_.out,
                                     counted(file_.jobs(), "job", "jobs")));
      return {};
    }
    print_losses();
    if (!file_.header()) {
      const auto begun = file_.write(header_line({since_, until_, region, policy_.hash()}));
      if (!begun) return not_written(begun.error());
    }
    jobs_ = file_.jobs();
    for (at_ = whole_; at_ < until_;) {
      const sys_seconds end =
          std::min<sys_seconds>(sys_seconds(std::chrono::floor<days>(at_)) + days(1), until_);
      auto exported = day_.run(at_, end);
      if (!exported) return cut_off(exported.error());
      const auto written = file_.write(exported->lines + day_line(at_, end, exported->jobs));
      if (!written) return not_written(written.error());
      jobs_ += exported->jobs;
      at_ = end;
      whole_ = end;
    }
    return finish(region);
  }

 private:
  // Sets where the export begins and ends. Returns an error if the file does not fit the request.
  std::optional<Error> set_span(const std::string& region) {
    until_ = apis_.now();
    since_ = until_ - inputs_.span;
    if (inputs_.after) since_ = std::max(since_, sys_seconds(*inputs_.after + days(1)));
    if (inputs_.after && since_ >= until_)
      return Error{
          ErrorCode::kInvalidInput,
          fmt::format("--after {}: expected a day before today's ({}), as today is not over",
                      rfc3339_day(sys_seconds(*inputs_.after)), rfc3339_day(until_))};
    if (const auto& header = file_.header()) {
      const auto differs = [&](std::string_view what, std::string_view there,
                               std::string_view here) {
        return Error{ErrorCode::kConflict,
                     fmt::format("{}: begun for the {} {}, and this is {}: name another file",
                                 inputs_.out, what, there, here)};
      };
      if (header->region != region) return differs("region", header->region, region);
      if (header->policy != policy_.hash())
        return differs("policy", header->policy, policy_.hash());
      since_ = header->since;
      until_ = header->until;
    }
    whole_ = file_.whole_until().value_or(since_);
    return std::nullopt;
  }

  void show(std::size_t jobs) {
    if (!means_.shows_progress) return;
    const auto elapsed =
        std::chrono::floor<std::chrono::seconds>(apis_.clock.steady_now() - begun_);
    means_.console.show(
        "export", fmt::format("{}: {}", rfc3339_day(at_), counted(jobs_ + jobs, "job", "jobs")),
        elapsed);
  }

  // Warns of facts that no export can have, so that a replay cannot know them.
  void print_losses() {
    const rules::HistoryNeeds needs = rules::history_needs(policy_);
    for (const auto& [rule, group] : needs.lost)
      means_.console.say(
          fmt::format("the rule {} asks for `{}`: nobody keeps what {} then, so that the export "
                      "lacks it, and a "
                      "replay does not know whether the rule held",
                      printable(rule), rules::name(group),
                      group == rules::Group::kLogs ? "logs were silent" : "lay at checkpoints"));
    for (const rules::Watch& watch : policy_.watches()) {
      const auto kept = rules::kept_for(watch.period_seconds);
      if (sys_seconds(until_ - kept) <= since_) continue;
      means_.console.say(fmt::format(
          "the watch {} has periods of {} s, which CloudWatch keeps for {} days: of jobs before {} "
          "there are no such metrics",
          watch.name, watch.period_seconds, kept.count(), rfc3339_day(until_ - kept)));
    }
  }

  Printed finish(const std::string& region) {
    std::set<std::string> met = file_.types();
    met.insert(day_.types().begin(), day_.types().end());
    const std::vector<std::string> types(met.begin(), met.end());
    std::string last;
    if (jobs_ > 0) {
      const auto listed = means_.prices();
      if (!listed)
        means_.console.say(fmt::format("no list prices: {}", printable(listed.error().message)));
      print_unlisted(listed, types);
      last = prices_line(listed, types, region, apis_.now());
    }
    const auto written = file_.write(last + end_line(jobs_));
    if (!written) return not_written(written.error());
    for (const auto& [operation, why] : day_.denied())
      means_.console.say(fmt::format("{} was denied, and what it tells is missing: {}", operation,
                                     printable(why)));
    for (const std::string& job : day_.too_large())
      means_.console.say(fmt::format(
          "the job {} is missing: its description is larger than what is read", printable(job)));
    const std::string between = fmt::format("between {} and {}", rfc3339(since_), rfc3339(until_));
    if (jobs_ == 0)
      means_.console.say(
          fmt::format("no training job was created in {} {}; is it the right region and account "
                      "(--region, --profile)?",
                      region, between));
    else
      means_.console.say(
          fmt::format("{} of {} {}{}", counted(jobs_, "job", "jobs"), region, between, charged()));
    return {};
  }

  std::string charged() const {
    if (day_.metrics_asked() == 0) return "";
    return fmt::format("; CloudWatch charges by the thousand for metrics, and {} asked for",
                       counted(day_.metrics_asked(), "was", "were"));
  }

  void print_unlisted(const Result<ListedPrices>& listed, const std::vector<std::string>& types) {
    std::vector<std::string> unlisted;
    for (const std::string& type : types)
      if (listed && !listed->has(type)) unlisted.push_back(printable(type));
    if (!unlisted.empty())
      means_.console.say(
          fmt::format("the price list has none, or several, for {}", fmt::join(unlisted, ", ")));
  }

  Printed cut_off(const DayCut& cut) const {
    std::string error =
        cut.interrupted ? std::string("trainwarden: export: interrupted\n")
                        : fmt::format("trainwarden: export: {}\n", printable(cut.error.message));
    if (cut.credentials_over)
      error += "the credentials are not valid any more: sign in again, then go on\n";
    else if (cut.error.code == ErrorCode::kThrottled)
      error += "AWS asks for fewer calls: others may be busy; wait a while, then go on\n";
    const bool begun = whole_ > since_;
    // The last complete day.
    const auto day = begun
                         ? std::optional(std::chrono::floor<days>(whole_ - std::chrono::seconds(1)))
                         : std::nullopt;
    error +=
        fmt::format("{}; to go on: {}\n",
                    day ? fmt::format("all jobs until {} are there", rfc3339_day(sys_seconds(*day)))
                        : std::string("no day is whole yet"),
                    command_to_go_on(inputs_, day ? day : inputs_.after));
    return {cut.interrupted ? kInterruptedStatus : 2, {}, std::move(error)};
  }

  // --resume truncates a file to its last complete day. What standard output has received of a day
  // cannot be taken back.
  Printed not_written(const Error& error) const {
    return inputs_.out.empty() ? refused(2, error) : cut_off({error, false, false});
  }

  static Printed refused(int status, const Error& error) {
    return {status, {}, fmt::format("trainwarden: export: {}\n", printable(error.message))};
  }

  const ExportInputs& inputs_;
  const rules::Policy& policy_;
  ExportFile& file_;
  const actions::Apis& apis_;
  const ExportMeans& means_;
  Deadline::Clock::time_point begun_;
  sys_seconds since_;
  sys_seconds until_;
  sys_seconds whole_;  // end of the last complete day
  sys_seconds at_;     // start of the current day
  std::size_t jobs_ = 0;
  DayExport day_;
};

}  // namespace

Printed export_jobs(const ExportInputs& inputs, const rules::Policy& policy, ExportFile& file,
                    const actions::Apis& apis, const ExportMeans& means) {
  Printed out = JobsExport(inputs, policy, file, apis, means).go();
  means.console.clear();
  return out;
}

}  // namespace trainwarden::cli
