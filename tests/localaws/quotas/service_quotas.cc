#include "tests/localaws/quotas/service_quotas.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "tests/localaws/service/crypto.h"
#include "tests/localaws/service/input.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

constexpr std::array<std::pair<std::string_view, double>, 11> kValues = {{
    {"Number of instances across all training jobs", 100},
    {"Number of instances across all spot training jobs", 100},
    {"ml.g5.12xlarge for spot training job usage", 64},
    {"ml.g5.12xlarge for training job usage", 64},
    {"ml.p4d.24xlarge for spot training job usage", 64},
    {"ml.p4d.24xlarge for training job usage", 64},
    {"ml.p5.48xlarge for endpoint usage", 0},
    {"ml.p5.48xlarge for processing job usage", 0},
    {"ml.p5.48xlarge for spot training job usage", 64},
    {"ml.p5.48xlarge for training job usage", 64},
    {"ml.p5.48xlarge for training warm pool usage", 0},
}};

Shapes inputs_of_quotas() {
  return {{"ListServiceQuotas",
           object({required("ServiceCode", text(1, 63)), optional("NextToken", text(0, 2048)),
                   optional("MaxResults", integer(1, 100)), optional("QuotaCode", text(1, 128)),
                   optional("QuotaAppliedAtLevel", choice({"ACCOUNT", "RESOURCE", "ALL"}))})}};
}

// Codes say nothing of what they stand for.
std::string code_of_quota(std::string_view name) {
  std::string code = hex(hmac_sha256("quota", name)).substr(0, 8);
  for (char& c : code) c = c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
  return "L-" + code;
}

// As AWS's pattern for tokens has it: letters and digits.
constexpr std::string_view kQuotaToken = "localawsQuotas";

Answer<std::size_t> begin_of_page(Value given, std::size_t quotas) {
  if (!input::has(given, "NextToken")) return 0;
  std::string_view token = input::text(given, "NextToken");
  const bool ours = token.starts_with(kQuotaToken);
  if (ours) token.remove_prefix(kQuotaToken.size());
  std::size_t begin = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), begin);
  if (ours && error == std::errc() && end == token.data() + token.size() && begin < quotas)
    return begin;
  return refuse(400, "InvalidPaginationTokenException", "The pagination token is invalid.");
}

}  // namespace

Quotas::Quotas(std::string_view region, std::string_view account)
    : Service(inputs_of_quotas()), region_(region), account_(account) {
  clear();
}

void Quotas::clear() {
  values_.clear();
  for (const auto& [name, value] : kValues) values_.emplace(name, value);
}

void Quotas::set(std::string_view name, std::optional<double> value) {
  if (value)
    values_.insert_or_assign(std::string(name), *value);
  else if (const auto found = values_.find(name); found != values_.end())
    values_.erase(found);
}

Result<std::size_t> Quotas::set_all(std::string_view body) {
  TRY(const json::Document document, json::Document::parse(body));
  CHECK_OK(document.root().object("the quotas"));
  for (const json::Member member : document.root().members()) {
    if (!member.value.is_null() && !member.value.is_number())
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("`{}`: expected a number or null", member.name));
    set(member.name,
        member.value.is_null() ? std::nullopt : std::optional(member.value.as_number()));
  }
  return document.root().size();
}

Answer<std::string> Quotas::call(std::string_view /*operation*/, Value given, sys_millis /*now*/) {
  const std::string_view service = input::text(given, "ServiceCode");
  if (service != "sagemaker")
    return refuse(400, "NoSuchResourceException",
                  fmt::format("The request failed because service {} was not found.", service));
  const bool resources_only = input::text(given, "QuotaAppliedAtLevel") == "RESOURCE";
  const std::string_view wanted = input::text(given, "QuotaCode");
  std::vector<std::pair<std::string, double>> found;
  for (const auto& [name, value] : values_)
    if (!resources_only && (wanted.empty() || wanted == code_of_quota(name)))
      found.emplace_back(name, value);
  const Answer<std::size_t> begin = begin_of_page(given, found.size());
  if (!begin) return std::unexpected(begin.error());
  const auto asked = static_cast<std::size_t>(input::integer(given, "MaxResults", 100));
  const std::size_t end = std::min(found.size(), *begin + asked);
  json::Writer out;
  out.begin_object().key("Quotas").begin_array();
  for (std::size_t i = *begin; i < end; ++i) {
    const auto& [name, value] = found[i];
    const std::string code = code_of_quota(name);
    out.begin_object().member("ServiceCode", service).member("ServiceName", "Amazon SageMaker");
    out.member("QuotaArn",
               fmt::format("arn:aws:servicequotas:{}:{}:sagemaker/{}", region_, account_, code));
    out.member("QuotaCode", code).member("QuotaName", name).member("Value", value);
    out.member("Unit", "None").member("Adjustable", true).member("GlobalQuota", false);
    out.member("QuotaAppliedAtLevel", "ACCOUNT").end_object();
  }
  out.end_array();
  if (end < found.size()) out.member("NextToken", fmt::format("{}{}", kQuotaToken, end));
  out.end_object();
  return out.take();
}

}  // namespace trainwarden::localaws
