#include "tests/localaws/ssm/ssm.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "runtime/base/ascii.h"
#include "tests/localaws/http/http_message.h"
#include "tests/localaws/service/crypto.h"
#include "tests/localaws/service/input.h"
#include "tests/localaws/service/patterns.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

constexpr std::size_t kStandardSize = 4096;
constexpr std::size_t kAdvancedSize = 8192;
constexpr std::ptrdiff_t kMaxLevels = 15;

Shapes inputs() {
  const Shape tag = object({required("Key", text(1, 128, patterns::kTag)),
                            required("Value", text(0, 256, patterns::kTag))});
  return {
      {"PutParameter",
       object({required("Name", text(1, 2048)), optional("Description", text(0, 1024)),
               required("Value", text()),
               optional("Type", choice({"String", "StringList", "SecureString"})),
               optional("KeyId", text(1, 256, patterns::kKmsKeyId)),
               optional("Overwrite", boolean()), optional("AllowedPattern", text(0, 1024)),
               optional("Tags", list(tag, {}, 1000)),
               optional("Tier", choice({"Standard", "Advanced", "Intelligent-Tiering"})),
               optional("Policies", text(1, 4096)), optional("DataType", text(0, 128))})},
      {"GetParameter",
       object({required("Name", text(1, 2048)), optional("WithDecryption", boolean())})},
  };
}

Answer<void> check_name(std::string_view name) {
  const std::string_view bare = name.starts_with('/') ? name.substr(1) : name;
  const std::string start = lower(bare.substr(0, 3));
  const auto allowed = [](char c) {
    return is_alphanumeric(c) || c == '.' || c == '-' || c == '_' || c == '/';
  };
  if (start == "aws" || start == "ssm" || bare.empty() ||
      !std::all_of(name.begin(), name.end(), allowed))
    return invalid(
        "Parameter name: can't be prefixed with \"aws\" or \"ssm\" (case-insensitive). If formed "
        "as a path, it can consist of sub-paths divided by slash symbol; each sub-path can be "
        "formed as a mix of letters, numbers and the following 3 symbols .-_");
  if (name.find('/') != std::string_view::npos && !name.starts_with('/'))
    return invalid("Parameter name must be a fully qualified name.");
  if (std::count(name.begin(), name.end(), '/') > kMaxLevels)
    return refuse(400, "HierarchyLevelLimitExceededException",
                  "Parameter hierarchy cannot exceed 15 levels.");
  return {};
}

// The tier that the value gets: intelligent tiering takes the small one where that suffices.
Answer<bool> is_advanced(std::string_view tier, std::size_t size, bool was_advanced) {
  const bool advanced = tier == "Advanced" || (tier.empty() && was_advanced) ||
                        (tier == "Intelligent-Tiering" && (was_advanced || size > kStandardSize));
  if (was_advanced && tier == "Standard")
    return invalid(
        "This parameter uses the advanced-parameter tier. You can't downgrade a parameter from the "
        "advanced-parameter tier to the standard-parameter tier.");
  if (!advanced && size > kStandardSize)
    return invalid(
        "Standard tier parameters support a maximum parameter value of 4096 characters. To create "
        "a larger parameter value, upgrade the parameter to use the advanced-parameter tier. For "
        "more information, see https://docs.aws.amazon.com/systems-manager/latest/userguide/"
        "parameter-store-advanced-parameters.html");
  if (advanced && size > kAdvancedSize)
    return invalid(
        "Advanced tier parameters support a maximum parameter value of 8192 characters.");
  return advanced;
}

// "name", "name:3" or the parameter's ARN.
struct Wanted {
  std::string name;
  std::string selector;  // with its colon
};

Wanted wanted(std::string_view given, std::string_view arn_prefix) {
  if (given.starts_with(arn_prefix)) {
    given.remove_prefix(arn_prefix.size());
    // The ARN of "name" and of "/name" differ in nothing; paths have more slashes.
    if (std::count(given.begin(), given.end(), '/') == 1) given.remove_prefix(1);
  }
  const std::size_t colon = given.find(':');
  if (colon == std::string_view::npos) return {std::string(given), {}};
  return {std::string(given.substr(0, colon)), std::string(given.substr(colon))};
}

