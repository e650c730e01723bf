#include "handlers/cli/access/person_credentials.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "handlers/cli/terminal/text.h"
#include "handlers/rules/failure/credentials.h"
#include "runtime/base/ascii.h"
#include "runtime/json/utf8.h"

namespace trainwarden::cli {
namespace {

constexpr std::chrono::seconds kAwsTime{30};
// Credentials are renewed five minutes before they expire, and then asked for at most once a
// minute.
constexpr std::chrono::minutes kRenewBefore{5};
constexpr std::chrono::minutes kAskAgainAfter{1};
// With these statuses the AWS CLI ends where it does not know a command or an option, in its
// versions 1 and 2. https://docs.aws.amazon.com/cli/latest/userguide/cli-usage-returncodes.html
constexpr int kUnknownToVersion1 = 2;
constexpr int kUnknownToVersion2 = 252;

// What the AWS CLI printed may show credentials, however short they are.
std::string without_credentials(std::string text) {
  constexpr char kMask = '\x01';
  rules::mask_credentials(text, kMask);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != kMask)
      out += text[i];
    else if (i == 0 || text[i - 1] != kMask)
      out += "(hidden)";
  }
  return out;
}

std::string the_aws_command(const std::string& profile) {
  return profile.empty()
             ? std::string("aws configure export-credentials")
             : fmt::format("aws configure export-credentials --profile {}", printable(profile));
}

std::vector<std::string> with_profile(std::vector<std::string> words, const std::string& profile) {
  if (profile.empty()) return words;
  words.emplace_back("--profile");
  words.push_back(profile);
  return words;
}

}  // namespace

std::string aws_cli_error(std::string_view errors) {
  constexpr std::size_t kMost = 300;
  std::string flat;
  for (const char c : errors) {
    const bool blank = c == '\n' || c == '\r' || c == ' ' || c == '\t';
    if (blank && (flat.empty() || flat.back() == ' ')) continue;
    flat += blank ? ' ' : c;
  }
  while (flat.ends_with(' ')) flat.pop_back();
  std::string out = without_credentials(std::move(flat));
  if (out.size() > kMost) out = out.substr(0, json::utf8_boundary(out, kMost)) + "…";
  return printable(out);
}

Result<Ran> run_aws(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"aws"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_program(words, kAwsTime);
}

Result<FetchedCredentials> PersonCredentials::credentials_from_aws_cli() const {
  auto ran =
      run_(with_profile({"configure", "export-credentials", "--format", "process"}, profile_));
  if (!ran && ran.error().code == ErrorCode::kNotFound)
    return fail(ErrorCode::kNotFound, "the command aws is not on PATH");
  if (!ran) return fail(std::move(ran).error());
  if (ran->status != 0) {
    const std::string message = aws_cli_error(ran->errors);
    if (ran->status == kUnknownToVersion1 || ran->status == kUnknownToVersion2)
      return fail(
          ErrorCode::kRejected,
          "the command aws does not know this: it needs a newer AWS CLI, version 2 at best");
    return fail(
        ErrorCode::kAccessDenied,
        fmt::format("it failed{}{}", message.empty() ? " and did not say why" : ": ", message));
  }
  return read_credentials("its answer", ran->output);
}

Error PersonCredentials::nothing_found(const Error& of_the_command) const {
  const std::string command = the_aws_command(profile_);
  std::string out = "no AWS credentials. Looked for:\n";
  if (profile_.empty())
    out +=
        "  AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: not set\n"
        "  AWS_CONTAINER_CREDENTIALS_FULL_URI or _RELATIVE_URI (AWS CloudShell): not set\n";
  out += fmt::format("  {}: {}\n", command, of_the_command.message);
  if (const std::string others = unused_sources(); !others.empty())
    out += fmt::format("Set, and not used: {}\n", others);
  out +=
      "What to do: sign in (aws sso login, aws login or aws configure) and name your profile with\n"
      "--profile NAME; or run this in AWS CloudShell, where credentials are there already. The\n"
      "embedded AWS takes AWS_ACCESS_KEY_ID=test and AWS_SECRET_ACCESS_KEY=test.";
  return {ErrorCode::kInvalidConfig, std::move(out)};
}

bool PersonCredentials::is_in_environment() const {
  return environment_.get("AWS_ACCESS_KEY_ID") || environment_.get("AWS_SECRET_ACCESS_KEY");
}

bool PersonCredentials::is_of_container() const {
  return environment_.get("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") ||
         environment_.get("AWS_CONTAINER_CREDENTIALS_FULL_URI");
}

