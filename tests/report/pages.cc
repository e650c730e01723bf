// Writes what is made up (made_up.h) as each form of a report, for the test in a browser.
//
//   report_pages FOLDER   NAME.html, NAME.json and NAME.txt of each
#include <fmt/core.h>

#include <fstream>
#include <string>
#include <utility>

#include "handlers/cli/backtest/findings_output.h"
#include "tests/report/made_up.h"

namespace {

using trainwarden::rules::Findings;

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

void write_forms(const std::string& path, const Findings& findings) {
  trainwarden::json::Writer json;
  json.begin_object();
  trainwarden::cli::write_findings(json, findings);
  json.end_object();
  trainwarden::cli::Page page({});
  trainwarden::cli::print_findings(findings, page);
  write(path + ".html", trainwarden::cli::html_of(findings));
  write(path + ".json", json.take());
  write(path + ".txt", page.take());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: report_pages FOLDER\n");
    return 2;
  }
  namespace made_up = trainwarden::made_up;
  const std::string folder = std::string(argv[1]) + "/";
  write_forms(folder + "fleet", made_up::fleet());
  write_forms(folder + "misspelt", made_up::misspelt());
  write_forms(folder + "weekdays", made_up::weekdays());
  write_forms(folder + "past", made_up::fleet(260, false));
  write_forms(folder + "one", made_up::fleet(1));
  write_forms(folder + "none", made_up::findings());
  write_forms(folder + "hostile", made_up::hostile());
  return 0;
}
