#include "handlers/cli/backtest/findings_form.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "handlers/cli/backtest/findings_output.h"
#include "handlers/cli/terminal/page.h"
#include "runtime/base/errno_text.h"
#include "runtime/json/one_line.h"

namespace trainwarden::cli {
namespace {

Result<void> write_page(const std::string& path, std::string_view html) {
  const auto failed = [&path] {
    return fail(ErrorCode::kInvalidConfig, fmt::format("{}: {}", path, errno_text(errno)));
  };
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (!file || std::fwrite(html.data(), 1, html.size(), file.get()) != html.size()) return failed();
  if (std::fclose(file.release()) != 0) return failed();
  return {};
}

}  // namespace

Result<void> check_form(const FindingsForm& form) {
  if (form.json && !form.html.empty())
    return fail(ErrorCode::kInvalidInput, "--json and --html are two forms: expected one of them");
  return {};
}

Result<std::string> output_of(const rules::Findings& findings, const FindingsForm& form) {
  if (!form.html.empty()) {
    CHECK_OK(write_page(form.html, html_of(findings)));
    return fmt::format("{}: the report, for a browser\n", printable(form.html));
  }
  if (form.json) {
    json::Writer writer;
    writer.begin_object();
    write_findings(writer, findings);
    writer.end_object();
    std::string text = json::one_line(writer.take());
    text += '\n';
    return text;
  }
  Page page(form.screen);
  print_findings(findings, page);
  return page.take();
}

}  // namespace trainwarden::cli
