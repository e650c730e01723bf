#include "tests/localaws/sagemaker/job_listing.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <tuple>

#include "tests/localaws/sagemaker/job_view.h"
#include "tests/localaws/sagemaker/warm_pool.h"
#include "tests/localaws/service/crypto.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

constexpr std::int64_t kJobsPerPage = 10;
constexpr std::int64_t kTagsPerPage = 50;
constexpr std::int64_t kMaxTagsPerPage = 100;

std::string_view text_member(Value input, std::string_view name, std::string_view otherwise) {
  const auto found = input.find_present(name);
  return found && found->is_string() ? found->as_string() : otherwise;
}

std::int64_t number_member(Value input, std::string_view name, std::int64_t otherwise) {
  const auto found = input.find_present(name);
  return found ? found->as_integer().value_or(otherwise) : otherwise;
}

std::optional<sys_millis> time_of(Value input, std::string_view name) {
  const auto found = input.find_present(name);
  if (!found) return std::nullopt;
  const auto instant = instant_from(*found, name);
  return instant ? std::optional(*instant) : std::nullopt;
}

// A job's place in the order; equal keys are told apart by the name, which is unique.
using SortKey = std::tuple<std::string, std::string>;

SortKey sort_key(const Job& job, std::string_view sort_by) {
  if (sort_by == "Name") return {"", job.name};
  if (sort_by == "Status") return {job.machine.state().status, job.name};
  return {fmt::format("{:020}", job.machine.state().created.time_since_epoch().count()), job.name};
}

// A token says where the last page ended, not how far it was: jobs created meanwhile shift nothing.
std::string write_token(std::string_view sort_by, const SortKey& key) {
  return hex(fmt::format("{}|{}|{}", sort_by, std::get<0>(key), std::get<1>(key)));
}

std::optional<SortKey> read_token(std::string_view token, std::string_view sort_by) {
  const auto text = unhex(token);
  if (!text) return std::nullopt;
  const auto first = text->find('|');
  const auto last = text->rfind('|');
  if (first == std::string::npos || first == last || text->substr(0, first) != sort_by)
    return std::nullopt;
  return SortKey{text->substr(first + 1, last - first - 1), text->substr(last + 1)};
}

bool passes_filters(const Job& job, Value input) {
  const JobState& state = job.machine.state();
  if (job.name.find(text_member(input, "NameContains", "")) == std::string::npos) return false;
  if (text_member(input, "StatusEquals", state.status) != state.status) return false;
  const auto after = [&](std::string_view name, sys_millis t) {
    const auto bound = time_of(input, name);
    return !bound || t > *bound;
  };
  const auto before = [&](std::string_view name, sys_millis t) {
    const auto bound = time_of(input, name);
    return !bound || t < *bound;
  };
  if (!after("CreationTimeAfter", state.created) || !before("CreationTimeBefore", state.created) ||
      !after("LastModifiedTimeAfter", state.last_modified) ||
      !before("LastModifiedTimeBefore", state.last_modified))
    return false;
  const Value document = job.document.root();
  if (input.find_present("WarmPoolStatusEquals") &&
      pool_status(job) != text_member(input, "WarmPoolStatusEquals", ""))
    return false;
  const auto resources = document.find_present("ResourceConfig");
  return !input.find_present("TrainingPlanArnEquals") ||
         (resources && text_member(*resources, "TrainingPlanArn", "") ==
                           text_member(input, "TrainingPlanArnEquals", ""));
}

}  // namespace

Answer<std::string> list_training_jobs(std::vector<const Job*> jobs, Value input) {
  const std::string_view sort_by = text_member(input, "SortBy", "CreationTime");
  const bool descending = text_member(input, "SortOrder", "Ascending") == "Descending";
  const auto before = [&](const SortKey& a, const SortKey& b) {
    return descending ? b < a : a < b;
  };
  std::sort(jobs.begin(), jobs.end(), [&](const Job* a, const Job* b) {
    return before(sort_key(*a, sort_by), sort_key(*b, sort_by));
  });
  auto at = jobs.begin();
  if (const std::string_view token = text_member(input, "NextToken", ""); !token.empty()) {
    const auto last = read_token(token, sort_by);
    if (!last) return invalid("Invalid NextToken");
    at = std::find_if(jobs.begin(), jobs.end(),
                      [&](const Job* job) { return before(*last, sort_key(*job, sort_by)); });
  }
  const auto size =
      std::min<std::int64_t>(number_member(input, "MaxResults", kJobsPerPage), jobs.end() - at);
  const auto end = at + size;
  json::Writer out;
  out.begin_object().key("TrainingJobSummaries").begin_array();
  for (auto job = at; job != end; ++job)
    if (passes_filters(**job, input)) write_summary(out, **job);
  out.end_array();
  if (end != jobs.end() && size > 0)
    out.member("NextToken", write_token(sort_by, sort_key(**(end - 1), sort_by)));
  out.end_object();
  return out.take();
}

Answer<std::string> list_job_tags(const Job& job, Value input) {
  std::size_t begin = 0;
  if (const std::string_view token = text_member(input, "NextToken", ""); !token.empty()) {
    const auto text = unhex(token).value_or("");
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), begin);
    if (text.empty() || error != std::errc() || begin > job.tags.size())
      return invalid("Invalid NextToken");
  }
  const auto wanted = std::min(number_member(input, "MaxResults", kTagsPerPage), kMaxTagsPerPage);
  const std::size_t end = std::min(job.tags.size(), begin + static_cast<std::size_t>(wanted));
  json::Writer out;
  out.begin_object().key("Tags").begin_array();
  for (std::size_t i = begin; i < end; ++i)
    out.begin_object()
        .member("Key", job.tags[i].first)
        .member("Value", job.tags[i].second)
        .end_object();
  out.end_array();
  if (end < job.tags.size()) out.member("NextToken", hex(std::to_string(end)));
  out.end_object();
  return out.take();
}

}  // namespace trainwarden::localaws
