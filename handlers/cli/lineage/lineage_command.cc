#include "handlers/cli/lineage/lineage_command.h"

#include <fmt/core.h>

#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/actions/fetch/job_snapshot.h"
#include "handlers/cli/access/aws_session.h"
#include "handlers/cli/lineage/lineage_seams.h"
#include "handlers/cli/lineage/lineage_tree.h"
#include "handlers/cli/terminal/command_line.h"
#include "handlers/rules/decide/nominate.h"
#include "handlers/rules/job/job_cost.h"
#include "handlers/rules/job/job_tags.h"
#include "handlers/rules/job/job_times.h"

namespace trainwarden::cli {
namespace {

// A job from Describe's answer or from a record of Search.
LineageJob job_of(const rules::TrainingJob& job, rules::Lineage lineage,
                  const rules::Prices& prices, sys_seconds now) {
  const auto or_unknown = [](std::string_view text) { return text.empty() ? "?" : text; };
  const auto cost = rules::cost_of(job, prices, now);
  return {
      .root = std::move(lineage.root),
      .parent = std::move(lineage.parent),
      .child = std::move(lineage.child),
      .state = fmt::format("{}/{}", or_unknown(job.status_text), or_unknown(job.secondary_text)),
      .hours = rules::paid_seconds(job, now) / 3600,
      .usd = cost ? std::optional(cost->spent_usd) : std::nullopt,
      .usd_is_bound = cost && cost->spent_is_bound,
      .spot_saved = rules::spot_saved_fraction(job),
      .created = job.created};
}

json::Document search_request(std::string_view root) {
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object().member("Resource", "TrainingJob").member("MaxResults", 100);
    sink.key("SearchExpression").begin_object().key("Filters").begin_array();
    aws::write_search_filter(sink, fmt::format("Tags.{}", rules::kRootTag), "Equals", root);
    sink.end_array().end_object().end_object();
  });
}

// Collects a lineage: the jobs that Search finds, and those that their tags name. Tags are followed
// because Search lags some seconds behind, and because the first job has no tag that Search could
// find.
class Reader {
 public:
  Reader(const rules::Prices& prices, const actions::Apis& apis)
      : prices_(prices), apis_(apis), now_(apis.now()) {}

  // Reads the jobs, and asks CloudWatch for the metrics where a copy goes on from its parent.
  Result<LineageJobs> read(const aws::JobName& job) {
    const auto asked = actions::read_snapshot({job, {}}, std::nullopt, apis_);
    if (!asked) return fail(asked.error().error);
    const std::string root = asked->lineage.root;
    const auto each_page = [&](json::Value results) -> Result<bool> {
      for (const rules::TrainingJob& found : rules::read_search_page(results))
        if (const auto search = rules::sources_of_search(found))
          add(search->event().job_name, found, *search->tags());
      return true;
    };
    CHECK_OK(apis_.sagemaker.search(search_request(root).root(), each_page, apis_.context));
    named_.push_back(root);
    add(job.str(), asked->job(), asked->tags());
    while (!named_.empty()) {
      const std::string name = std::move(named_.back());
      named_.pop_back();
      CHECK_OK(look_for(name));
    }
    add_seams(apis_, sides_, jobs_, unread_);
    return std::move(jobs_);
  }
  // Why there are no values at the seams; empty if there are some, or nothing to ask for.
  const std::string& unread() const { return unread_; }

 private:
  static constexpr std::size_t kMostReads = 100;

  void add(const std::string& name, const rules::TrainingJob& found, const rules::JobTags& tags) {
    LineageJob& job = jobs_[name];
    job = job_of(found, rules::lineage_of(tags, name), prices_, now_);
    sides_[name] = side_of(found);
    for (const std::string& other : {job.child, job.parent})
      if (!other.empty()) named_.push_back(other);
  }

  Result<void> look_for(const std::string& name) {
    const auto job = aws::JobName::parse(name);
    if (jobs_.contains(name) || !job || !asked_.insert(name).second) return {};
    if (asked_.size() > kMostReads)
      return fail(ErrorCode::kRejected,
                  fmt::format("tags name more than {} jobs that Search does not find", kMostReads));
    const auto found = actions::read_snapshot({*job, {}}, std::nullopt, apis_);
    if (!found && !found.error().absent) return fail(found.error().error);
    if (found) add(name, found->job(), found->tags());
    return {};
  }

  const rules::Prices& prices_;
  const actions::Apis& apis_;
  sys_seconds now_;
  LineageJobs jobs_;
  SeamSides sides_;
  std::string unread_;
  std::vector<std::string> named_;  // named by tags, not fetched yet
  std::set<std::string> asked_;
};

// Why no cost is shown; empty if prices are known.
std::string about_prices(const LineageInputs& inputs, const rules::Prices& prices) {
  if (!prices.empty()) return {};
  return fmt::format("trainwarden: lineage: no cost: {}\n",
                     inputs.policy.empty()
                         ? "it takes the `prices` of a policy: --policy FILE"
                         : "the policy has no `prices` (USD an hour and machine, by type)");
}

}  // namespace

Result<LineageInputs> read_lineage(std::span<char* const> arguments) {
  LineageInputs inputs;
  CHECK_OK(read_arguments(arguments, aws_options(inputs.aws, {{"--policy", &inputs.policy}}),
                          {"one job", {&inputs.job}}));
  if (inputs.job.empty()) return wrong_argument("expected the name of a training job");
  return inputs;
}

Printed lineage(const LineageInputs& inputs, const rules::Prices& prices,
                const actions::Apis& apis) {
  const auto complain = [&](Error error) {
    return complaint_about_job(std::move(error), inputs.job, apis);
  };
  const auto name = aws::JobName::parse(inputs.job);
  if (!name) return complain(name.error());
  Reader reader(prices, apis);
  auto jobs = reader.read(*name);
  if (!jobs) return complain(std::move(jobs).error());
  std::string notes = about_prices(inputs, prices);
  if (!reader.unread().empty())
    notes += fmt::format("trainwarden: lineage: no metrics at the seams: {}\n",
                         printable(reader.unread()));
  return {0, lineage_tree(*std::move(jobs), name->view()), std::move(notes)};
}

}  // namespace trainwarden::cli
