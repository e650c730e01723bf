#include "tests/localaws/sagemaker/job_search.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <tuple>

#include "tests/localaws/sagemaker/job_view.h"
#include "tests/localaws/service/crypto.h"
#include "tests/localaws/service/input.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

constexpr std::int64_t kPage = 10;

// Properties of a training job that may be searched for, up to the first dot.
constexpr std::array<std::string_view, 34> kProperties = {"TrainingJobName",
                                                          "TrainingJobArn",
                                                          "TuningJobArn",
                                                          "LabelingJobArn",
                                                          "AutoMLJobArn",
                                                          "ModelArtifacts",
                                                          "TrainingJobStatus",
                                                          "SecondaryStatus",
                                                          "FailureReason",
                                                          "HyperParameters",
                                                          "AlgorithmSpecification",
                                                          "RoleArn",
                                                          "InputDataConfig",
                                                          "OutputDataConfig",
                                                          "ResourceConfig",
                                                          "VpcConfig",
                                                          "StoppingCondition",
                                                          "CreationTime",
                                                          "TrainingStartTime",
                                                          "TrainingEndTime",
                                                          "LastModifiedTime",
                                                          "Metrics",
                                                          "EnableNetworkIsolation",
                                                          "EnableInterContainerTrafficEncryption",
                                                          "EnableManagedSpotTraining",
                                                          "CheckpointConfig",
                                                          "TrainingTimeInSeconds",
                                                          "BillableTimeInSeconds",
                                                          "DebugHookConfig",
                                                          "ExperimentConfig",
                                                          "Environment",
                                                          "RetryStrategy",
                                                          "Tags",
                                                          "WarmPoolStatus"};

// Members of Describe that Search's records have not.
constexpr std::array<std::string_view, 10> kLacking = {
    "ProgressInfo",        "InfraCheckConfig",
    "ProfilingStatus",     "MlflowConfig",
    "BillableTokenCount",  "ProfilerRuleEvaluationStatuses",
    "RemoteDebugConfig",   "MlflowDetails",
    "ServerlessJobConfig", "ProfilerRuleConfigurations"};

// A property's value: text, or a number (of times: epoch milliseconds).
struct Property {
  std::string text;
  std::optional<double> number;
  bool time = false;
};

Property of_text(std::string_view text) { return {std::string(text), std::nullopt}; }

std::optional<Property> of_time(std::optional<sys_millis> t) {
  if (!t) return std::nullopt;
  return Property{{}, static_cast<double>(t->time_since_epoch().count()), true};
}

std::optional<Property> of_value(Value value) {
  if (value.is_string()) return of_text(value.as_string());
  if (value.is_number()) return Property{json::to_text(value), value.as_number()};
  if (value.is_boolean()) return of_text(value.as_boolean() ? "true" : "false");
  if (value.is_null()) return std::nullopt;
  return of_text("");
}

// What lies at "A.B" in a document; the rest of the path after HyperParameters and Environment is
// one key, dots and all.
std::optional<Property> in_document(Value at, std::string_view path) {
  bool literal = false;
  while (true) {
    const std::size_t dot = literal ? std::string_view::npos : path.find('.');
    const std::string_view name = path.substr(0, dot);
    const auto found = at.find_present(name);
    if (!found) return std::nullopt;
    if (dot == std::string_view::npos) return of_value(*found);
    literal = name == "HyperParameters" || name == "Environment";
    at = *found;
    path.remove_prefix(dot + 1);
  }
}

std::optional<Property> property(const Job& job, std::string_view name) {
  const JobState& state = job.machine.state();
  if (name.starts_with("Tags.")) {
    for (const auto& [key, value] : job.tags)
      if (key == name.substr(5)) return of_text(value);
    return std::nullopt;
  }
  if (name == "TrainingJobName") return of_text(job.name);
  if (name == "TrainingJobArn") return of_text(job.arn);
  if (name == "TrainingJobStatus") return of_text(state.status);
  if (name == "SecondaryStatus") return of_text(state.secondary);
  if (name == "CreationTime") return of_time(state.created);
  if (name == "LastModifiedTime") return of_time(state.last_modified);
  if (name == "TrainingStartTime") return of_time(state.training_start);
  if (name == "TrainingEndTime") return of_time(state.training_end);
  if (name == "FailureReason")
    return state.failure_reason.empty() ? std::nullopt
                                        : std::optional(of_text(state.failure_reason));
  return in_document(job.document.root(), name);
}

