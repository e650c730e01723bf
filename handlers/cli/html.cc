#include "handlers/cli/html.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "handlers/cli/text.h"
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
  std::array<std::string_view, 4> parts;  // arn, partition, service, region
  for (std::string_view& part : parts) {
    const std::size_t end = std::min(arn.find(':'), arn.size());
    part = arn.substr(0, end);
    arn.remove_prefix(std::min(end + 1, arn.size()));
  }
  const auto& [scheme, partition, service, region] = parts;
  if (!is_harmless(region) || !is_harmless(job)) return {};
  std::string host;
  if (partition == "aws") host = fmt::format("{}.console.aws.amazon.com", region);
  if (partition == "aws-cn") host = fmt::format("{}.console.amazonaws.cn", region);
  if (partition == "aws-us-gov") host = fmt::format("{}.console.amazonaws-us-gov.com", region);
  if (host.empty()) return {};
  // The form of the console's own links: what follows the # is escaped twice, with $ in place of %.
  return fmt::format(
      "https://{0}/cloudwatch/home?region={1}#logsV2:log-groups/log-group/"
      "$252Faws$252Fsagemaker$252FTrainingJobs$3FlogStreamNameFilter$3D{2}$252F",
      host, region, job);
}

}  // namespace trainwarden::cli
