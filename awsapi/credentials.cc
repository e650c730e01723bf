#include "awsapi/credentials.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "runtime/base/ascii.h"

namespace trainwarden::aws {
namespace {

// A line end in a credential would end the header that carries it.
Result<std::string> header_safe(std::string_view name, std::string_view value) {
  const auto visible = [](char c) { return c > ' ' && c < '\x7f'; };
  if (std::ranges::all_of(value, visible)) return std::string(value);
  return fail(ErrorCode::kInvalidConfig,
              "environment variable " + std::string(name) +
                  ": expected visible ASCII characters only, found something else");
}

Result<std::string> credential(const Environment& environment, std::string_view name) {
  TRY(const std::string_view value,
      environment.require(name, "credentials, which Lambda sets from the function's role"));
  return header_safe(name, value);
}

}  // namespace

Result<Credentials> Credentials::from(const Environment& environment) {
  TRY(std::string id, credential(environment, "AWS_ACCESS_KEY_ID"));
  TRY(std::string key, credential(environment, "AWS_SECRET_ACCESS_KEY"));
  TRY(std::string token,
      header_safe("AWS_SESSION_TOKEN", environment.get("AWS_SESSION_TOKEN").value_or("")));
  return Credentials{std::move(id), Secret(std::move(key)), Secret(std::move(token))};
}

Result<Credentials> checked_credentials(std::string_view where, std::string id, std::string key,
                                        std::string token) {
  const auto visible = [](char c) { return c > ' ' && c < '\x7f'; };
  const std::array<std::pair<std::string_view, const std::string*>, 3> parts{
      {{"AccessKeyId", &id}, {"SecretAccessKey", &key}, {"SessionToken", &token}}};
  for (const auto& [name, value] : parts) {
    if (value->empty() && value != &token)
      return fail(ErrorCode::kInvalidConfig,
                  std::string(where) + ": expected `" + std::string(name) + "`, found none");
    if (!std::ranges::all_of(*value, visible))
      return fail(ErrorCode::kInvalidConfig,
                  std::string(where) + ": `" + std::string(name) +
                      "`: expected visible ASCII characters only, found something else");
  }
  return Credentials{std::move(id), Secret(std::move(key)), Secret(std::move(token))};
}

bool has_form_of_region(std::string_view text) {
  constexpr std::size_t kLongest = 32;
  return !text.empty() && text.size() <= kLongest &&
         std::ranges::all_of(text, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

Result<std::string> region_from(const Environment& environment) {
  auto region = environment.get("AWS_REGION");
  if (!region) {
    TRY(region,
        environment.require("AWS_DEFAULT_REGION", "(or AWS_REGION) a region such as eu-central-1"));
  }
  if (!has_form_of_region(*region))
    return malformed_variable("AWS_REGION", "a region such as eu-central-1", *region);
  return std::string(*region);
}

}  // namespace trainwarden::aws