std::optional<double> parse_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The filter's value as a number that the property can be compared with.
std::optional<double> comparable(const Property& property, std::string_view value) {
  if (!property.time) return parse_number(value);
  std::string text(value);
  if (text.size() == 10) text += "T00:00:00";
  if (text.find_first_of("Zz+", 10) == std::string::npos &&
      text.find('-', std::min<std::size_t>(text.size(), 11)) == std::string::npos)
    text += 'Z';
  const auto parsed = parse_rfc3339(text);
  if (!parsed) return std::nullopt;
  return static_cast<double>(sys_millis(*parsed).time_since_epoch().count());
}

bool one_of(std::string_view text, std::string_view list) {
  while (true) {
    const std::size_t comma = list.find(',');
    std::string_view item = list.substr(0, comma);
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    if (item == text) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

bool equals(const Property& found, std::string_view value) {
  if (const auto number = found.number ? comparable(found, value) : std::nullopt)
    return *found.number == *number;
  return found.text == value;
}

bool passes(const std::optional<Property>& found, Value filter) {
  const std::string_view value = input::text(filter, "Value");
  const std::string_view op = input::text(filter, "Operator", "Equals");
  if (op == "Exists") return found.has_value();
  if (op == "NotExists") return !found.has_value();
  if (op == "NotEquals") return !found || !equals(*found, value);
  if (!found) return false;
  if (op == "Equals") return equals(*found, value);
  if (op == "Contains") return found->text.find(value) != std::string::npos;
  if (op == "In") return one_of(found->text, value);
  const auto left = found->number ? found->number : parse_number(found->text);
  const auto right = comparable(*found, value);
  if (!left || !right) return false;
  if (op == "GreaterThan") return *left > *right;
  if (op == "GreaterThanOrEqualTo") return *left >= *right;
  if (op == "LessThan") return *left < *right;
  return *left <= *right;
}

// One object of the list must pass all filters, whose names begin with the list's.
bool passes_nested(const Job& job, Value nested) {
  const std::string_view list = input::text(nested, "NestedPropertyName");
  const auto found = job.document.root().find_present(list);
  if (!found) return false;
  for (const Value element : found->elements()) {
    bool all = true;
    for (const Value filter : nested.find_present("Filters")->elements()) {
      std::string_view name = input::text(filter, "Name");
      if (name.starts_with(list) && name.size() > list.size()) name.remove_prefix(list.size() + 1);
      all = all && passes(in_document(element, name), filter);
    }
    if (all) return true;
  }
  return false;
}

bool passes_expression(const Job& job, Value expression) {
  const bool any = input::text(expression, "Operator", "And") == "Or";
  bool seen = false;
  bool out = !any;
  const auto add = [&](bool passed) {
    seen = true;
    out = any ? out || passed : out && passed;
  };
  if (const auto filters = expression.find_present("Filters"))
    for (const Value filter : filters->elements())
      add(passes(property(job, input::text(filter, "Name")), filter));
  if (const auto nested = expression.find_present("NestedFilters"))
    for (const Value filter : nested->elements()) add(passes_nested(job, filter));
  if (const auto inner = expression.find_present("SubExpressions"))
    for (const Value sub : inner->elements()) add(passes_expression(job, sub));
  return out || !seen;
}

bool known_property(std::string_view name) {
  const std::string_view first = name.substr(0, name.find('.'));
  return std::find(kProperties.begin(), kProperties.end(), first) != kProperties.end();
}

Answer<void> check_filter(Value filter) {
  const std::string_view name = input::text(filter, "Name");
  if (!known_property(name)) return invalid(fmt::format("Unknown property name: {}.", name));
  const std::string_view op = input::text(filter, "Operator", "Equals");
  const bool unary = op == "Exists" || op == "NotExists";
  if (unary == input::has(filter, "Value"))
    return invalid(fmt::format("Value must{} be set for the operator {} of the property {}.",
                               unary ? " not" : "", op, name));
  return {};
}

Answer<void> check_expression(Value expression) {
  const auto filters = expression.find_present("Filters");
  const auto nested = expression.find_present("NestedFilters");
  const auto inner = expression.find_present("SubExpressions");
  if (!filters && !nested && !inner)
    return invalid(
        "Invalid search expression: at least one subexpression, filter, or nested filter must be "
        "specified.");
  if (filters)
    for (const Value filter : filters->elements())
      if (auto ok = check_filter(filter); !ok) return ok;
  if (inner)
    for (const Value sub : inner->elements())
      if (auto ok = check_expression(sub); !ok) return ok;
  return {};
}

// A job's place in the order: by the property, then by the name, which is unique. A view: cheap,
// since each page looks at each job.
struct SearchKey {
  double number = -std::numeric_limits<double>::infinity();  // also where there is none
  std::string text;
  std::string_view name;

  bool operator<(const SearchKey& other) const {
    return std::tie(number, text, name) < std::tie(other.number, other.text, other.name);
  }
};

SearchKey search_key(const Job& job, std::string_view by) {
  SearchKey out;
  out.name = job.name;
  auto found = property(job, by);
  if (!found) return out;
  if (found->number)
    out.number = *found->number;
  else
    out.text = std::move(found->text);
  return out;
}

std::string token_of(const SearchKey& key) {
  return hex(fmt::format("{}|{}|{}", key.number, key.text, key.name));
}

// Names have no bar. text: the token's, which must outlive the key.
std::optional<SearchKey> read_search_token(std::string_view text) {
  const std::size_t first = text.find('|');
  const std::size_t last = text.rfind('|');
  if (first == last) return std::nullopt;
  const auto number = parse_number(text.substr(0, first));
  if (!number) return std::nullopt;
  return SearchKey{*number, std::string(text.substr(first + 1, last - first - 1)),
                   text.substr(last + 1)};
}

void write_record(json::Sink& out, const Job& job) {
  const json::Document whole =
      json::Document::build([&](json::Sink& sink) { write_description(sink, job); });
  out.begin_object().key("TrainingJob").begin_object();
  for (const json::Member member : whole.root().members())
    if (std::find(kLacking.begin(), kLacking.end(), member.name) == kLacking.end())
      out.member(member.name, member.value);
  out.key("Tags").begin_array();
  for (const auto& [key, value] : job.tags)
    out.begin_object().member("Key", key).member("Value", value).end_object();
  out.end_array().end_object().end_object();
}

}  // namespace

Answer<std::string> search_training_jobs(const std::vector<const Job*>& jobs, Value given,
                                         bool fixed_pages) {
  const std::int64_t page = input::integer(given, "MaxResults", kPage);
  const std::string mark = fixed_pages ? fmt::format("{}.", page) : std::string();
  const std::string_view by = input::text(given, "SortBy", "LastModifiedTime");
  const bool ascending = input::text(given, "SortOrder", "Descending") == "Ascending";
  if (!known_property(by)) return invalid(fmt::format("Unknown property name: {}.", by));
  const auto expression = given.find_present("SearchExpression");
  if (expression)
    if (auto ok = check_expression(*expression); !ok) return std::unexpected(ok.error());
  const auto before = [&](const SearchKey& a, const SearchKey& b) {
    return ascending ? a < b : b < a;
  };
  std::string token_text;
  std::optional<SearchKey> last;  // of the page before
  if (std::string_view token = input::text(given, "NextToken"); !token.empty()) {
    if (!token.starts_with(mark)) return invalid("The NextToken was given for other MaxResults.");
    token.remove_prefix(mark.size());
    token_text = unhex(token).value_or("");
    last = read_search_token(token_text);
    if (!last) return invalid("Invalid NextToken");
  }
  std::vector<std::pair<SearchKey, const Job*>> found;
  if (input::text(given, "Resource") == "TrainingJob")
    for (const Job* job : jobs) {
      SearchKey key = search_key(*job, by);
      if (last && !before(*last, key)) continue;
      if (!expression || passes_expression(*job, *expression))
        found.emplace_back(std::move(key), job);
    }
  const auto at = found.begin();
  const auto end = at + std::min<std::int64_t>(page, found.end() - at);
  std::partial_sort(at, end, found.end(),
                    [&](const auto& a, const auto& b) { return before(a.first, b.first); });
  json::Writer out;
  out.begin_object().key("Results").begin_array();
  for (auto entry = at; entry != end; ++entry) write_record(out, *entry->second);
  out.end_array();
  if (end != found.end()) {
    out.member("NextToken", mark + token_of((end - 1)->first));
  }
  out.end_object();
  return out.take();
}

}  // namespace trainwarden::localaws
