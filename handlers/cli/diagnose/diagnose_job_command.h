// `trainwarden diagnose JOB`: why one job failed, from what AWS reports about it: FailureReason
// and, where that does not tell, the end of its log.
#pragma once

#include <span>
#include <string>

#include "handlers/actions/context/job.h"
#include "handlers/cli/terminal/text.h"
#include "handlers/rules/failure/own_signature.h"

namespace trainwarden::cli {

struct DiagnoseJobInputs {
  std::string job;
  bool why = false;
  bool indented = false;  // for people; else JSON on one line
};

// own: the policy's signatures, which take precedence over the built-in ones.
Printed diagnose_job(const DiagnoseJobInputs& inputs, std::span<const rules::OwnSignature> own,
                     const actions::Apis& apis);

}  // namespace trainwarden::cli
