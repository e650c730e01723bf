#include "handlers/rules/failure/explanations.h"

#include "handlers/rules/failure/tables.h"

namespace trainwarden::rules {

SignatureExplanation explanation_of(std::size_t signature) {
  std::string_view rest = kExplanations;
  for (std::size_t i = 0; i < 2 * signature; ++i) take_text(rest);
  const std::string_view id = take_text(rest);
  return {id, take_text(rest)};
}

SignatureExplanation explanation_of(const Finding& finding) {
  switch (finding.by) {
    case By::kSignature:
      return explanation_of(finding.order);
    case By::kOwn:
      return {"failures", finding.own->why};
    case By::kException:
      return {"exception.type", "what exceptions of this type mean"};
    case By::kProcessCode:
      return {"code.process", "the status that a process ended with"};
    case By::kAnswerCode:
      return {"code.answer", "the code that a service answered"};
    case By::kKilled:
      return {"process.killed", "somebody killed the process, mostly for memory"};
    case By::kTerminated:
      return {"process.terminated", "somebody sent the process SIGTERM or SIGHUP"};
    case By::kXid:
      return {"xid", "what the driver's Xids mean, all together"};
    case By::kPlatform:
      return {"reason.kind", "the word that FailureReason begins with is SageMaker's own"};
  }
  return {};
}

}  // namespace trainwarden::rules