// What GetParameter shows of a SecureString without decryption.
std::string ciphertext(std::string_view value) {
  return base64("\x01\x02\x02" + hmac_sha256("localaws", value));
}

}  // namespace

Ssm::Ssm(std::string region, std::string account)
    : Service(inputs()), arn_prefix_(fmt::format("arn:aws:ssm:{}:{}:parameter", region, account)) {}

Answer<std::string> Ssm::call(std::string_view operation, Value input, sys_millis now) {
  return operation == "PutParameter" ? put(input, now) : get(input);
}

Answer<std::string> Ssm::put(Value given, sys_millis now) {
  const std::string name(input::text(given, "Name"));
  if (auto ok = check_name(name); !ok) return std::unexpected(ok.error());
  const auto found = parameters_.find(name);
  const bool exists = found != parameters_.end();
  const bool overwrite = input::flag(given, "Overwrite");
  std::string type(input::text(given, "Type"));
  if (exists && !overwrite)
    return refuse(400, "ParameterAlreadyExists",
                  "The parameter already exists. To overwrite this value, set the overwrite option "
                  "in the request to true.");
  if (overwrite && input::has(given, "Tags"))
    return invalid(
        "Invalid request: tags and overwrite can't be used together. To create a parameter with "
        "tags, please remove overwrite flag. To update tags for an existing parameter, please use "
        "AddTagsToResource or RemoveTagsFromResource.");
  if (type.empty() && !exists)
    return invalid("A parameter type is required when you create a parameter.");
  if (type.empty()) type = found->second.versions.back().type;
  if (input::has(given, "KeyId") && type != "SecureString")
    return invalid("KeyId is required for SecureString type parameter only.");
  const std::string_view value = input::text(given, "Value");
  if (value.empty())
    return invalid(
        "1 validation error detected: Value '' at 'value' failed to satisfy constraint: Member "
        "must have length greater than or equal to 1");
  const auto advanced =
      is_advanced(input::text(given, "Tier"), value.size(), exists && found->second.advanced);
  if (!advanced) return std::unexpected(advanced.error());
  Parameter& parameter = parameters_[name];
  parameter.advanced = *advanced;
  parameter.versions.push_back({std::move(type), std::string(value),
                                std::string(input::text(given, "DataType", "text")), now});
  json::Writer out;
  out.begin_object().member("Tier", *advanced ? "Advanced" : "Standard");
  out.member("Version", parameter.versions.size()).end_object();
  return out.take();
}

Answer<std::string> Ssm::get(Value given) const {
  const auto [name, selector] = wanted(input::text(given, "Name"), arn_prefix_);
  const auto found = parameters_.find(name);
  if (found == parameters_.end()) return refuse(400, "ParameterNotFound", "");
  const std::vector<Version>& versions = found->second.versions;
  std::size_t number = versions.size();
  if (!selector.empty()) {
    const char* const last = selector.data() + selector.size();
    const auto [end, error] = std::from_chars(selector.data() + 1, last, number);
    if (error != std::errc() || end != last || number < 1 || number > versions.size())
      return refuse(400, "ParameterVersionNotFound",
                    fmt::format("Systems Manager could not find version {} of {}. Verify the "
                                "version and try again.",
                                selector.substr(1), name));
  }
  const Version& version = versions[number - 1];
  const bool sealed = version.type == "SecureString" && !input::flag(given, "WithDecryption");
  json::Writer out;
  out.begin_object().key("Parameter").begin_object();
  out.member("ARN", fmt::format("{}{}{}", arn_prefix_, name.starts_with('/') ? "" : "/", name));
  out.member("DataType", version.data_type);
  out.member("LastModifiedDate",
             static_cast<double>(version.modified.time_since_epoch().count()) / 1000.0);
  out.member("Name", name);
  if (!selector.empty()) out.member("Selector", selector);
  out.member("Type", version.type);
  out.member("Value", sealed ? ciphertext(version.value) : version.value);
  out.member("Version", number);
  out.end_object().end_object();
  return out.take();
}

}  // namespace trainwarden::localaws
