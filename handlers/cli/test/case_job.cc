#include "handlers/cli/test/case_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/facts/groups.h"
#include "handlers/rules/job/describe_members.h"
#include "handlers/rules/job/members.h"
#include "handlers/rules/job/training_job.h"
#include "handlers/rules/patterns/nearest.h"

namespace trainwarden::cli {
namespace {

using PathStep = rules::JsonPath::Step;

// The one number of a description that may be below 0.
constexpr std::string_view kMetricValue = "FinalMetricDataList.Value";

// AWS may add a member whose name resembles an old one, so only very near names count as misspelt.
constexpr std::size_t kLettersPerSlip = 6;

// The leaf at exactly that path; null if there is none.
const rules::Leaf* leaf_at(std::string_view path) {
  const auto all = rules::describe_members();
  const auto at = std::ranges::lower_bound(all, path, {}, &rules::Leaf::path);
  return at != all.end() && at->path == path ? &*at : nullptr;
}

// The leaves below a structure; empty if the path is no structure.
std::vector<const rules::Leaf*> leaves_of(const std::string& path) {
  const std::string prefix = path.empty() ? "" : path + ".";
  std::vector<const rules::Leaf*> out;
  for (const rules::Leaf& leaf : rules::describe_members())
    if (leaf.path.starts_with(prefix)) out.push_back(&leaf);
  return out;
}

// The names of a structure's members.
std::vector<std::string_view> names_in(const std::string& path) {
  const std::size_t begin = path.empty() ? 0 : path.size() + 1;
  std::set<std::string_view> out;
  for (const rules::Leaf* const leaf : leaves_of(path)) {
    const std::string_view rest = leaf->path.substr(begin);
    out.insert(rest.substr(0, rest.find('.')));
  }
  return {out.begin(), out.end()};
}

std::string_view status_list_of(std::string_view path) {
  return path == "SecondaryStatusTransitions.Status" ? "SecondaryStatus" : path;
}

class CaseJobCheck {
 public:
  CaseJobCheck(WrittenBy by, rules::Reader& reader) : by_(by), reader_(reader) {}

  // Whether a misspelt member was found.
  bool found_misspelt() const { return found_misspelt_; }

  // arrays: how many lists enclose the object.
  void object(json::Value value, const std::string& path, int arrays) {
    for (const json::Member member : value.members()) {
      if (member.value.is_null()) continue;  // F2
      const PathStep step(reader_.where, member.name);
      const std::string inner =
          path.empty() ? std::string(member.name) : fmt::format("{}.{}", path, member.name);
      if (const rules::Leaf* const leaf = leaf_at(inner))
        check_leaf(member.value, *leaf, arrays);
      else if (const rules::Leaf* const map = leaf_at(inner + ".*"))
        check_map(member.value, *map);
      else if (const auto below = leaves_of(inner); !below.empty())
        check_structure(member.value, inner, below, arrays);
      else
        check_stranger(member.name, path);
    }
  }

 private:
  void check_stranger(std::string_view name, const std::string& path) {
    const auto known = names_in(path);
    const std::string_view near = rules::nearest(name, known, kLettersPerSlip);
    found_misspelt_ = found_misspelt_ || !near.empty();
    if (!near.empty())
      reader_.diagnostics.error(
          reader_.where, fmt::format("expected a member of DescribeTrainingJob's answer, found "
                                     "`{}`; did you mean `{}`?",
                                     name, near));
    else if (path.empty() && name == "Tags")
      reader_.diagnostics.error(reader_.where,
                                "expected no tags here: they stand beside `job`, in `tags`");
  }

  void check_structure(json::Value value, const std::string& path,
                       const std::vector<const rules::Leaf*>& below, int arrays) {
    const bool may_be_list =
        std::ranges::all_of(below, [](const rules::Leaf* leaf) { return leaf->list; });
    if (value.is_object()) return object(value, path, arrays);
    if (!value.is_array() || !may_be_list) {
      reader_.unexpected(may_be_list ? "a list of objects" : "an object", value);
      return;
    }
    std::size_t i = 0;
    for (const json::Value element : value.elements()) {
      const PathStep step(reader_.where, i++);
      if (element.is_object())
        object(element, path, arrays + 1);
      else
        reader_.unexpected("an object", element);
    }
  }

  void check_map(json::Value value, const rules::Leaf& map) {
    if (!value.is_object()) {
      reader_.unexpected("an object", value);
      return;
    }
    for (const json::Member entry : value.members()) {
      const PathStep step(reader_.where, entry.name);
      check_scalar(entry.value, map);
    }
  }

  void check_leaf(json::Value value, const rules::Leaf& leaf, int arrays) {
    if (!value.is_array()) {
      if (leaf.list && arrays == 0)
        reader_.unexpected("a list", value);
      else
        check_scalar(value, leaf);
      return;
    }
    if (!leaf.list) {
      reader_.unexpected(rules::describe(leaf.type), value);
      return;
    }
    std::size_t i = 0;
    for (const json::Value element : value.elements()) {
      const PathStep step(reader_.where, i++);
      check_scalar(element, leaf);
    }
  }

