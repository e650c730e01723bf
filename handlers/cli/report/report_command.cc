#include "handlers/cli/report/report_command.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <istream>
#include <utility>

#include "handlers/cli/backtest/replay_export.h"
#include "handlers/cli/export/export_lines.h"
#include "handlers/cli/files/input_lines.h"
#include "runtime/base/errno_text.h"

namespace trainwarden::cli {
namespace {

Printed no_report(std::string_view why) {
  return {2, {}, fmt::format("trainwarden: report: {}\n", printable(why))};
}

// A temporary folder that only the user can open (0700), for one file. The destructor removes both.
class OwnFolder {
 public:
  OwnFolder() {
    const char* const given = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): one thread
    std::string name =
        fmt::format("{}/trainwarden-XXXXXX", given != nullptr && *given != '\0' ? given : "/tmp");
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  ~OwnFolder() {
    if (path_.empty()) return;
    unlink(file().c_str());
    rmdir(path_.c_str());
  }

  bool is_made() const { return !path_.empty(); }
  std::string file() const { return path_ + "/jobs.jsonl"; }

 private:
  std::string path_;
};

// Whether a line of it is a job. The lines are read from their begin again afterwards.
bool has_jobs(std::istream& lines) {
  bool found = false;
  while (const auto read = next_line(lines)) found = found || read->line.starts_with(kJobLine);
  lines.clear();
  lines.seekg(0);
  return found;
}

}  // namespace

Printed report(const ReportInputs& inputs, const rules::Policy& policy, std::istream& lines) {
  const ReplayOptions options{.policy_name = inputs.has_policy ? inputs.wanted.policy_name : ""};
  const auto findings = replay_export(lines, inputs.has_policy ? &policy : nullptr, options);
  if (!findings) return no_report(findings.error().message);
  auto output = output_of(*findings, inputs.form);
  if (!output) return no_report(output.error().message);
  return {0, *std::move(output), {}};
}

Printed report_of_file(const ReportInputs& inputs, const rules::Policy& policy) {
  auto lines = open_lines(inputs.file);
  if (!lines) return no_report(lines.error().message);
  return report(inputs, policy, **lines);
}

Printed report_of_aws(const ReportInputs& inputs, const rules::Policy& policy,
                      const std::function<Printed(ExportFile& file)>& export_into) {
  const OwnFolder folder;
  if (!folder.is_made())
    return no_report(fmt::format("no folder for the export in TMPDIR: {}", errno_text(errno)));
  Printed exported;
  {
    auto file = ExportFile::create(folder.file());
    if (!file) return no_report(file.error().message);
    exported = export_into(*file);
  }
  auto lines = open_lines(folder.file());
  if (!lines) return exported.status != 0 ? exported : no_report(lines.error().message);
  // Of jobs that AWS could not be asked about a page would say that there are none.
  if (exported.status != 0 && !has_jobs(**lines)) {
    exported.error +=
        "trainwarden: report: no report is written, since no job could be read: mend that, and run "
        "it again (--profile says as whom AWS is asked, --region where)\n";
    return exported;
  }
  Printed out = report(inputs, policy, **lines);
  if (exported.status != 0) {
    out.status = exported.status;
    out.error = exported.error + out.error;
  }
  return out;
}

}  // namespace trainwarden::cli
