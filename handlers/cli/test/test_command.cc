#include "handlers/cli/test/test_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "handlers/cli/files/input_lines.h"
#include "handlers/cli/files/text_encoding.h"
#include "handlers/cli/test/case_outcome.h"
#include "handlers/cli/test/case_reader.h"
#include "handlers/cli/test/junit.h"
#include "runtime/base/errno_text.h"

namespace trainwarden::cli {
namespace {

using CaseResult = JunitCase::Result;

void write_junit(const TestInputs& inputs, std::span<const JunitCase> cases, Printed& out) {
  if (inputs.junit.empty()) return;
  errno = 0;
  std::ofstream file(inputs.junit, std::ios::binary | std::ios::trunc);
  file << junit_text(inputs.policy_name, inputs.file, cases);
  file.close();
  if (file) return;
  const int why = errno;
  out.status = 2;
  out.error += fmt::format("trainwarden: test: cannot write {}: {}\n", printable(inputs.junit),
                           errno_text(why));
}

// No case was run. The results say so too: those of an earlier run, which may have passed, must not
// stay.
Printed not_tested(const TestInputs& inputs, const std::string& what) {
  Printed out{2, {}, fmt::format("trainwarden: test: {}\n", printable(what))};
  const JunitCase mistake{"no case was run", 1, CaseResult::kMistake, {what}};
  write_junit(inputs, {&mistake, 1}, out);
  return out;
}

class TestRun {
 public:
  TestRun(const TestInputs& inputs, const rules::Policy& policy)
      : inputs_(inputs), policy_(policy), seen_(policy.rules().size()) {}

  void run(std::istream& lines) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    while (auto read = next_line(lines, kLongestCase)) {
      ++line_;
      if (read->too_long) {
        add_mistakes({{}, {"the line is longer than 16 MiB"}});
        continue;
      }
      std::string_view text = read->line;
      if (line_ == 1 && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
      if (text.ends_with('\r')) text.remove_suffix(1);
      if (text.find_first_not_of(" \t") == std::string_view::npos) continue;
      if (auto why = why_no_text(text)) {
        add_mistakes({{}, {*std::move(why)}});
        continue;
      }
      run_case(text);
    }
  }

  Printed result() {
    if (cases_.empty())
      return not_tested(inputs_, fmt::format("{}: expected cases, a JSON object a line, found none",
                                             inputs_.file));
    Printed out;
    add_unseen();
    const std::size_t failed = count(CaseResult::kFailed);
    const std::size_t mistaken = count(CaseResult::kMistake);
    output_ += fmt::format("{}: {} of {} cases pass", printable(inputs_.file),
                           count(CaseResult::kPassed), cases_.size());
    if (failed > 0) output_ += fmt::format(", {} {}", failed, failed == 1 ? "fails" : "fail");
    if (mistaken > 0)
      output_ += fmt::format(", {} {} mistakes", mistaken, mistaken == 1 ? "has" : "have");
    out.output = std::move(output_) + '\n';
    out.status = mistaken > 0 ? 2 : failed > 0 ? 1 : 0;
    write_junit(inputs_, cases_, out);
    return out;
  }

 private:
  static constexpr std::size_t kLongestCase = std::size_t{16} << 20U;

  struct Seen {
    bool holds = false;
    bool fails = false;
  };

  void say(const std::string& line, std::size_t indent) {
    output_ += wrapped(line, inputs_.screen.columns, indent) + '\n';
  }

  std::size_t count(CaseResult result) const {
    return static_cast<std::size_t>(std::ranges::count(cases_, result, &JunitCase::result));
  }

  void run_case(std::string_view text) {
    const auto one = read_case(text, policy_);
    const std::string& name = one ? one->name : one.error().name;
    if (const auto first = names_.find(name); first != names_.end()) {
      CaseMistakes twice = one ? CaseMistakes{name, {}} : CaseMistakes{name, one.error().errors};
      twice.errors.push_back(
          fmt::format("name: `{}` is the name of the case of line {} too", name, first->second));
      return add_mistakes(twice);
    }
    if (!name.empty()) names_.emplace(name, line_);
    if (!one) return add_mistakes(one.error());
    CaseOutcome outcome = outcome_of_case(*one, policy_);
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      seen_[i].holds = seen_[i].holds || outcome.verdicts[i] == rules::Truth::kTrue;
      seen_[i].fails = seen_[i].fails || outcome.verdicts[i] == rules::Truth::kFalse;
    }
    if (outcome.differences.empty()) {
      cases_.push_back({name, line_});
      return;
    }
    say(fmt::format("{}:{}: failed: {}", printable(inputs_.file), line_, printable(name)), 2);
    for (const std::string& difference : outcome.differences) say("  " + printable(difference), 4);
    if (!one->why.empty()) say("  why: " + printable(one->why), 4);
    cases_.push_back({name, line_, CaseResult::kFailed, std::move(outcome.differences)});
  }

  void add_mistakes(const CaseMistakes& mistakes) {
    JunitCase out{mistakes.name.empty() ? fmt::format("line {}", line_) : mistakes.name, line_,
                  CaseResult::kMistake};
    for (const std::string& mistake : mistakes.errors)
      say(fmt::format("{}:{}: error: {}", printable(inputs_.file), line_, printable(mistake)), 2);
    out.lines = mistakes.errors;
    cases_.push_back(std::move(out));
  }

  // Notes the rules that hold in no case, or in all, since those are only half tested.
  void add_unseen() {
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (seen_[i].holds && seen_[i].fails) continue;
      const char* const what = seen_[i].holds   ? "no case in which it does not hold"
                               : seen_[i].fails ? "no case in which it holds"
                                                : "no case decides it";
      say(fmt::format("note: rule `{}`: {}", printable(policy_.rules()[i].name), what), 6);
    }
  }

  const TestInputs& inputs_;
  const rules::Policy& policy_;
  std::vector<Seen> seen_;
  std::size_t line_ = 0;
  std::map<std::string, std::size_t, std::less<>> names_ = {};
  std::vector<JunitCase> cases_ = {};
  std::string output_ = {};
};

}  // namespace

Printed test_policy(const TestInputs& inputs, std::istream& lines) {
  const auto policy = rules::parse_policy(inputs.policy);
  if (!policy)
    return not_tested(inputs, fmt::format("{}: {}", inputs.policy_name, policy.error().message));
  TestRun run(inputs, *policy);
  run.run(lines);
  if (lines.bad()) return not_tested(inputs, fmt::format("cannot read {}", inputs.file));
  return run.result();
}

Printed test_policy(const TestInputs& inputs) {
  auto lines = open_lines(inputs.file);
  if (!lines) return not_tested(inputs, lines.error().message);
  return test_policy(inputs, **lines);
}

}  // namespace trainwarden::cli
