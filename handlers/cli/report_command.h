// `trainwarden report`: what training jobs have cost, and, with a policy, what that would have done
// to them.
#pragma once

#include <functional>
#include <istream>
#include <string>

#include "handlers/cli/export_file.h"
#include "handlers/cli/report_arguments.h"
#include "handlers/cli/text.h"
#include "handlers/rules/policy/policy.h"

namespace trainwarden::cli {

// Of an export. Asks nobody.
Printed report(const ReportInputs& inputs, const rules::Policy& policy, std::istream& lines);
// The same of the file that the inputs name.
Printed report_of_file(const ReportInputs& inputs, const rules::Policy& policy);

// Exports into a file of the person's alone first, which is gone afterwards. What was exported
// before it was cut is reported, and its status and error are the command's.
Printed report_of_aws(const ReportInputs& inputs, const rules::Policy& policy,
                      const std::function<Printed(ExportFile& file)>& export_into);

}  // namespace trainwarden::cli
