// A policy of one rule over what is known of a job.
#pragma once

#include <string>
#include <string_view>

#include "handlers/rules/decide/decide.h"
#include "handlers/rules/decide/decision_text.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::test {

// One rule over one snapshot; "" leaves a source unknown, "!" makes it unavailable.
struct Snapshot {
  std::string_view describe;
  std::string_view tags;
  JobEvent event = test::running();

  Sources sources() const {
    Sources out(event);
    put(out, Source::kDescribe, describe);
    put(out, Source::kTags, tags);
    return out;
  }

 private:
  static void put(Sources& out, Source source, std::string_view text) {
    if (text == "!") {
      out.set_unavailable(source, {ErrorCode::kAccessDenied, "not allowed"});
    } else if (!text.empty()) {
      out.set(source, doc(text));
    }
  }
};

inline RuleVerdict verdict(std::string_view policy, const Snapshot& snapshot) {
  const Sources sources = snapshot.sources();
  return evaluate_rule(test::policy(policy), 0, facts_from(sources, kNow), Mode::kEnforce);
}

inline constexpr std::string_view kUntagged =
    R"("match": {"job": {"TrainingJobStatus": ["InProgress"]}, "tags": {"model_name": [{"exists": false}]}})";

}  // namespace trainwarden::rules::test