std::string PersonCredentials::unused_sources() const {
  std::string out;
  const auto add = [&](std::initializer_list<std::string_view> variables) {
    for (const std::string_view variable : variables)
      if (environment_.get(variable)) out += (out.empty() ? "" : ", ") + std::string(variable);
  };
  const bool named = !profile_.empty();
  const bool by_keys = !named && is_in_environment();
  if (!by_keys) add({"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"});
  if (named || by_keys)
    add({"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"});
  // These are the aws command's to read, which is asked last; a profile that is named keeps it from
  // them.
  if (named || by_keys || is_of_container()) add({"AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE"});
  return out;
}

std::string PersonCredentials::remarks() const {
  const std::string others = unused_sources();
  if (others.empty()) return {};
  const std::string_view used = !profile_.empty()     ? "--profile"
                                : is_in_environment() ? "AWS_ACCESS_KEY_ID"
                                : is_of_container()   ? "the container's host"
                                                      : "the aws command";
  return fmt::format("trainwarden: the credentials are from {}; set, and not used: {}\n", used,
                     others);
}

Result<PersonCredentials::Held> PersonCredentials::fetch() {
  const bool named = !profile_.empty();
  if (!named && is_in_environment()) {
    // An id without its secret, or the reverse, is a mistake, not a reason to look elsewhere.
    TRY(const std::string_view id, environment_.require("AWS_ACCESS_KEY_ID", "an access key's id"));
    TRY(const std::string_view key,
        environment_.require("AWS_SECRET_ACCESS_KEY", "the secret of AWS_ACCESS_KEY_ID"));
    TRY(aws::Credentials credentials,
        aws::checked_credentials("the environment's credentials", std::string(id), std::string(key),
                                 std::string(environment_.get("AWS_SESSION_TOKEN").value_or(""))));
    return Held{{std::move(credentials), {}}, true, now()};
  }
  if (!named) {
    TRY(auto of_container, fetch_container_credentials(environment_, transport_, clock_));
    if (of_container) return Held{*std::move(of_container), false, now()};
  }
  auto of_profile = credentials_from_aws_cli();
  if (!of_profile && !held_) return fail(nothing_found(of_profile.error()));
  if (!of_profile)
    return fail(ErrorCode::kInvalidConfig,
                fmt::format("the credentials have ended, and there are no others: {}: {}",
                            the_aws_command(profile_), of_profile.error().message));
  return Held{*std::move(of_profile), false, now()};
}

bool PersonCredentials::is_due() const {
  const auto expires = held_->fetched.expires;
  return expires && now() >= *expires - kRenewBefore && now() - held_->asked >= kAskAgainAfter;
}

Result<aws::Credentials> PersonCredentials::current() {
  if (!held_ || is_due()) {
    auto fetched = fetch();
    if (fetched) {
      held_ = *std::move(fetched);
    } else if (!held_ || *held_->fetched.expires <= now()) {
      return fail(std::move(fetched).error());
    } else {
      held_->asked = now();
    }
  }
  return held_->fetched.credentials;
}

bool PersonCredentials::renew() {
  if (!held_ || held_->lasting) return false;
  auto fetched = fetch();
  if (!fetched) return false;
  const aws::Credentials& before = held_->fetched.credentials;
  const aws::Credentials& after = fetched->fetched.credentials;
  const bool others = before.access_key_id != after.access_key_id ||
                      before.session_token.reveal() != after.session_token.reveal() ||
                      before.secret_access_key.reveal() != after.secret_access_key.reveal();
  held_ = *std::move(fetched);
  return others;
}

Result<std::string> region_of_person(const Environment& environment, const std::string& profile,
                                     const RunAws& run) {
  if (environment.get("AWS_REGION") || environment.get("AWS_DEFAULT_REGION"))
    return aws::region_from(environment);
  auto ran = run(with_profile({"configure", "get", "region"}, profile));
  std::string region = ran && ran->status == 0 ? ran->output : std::string();
  while (!region.empty() && (region.back() == '\n' || region.back() == '\r')) region.pop_back();
  if (!region.empty()) return region;
  return fail(
      ErrorCode::kInvalidConfig,
      fmt::format("no region: AWS_REGION and AWS_DEFAULT_REGION are not set, and {} knows "
                  "none. What to do: --region REGION, such as --region eu-central-1",
                  ran ? (profile.empty() ? "the aws command's configuration" : "the profile")
                      : "the command aws, which could tell a profile's, did not run"));
}

}  // namespace trainwarden::cli
