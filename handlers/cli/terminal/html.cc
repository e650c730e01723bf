#include "handlers/cli/terminal/html.h"

#include <fmt/core.h>

#include <algorithm>

#include "handlers/cli/terminal/text.h"
#include "runtime/base/arn.h"
#include "runtime/base/ascii.h"

namespace trainwarden::cli {
namespace {

// Whether the text has only characters that a region, a partition or a training job's name can
// have.
bool is_harmless(std::string_view text) {
  constexpr std::size_t kLongestJobName = 63;
  return !text.empty() && text.size() <= kLongestJobName &&
         std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '-'; });
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string log_link(std::string_view arn, std::string_view job) {
  const std::string_view region = arn_field(arn, ArnField::kRegion);
  const std::string host = console_host(arn);
  if (host.empty() || !is_harmless(region) || !is_harmless(job)) return {};
  // The form of the console's own links: what follows the # is escaped twice, with $ in place of %.
  return fmt::format(
      "https://{0}/cloudwatch/home?region={1}#logsV2:log-groups/log-group/"
      "$252Faws$252Fsagemaker$252FTrainingJobs$3FlogStreamNameFilter$3D{2}$252F",
      host, region, job);
}

}  // namespace trainwarden::cli
