#include "handlers/cli/lineage.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "handlers/actions/original.h"
#include "handlers/cli/session.h"
#include "handlers/rules/derive.h"
#include "handlers/rules/job_times.h"

namespace trainwarden::cli {
namespace {

using json::Value;
using rules::string_of;

struct Node {
  std::string parent;
  std::string state;
  double hours = 0;
  std::optional<double> usd;
  double created = 0;  // for the order of siblings
};

using Line = std::map<std::string, Node, std::less<>>;

// A job as Describe or a record of Search tells it.
Node node_of(Value describe, std::string_view parent, const rules::Prices& prices,
             sys_seconds now) {
  Node out{.parent = std::string(parent), .state = {}, .usd = {}};
  out.state = fmt::format("{}/{}", string_of(describe, "TrainingJobStatus").value_or("?"),
                          string_of(describe, "SecondaryStatus").value_or("?"));
  out.hours = rules::paid_seconds(describe, now) / 3600;
  if (const auto time = rules::time_of(describe, "CreationTime"))
    out.created = static_cast<double>(time->time_since_epoch().count());
  rules::Sources sources{rules::JobEvent()};
  const std::string text = json::to_text(describe);
  if (auto copy = json::Document::parse(text))
    sources.set(rules::Source::kDescribe, *std::move(copy));
  if (!sources.known(rules::Source::kDescribe) || prices.empty()) return out;
  const auto cost = json::Document::build([&](json::Sink& sink) {
    rules::derive(rules::Group::kCost, {sources, &prices, now, nullptr}, sink);
  });
  out.usd = rules::number_of(cost.root(), "spent_usd");
  return out;
}

json::Document search_request(std::string_view root) {
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object().member("Resource", "TrainingJob").member("MaxResults", 100);
    sink.key("SearchExpression").begin_object().key("Filters").begin_array();
    aws::write_search_filter(sink, "Tags.trainwarden:root", "Equals", root);
    sink.end_array().end_object().end_object();
  });
}

std::string_view tag(Value job, std::string_view key) {
  const auto tags = job.find_present("Tags");
  if (tags)
    for (const Value tag : tags->elements())
      if (string_of(tag, "Key") == key) return string_of(tag, "Value").value_or("");
  return {};
}

Result<Line> read_line(const aws::JobName& job, const rules::Prices& prices,
                       const actions::Apis& apis) {
  Line out;
  TRY(const auto asked, actions::read_original({job, {}}, std::nullopt, apis));
  const rules::Lineage lineage = asked.lineage();
  const sys_seconds now = apis.now();
  const auto each_page = [&](Value results) -> Result<bool> {
    for (const Value result : results.elements()) {
      const auto found = result.find_present("TrainingJob");
      const auto name = found ? string_of(*found, "TrainingJobName") : std::nullopt;
      if (name)
        out[std::string(*name)] = node_of(*found, tag(*found, rules::kParentTag), prices, now);
    }
    return true;
  };
  CHECK_OK(apis.sagemaker.search(search_request(lineage.root).root(), each_page, apis.context));
  // What Search does not know yet, or what has no tag: the job itself and the first of the line.
  out[job.str()] = node_of(asked.describe(), lineage.parent, prices, now);
  if (const auto root = aws::JobName::parse(lineage.root); root && !out.contains(lineage.root)) {
    const auto describe = apis.sagemaker.describe_training_job(*root, apis.context);
    if (describe)
      out[lineage.root] = node_of(describe->root(), "", prices, now);
    else if (describe.error().code == ErrorCode::kNotFound)
      out[lineage.root] = {.parent = {}, .state = "gone", .usd = {}};
    else
      return fail(describe.error());
  }
  return out;
}

class Printer {
 public:
  explicit Printer(const Line& line) : line_(line) {
    for (const auto& [name, node] : line) {
      const bool has_parent = line.contains(node.parent) && node.parent != name;
      children_[has_parent ? node.parent : std::string()].push_back(name);
      width_ = std::max(width_, name.size());
    }
    for (auto& [parent, names] : children_)
      std::ranges::sort(names, {}, [&](const std::string& name) {
        return std::pair(line.find(name)->second.created, name);
      });
    width_ += 2 * (line.size() - 1);
  }

  std::string print() {
    print_children("", 0);
    // Tags that point in a circle.
    for (const auto& [name, node] : line_) print_job(name, 0);
    if (line_.size() > 1) print_row("together", "", 0, hours_, usd_);
    return std::move(out_);
  }

 private:
  void print_children(const std::string& parent, std::size_t depth) {
    const auto found = children_.find(parent);
    if (found == children_.end()) return;
    for (const std::string& name : found->second) print_job(name, depth);
  }

  void print_job(const std::string& name, std::size_t depth) {
    if (!printed_.insert(name).second) return;
    const Node& node = line_.find(name)->second;
    hours_ += node.hours;
    if (node.usd) usd_ = usd_.value_or(0) + *node.usd;
    print_row(name, node.state, depth, node.hours, node.usd);
    print_children(name, depth + 1);
  }

  void print_row(std::string_view name, std::string_view state, std::size_t depth, double hours,
                 std::optional<double> usd) {
    out_ += fmt::format("{:{}}{:{}}  {:<32} {:>8.1f} h", "", 2 * depth, printable(name),
                        width_ - 2 * depth, printable(state), hours);
    if (usd) out_ += fmt::format(" {:>12.2f} USD", *usd);
    out_ += '\n';
  }

  const Line& line_;
  std::map<std::string, std::vector<std::string>> children_;
  std::set<std::string> printed_;
  std::size_t width_ = 8;
  double hours_ = 0;
  std::optional<double> usd_;
  std::string out_;
};

}  // namespace

Result<LineageInputs> read_lineage(std::span<char* const> arguments) {
  LineageInputs inputs;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--policy") {
      if (++i == arguments.size()) return fail(ErrorCode::kInvalidInput, "--policy needs a value");
      inputs.policy = arguments[i];
    } else if (argument.starts_with('-') || !inputs.job.empty()) {
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("expected one job and --policy FILE, found `{}`", argument));
    } else {
      inputs.job = argument;
    }
  }
  if (inputs.job.empty())
    return fail(ErrorCode::kInvalidInput, "expected the name of a training job");
  return inputs;
}

Printed lineage(const std::string& job, const rules::Prices& prices, const actions::Apis& apis) {
  const auto complain = [&](Error error) {
    return Printed{2,
                   {},
                   fmt::format("trainwarden: {}\n",
                               printable(told_where(std::move(error), job, apis).message))};
  };
  const auto name = aws::JobName::parse(job);
  if (!name) return complain(name.error());
  const auto line = read_line(*name, prices, apis);
  if (!line) return complain(line.error());
  return {0, Printer(*line).print(), {}};
}

}  // namespace trainwarden::cli
