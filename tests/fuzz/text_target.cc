#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "handlers/rules/failure/diagnose.h"
#include "runtime/json/json.h"
#include "tests/fuzz/targets.h"

namespace trainwarden::fuzz {

void require(bool holds, std::string_view promise) {
  if (holds) return;
  fmt::print(stderr, "broken: {}\n", promise);
  std::abort();
}

void json(std::string_view text) {
  for (const auto syntax : {json::Syntax::kStrict, json::Syntax::kRelaxed}) {
    const auto parsed = json::Document::parse(text, syntax);
    if (!parsed) {
      require(!parsed.error().message.empty(), "what is refused says why");
      continue;
    }
    const std::string written = json::to_text(parsed->root());
    const auto again = json::Document::parse(written);
    require(again.has_value(), "what was written can be parsed");
    require(json::equal(parsed->root(), again->root()), "what was written means the same");
    require(json::to_text(again->root()) == written, "written twice is written alike");
  }
}

void diagnose(std::string_view lines) {
  std::vector<std::string_view> log;
  const std::string_view reason = lines.substr(0, lines.find('\n'));
  while (lines.find('\n') != std::string_view::npos) {
    lines.remove_prefix(lines.find('\n') + 1);
    log.push_back(lines.substr(0, lines.find('\n')));
  }
  const auto judge = [](const rules::Diagnosis& found) {
    require(found.label != rules::FailureLabel::kUserCode || found.resume != rules::RunAgain::kYes,
            "no user_code is a yes");
    require(found.evidence.size() <= 200, "evidence of at most 200 bytes");
    require(found.evidence.find('\n') == std::string::npos, "evidence of one line");
  };
  const rules::ReasonDiagnosis by_reason = rules::diagnose_reason(reason);
  judge(by_reason.diagnosis);
  judge(rules::diagnose_texts(reason, log));
  const rules::Diagnosis again = rules::diagnose_texts(reason, log);
  require(again.label == rules::diagnose_texts(reason, log).label, "the same text, the same label");
}

}  // namespace trainwarden::fuzz
