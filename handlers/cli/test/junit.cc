#include "handlers/cli/test/junit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "handlers/cli/terminal/html.h"
#include "runtime/json/utf8.h"

namespace trainwarden::cli {
namespace {

// XML 1.0 cannot represent most control characters, nor U+FFFE and U+FFFF: they are written as JSON
// would escape them.
std::string xml_text(std::string_view text) {
  const std::string mended = json::mend_utf8(text);
  std::string out;
  for (std::string_view rest = mended.empty() ? text : std::string_view(mended); !rest.empty();) {
    const bool is_none = rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF");
    if (is_none)
      out += rest[2] == '\xBE' ? "\\uFFFE" : "\\uFFFF";
    else
      out += rest.front();
    rest.remove_prefix(is_none ? 3 : 1);
  }
  return escaped(out);
}

std::size_t cases_with(std::span<const JunitCase> cases, JunitCase::Result result) {
  return static_cast<std::size_t>(std::ranges::count(cases, result, &JunitCase::result));
}

std::string case_element(const std::string& suite, const std::string& file, const JunitCase& one) {
  std::string out =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\"",
                  xml_text(suite), xml_text(one.name), xml_text(file), one.line);
  if (one.result == JunitCase::Result::kPassed) return out + "/>\n";
  const std::string_view element = one.result == JunitCase::Result::kFailed ? "failure" : "error";
  out += fmt::format(">\n      <{} message=\"{}\">", element,
                     one.lines.empty() ? std::string() : xml_text(one.lines.front()));
  for (const std::string& line : one.lines) out += xml_text(line) + '\n';
  return out + fmt::format("</{}>\n    </testcase>\n", element);
}

}  // namespace

std::string junit_text(const std::string& suite, const std::string& file,
                       std::span<const JunitCase> cases) {
  const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", cases.size(),
                                         cases_with(cases, JunitCase::Result::kFailed),
                                         cases_with(cases, JunitCase::Result::kMistake));
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n"
      "  <testsuite name=\"{}\" {} skipped=\"0\">\n",
      counts, xml_text(suite), counts);
  for (const JunitCase& one : cases) out += case_element(suite, file, one);
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace trainwarden::cli
