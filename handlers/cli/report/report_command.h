// `trainwarden report`: what training jobs have cost and, with a policy, what the policy would have
// done to them.
#pragma once

#include <functional>
#include <istream>
#include <string>

#include "handlers/cli/export/export_file.h"
#include "handlers/cli/report/report_arguments.h"
#include "handlers/cli/terminal/text.h"
#include "handlers/rules/policy/policy.h"

namespace trainwarden::cli {

// Reports on an export. Makes no calls.
Printed report(const ReportInputs& inputs, const rules::Policy& policy, std::istream& lines);
// Reports on the export file that the inputs name.
Printed report_of_file(const ReportInputs& inputs, const rules::Policy& policy);

// Exports into a temporary file that only the user can read, then reports on it. If the export is
// cut off, what it holds by then is reported, with the export's status and error.
Printed report_of_aws(const ReportInputs& inputs, const rules::Policy& policy,
                      const std::function<Printed(ExportFile& file)>& export_into);

}  // namespace trainwarden::cli