  void check_scalar(json::Value value, const rules::Leaf& leaf) {
    if (!has_type(value, leaf.type)) {
      reader_.unexpected(leaf.type == rules::LeafType::kTime
                             ? "a time such as \"2026-11-01T00:00:00Z\", or seconds since 1970"
                             : rules::describe(leaf.type),
                         value);
      return;
    }
    if (by_ == WrittenBy::kExport) return;
    if (value.is_number() && value.as_number() < 0 && leaf.type == rules::LeafType::kNumber &&
        leaf.path != kMetricValue)
      reader_.unexpected("a number of 0 or more", value);
    if (!value.is_string()) return;
    if (leaf.path.starts_with("ResourceConfig.") && leaf.path.ends_with("InstanceType") &&
        !value.as_string().starts_with("ml."))
      reader_.unexpected("an instance type such as `ml.m5.large`", value);
    const auto known = rules::known_values(rules::Group::kJob, status_list_of(leaf.path));
    if (known.empty() || std::ranges::find(known, value.as_string()) != known.end()) return;
    reader_.diagnostics.error(
        reader_.where, fmt::format("expected {}, found {}{}", rules::one_of(known), value.excerpt(),
                                   rules::did_you_mean(value.as_string(), known)));
  }

  static bool has_type(json::Value value, rules::LeafType type) {
    switch (type) {
      case rules::LeafType::kString:
        return value.is_string();
      case rules::LeafType::kNumber:
        return value.is_number();
      case rules::LeafType::kBoolean:
        return value.is_boolean();
      case rules::LeafType::kTime:
        return rules::read_time(value).has_value();
    }
    return false;
  }

  WrittenBy by_;
  rules::Reader& reader_;
  bool found_misspelt_ = false;
};

void check_time_order(const rules::TrainingJob& job, rules::Reader& reader) {
  struct Moment {
    std::string_view name;
    std::optional<sys_seconds> at;
  };
  const std::array<Moment, 3> moments{{{"CreationTime", job.created},
                                       {"TrainingStartTime", job.training_start},
                                       {"TrainingEndTime", job.training_end}}};
  const Moment* before = nullptr;
  for (const Moment& one : moments) {
    if (!one.at) continue;
    if (before != nullptr && *one.at < *before->at) {
      const PathStep step(reader.where, one.name);
      reader.diagnostics.error(reader.where,
                               fmt::format("expected a time that is not before {} ({}), found {}",
                                           before->name, rfc3339(*before->at), rfc3339(*one.at)));
    }
    before = &one;
  }
}

// What a person got wrong about a job as a whole. An export is AWS's own answer and is not judged.
void check_plausible(const rules::TrainingJob& job, rules::Reader& reader) {
  const auto odd = [&reader](std::string_view member, std::string_view what) {
    const PathStep step(reader.where, member);
    reader.diagnostics.error(reader.where, what);
  };
  const bool is_running = job.status == rules::JobStatus::kInProgress;
  if (!job.status_text.empty() && !job.secondary_text.empty() &&
      !rules::go_together(job.status_text, job.secondary_text))
    odd("SecondaryStatus", fmt::format("expected one of a job that is {}, found `{}`",
                                       job.status_text, job.secondary_text));
  if (is_running && job.training_end)
    odd("TrainingEndTime", "expected none: a job that is InProgress has not ended");
  if (job.created && job.last_modified && *job.last_modified < *job.created)
    odd("LastModifiedTime",
        fmt::format("expected a time that is not before CreationTime ({}), found {}",
                    rfc3339(*job.created), rfc3339(*job.last_modified)));
}

void check_transitions(const rules::TrainingJob& job, rules::Reader& reader) {
  if (!job.transitions || job.transitions->empty()) return;
  const PathStep step(reader.where, "SecondaryStatusTransitions");
  std::optional<sys_seconds> before;
  const auto check_time = [&](std::string_view member, std::optional<sys_seconds> at) {
    if (!at) return;
    const PathStep innermost(reader.where, member);
    if (before && *at < *before)
      reader.diagnostics.error(reader.where,
                               fmt::format("expected a time that is not before {}, found {}",
                                           rfc3339(*before), rfc3339(*at)));
    before = at;
  };
  std::size_t i = 0;
  for (const rules::Transition& one : *job.transitions) {
    const PathStep inner(reader.where, i++);
    check_time("StartTime", one.start);
    check_time("EndTime", one.end);
  }
  if (job.status == rules::JobStatus::kInProgress &&
      job.transitions->back().status != job.secondary)
    reader.diagnostics.error(
        reader.where,
        fmt::format("expected the last one to be `{}`, as SecondaryStatus is", job.secondary_text));
}

}  // namespace

void check_case_job(json::Value job, WrittenBy by, rules::Reader& reader) {
  if (!reader.check_object(job, "DescribeTrainingJob's answer")) return;
  CaseJobCheck check(by, reader);
  check.object(job, {}, 0);
  if (check.found_misspelt()) return;  // a misspelt status is not a missing one
  for (const std::string_view member : {"TrainingJobStatus", "SecondaryStatus"})
    if (!job.find_present(member))
      reader.diagnostics.error(
          reader.where,
          fmt::format("expected `{}`, which AWS tells of every job, found none", member));
  const rules::TrainingJob read = rules::read_training_job(job);
  check_time_order(read, reader);
  if (by == WrittenBy::kExport) return;
  check_plausible(read, reader);
  check_transitions(read, reader);
}

}  // namespace trainwarden::cli
