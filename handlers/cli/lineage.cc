#include "handlers/cli/lineage.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/actions/original.h"
#include "handlers/cli/session.h"
#include "handlers/rules/derive.h"
#include "handlers/rules/job_times.h"
#include "handlers/rules/nominate.h"

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

// Collects a line: what Search finds of it, and what the tags of its jobs name besides, since
// Search lags some seconds behind and the first of a line has no tag that Search could find.
class Reader {
 public:
  Reader(const rules::Prices& prices, const actions::Apis& apis)
      : prices_(prices), apis_(apis), now_(apis.now()) {}

  Result<Line> read(const aws::JobName& job) && {
    TRY(const auto asked, actions::read_original({job, {}}, std::nullopt, apis_));
    const std::string root = asked.lineage().root;
    const auto each_page = [&](Value results) -> Result<bool> {
      for (const Value result : results.elements())
        if (const auto found = result.find_present("TrainingJob"))
          if (const auto search = rules::sources_of_search(*found))
            add(search->event().job_name, *found, *search->known(rules::Source::kTags));
      return true;
    };
    CHECK_OK(apis_.sagemaker.search(search_request(root).root(), each_page, apis_.context));
    missing_.emplace_back(root, "");
    add(job.str(), asked.describe(), asked.tags());
    for (std::size_t next = 0; next < missing_.size() && reads_ < kMostReads; ++next) {
      const auto [name, parent] = missing_[next];  // the list grows
      CHECK_OK(look_for(name, parent));
    }
    return std::move(line_);
  }

 private:
  static constexpr int kMostReads = 100;

  void add(const std::string& name, Value describe, Value tags) {
    const rules::Lineage lineage = rules::lineage_of(tags, name);
    line_[name] = node_of(describe, lineage.parent, prices_, now_);
    if (!lineage.child.empty()) missing_.emplace_back(lineage.child, name);
    if (!lineage.parent.empty()) missing_.emplace_back(lineage.parent, "");
  }

  Result<void> look_for(const std::string& name, const std::string& parent) {
    const auto job = aws::JobName::parse(name);
    if (line_.contains(name) || !job) return {};
    ++reads_;
    const auto found = actions::read_original({*job, {}}, std::nullopt, apis_);
    if (!found && found.error().code != ErrorCode::kNotFound) return fail(found.error());
    if (found)
      add(name, found->describe(), found->tags());
    else
      line_[name] = {.parent = parent, .state = "gone", .usd = {}};
    return {};
  }

  const rules::Prices& prices_;
  const actions::Apis& apis_;
  sys_seconds now_;
  Line line_;
  int reads_ = 0;
  std::vector<std::pair<std::string, std::string>> missing_;  // names, and their parents if known
};

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
  const auto line = Reader(prices, apis).read(*name);
  if (!line) return complain(line.error());
  return {0, Printer(*line).print(),
          prices.empty() ? "trainwarden: lineage: cost needs `prices`: give a policy that has them "
                           "with --policy FILE\n"
                         : ""};
}

}  // namespace trainwarden::cli
