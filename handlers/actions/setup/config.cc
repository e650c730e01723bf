#include "handlers/actions/setup/config.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

#include "runtime/base/arn.h"

namespace trainwarden::actions {
namespace {

Result<std::string> read_topic(const Environment& environment, std::string_view variable) {
  constexpr int kColons = 5;  // a subscription's ARN has one more
  const auto arn = environment.get(variable);
  if (!arn) return std::string();
  bool whole = std::ranges::count(*arn, ':') == kColons;
  for (const ArnField field :
       {ArnField::kPartition, ArnField::kRegion, ArnField::kAccount, ArnField::kResource})
    whole = whole && !arn_field(*arn, field).empty();
  if (whole && arn_field(*arn, ArnField::kArn) == "arn" &&
      arn_field(*arn, ArnField::kService) == "sns")
    return std::string(*arn);
  return malformed_variable(
      variable, "a topic such as arn:aws:sns:eu-central-1:111122223333:trainwarden-alarms", *arn);
}

Result<std::vector<std::string>> read_pass_roles(const Environment& environment) {
  std::vector<std::string> roles;
  const auto variable = environment.get("TRAINWARDEN_PASS_ROLES");
  if (!variable) return roles;
  std::string_view rest = *variable;
  for (;;) {
    const std::string_view role = rest.substr(0, rest.find(','));
    const std::size_t star = role.find('*');
    const bool valid = arn_field(role, ArnField::kArn) == "arn" &&
                       arn_field(role, ArnField::kService) == "iam" &&
                       arn_field(role, ArnField::kResource).starts_with("role/") &&
                       role.find(' ') == std::string_view::npos &&
                       (star == std::string_view::npos || star + 1 == role.size());
    if (!valid)
      return malformed_variable("TRAINWARDEN_PASS_ROLES",
                                "role ARNs separated by commas, each of which may end with *",
                                role);
    roles.emplace_back(role);
    if (role.size() == rest.size()) return roles;
    rest.remove_prefix(role.size() + 1);
  }
}

Result<std::vector<std::string>> read_instance_types(const Environment& environment) {
  constexpr std::string_view kInType = "abcdefghijklmnopqrstuvwxyz0123456789.-*?";
  std::vector<std::string> types;
  const auto variable = environment.get("TRAINWARDEN_COPY_INSTANCE_TYPES");
  if (!variable) return types;
  std::string_view rest = *variable;
  for (;;) {
    const std::string_view type = rest.substr(0, rest.find(','));
    if (!type.starts_with("ml.") || type.find_first_not_of(kInType) != std::string_view::npos ||
        type == "ml.")
      return malformed_variable("TRAINWARDEN_COPY_INSTANCE_TYPES",
                                "instance types such as ml.g5.xlarge or ml.g5.*, separated by "
                                "commas",
                                type);
    types.emplace_back(type);
    if (type.size() == rest.size()) return types;
    rest.remove_prefix(type.size() + 1);
  }
}

// The bucket names from ARNs such as arn:aws:s3:::name.
Result<std::vector<std::string>> read_buckets(const Environment& environment) {
  constexpr std::string_view kInName = "abcdefghijklmnopqrstuvwxyz0123456789.-";
  std::vector<std::string> buckets;
  const auto variable = environment.get("TRAINWARDEN_CHECKPOINT_BUCKETS");
  if (!variable) return buckets;
  std::string_view rest = *variable;
  for (;;) {
    const std::string_view bucket = rest.substr(0, rest.find(','));
    const std::string_view name = arn_field(bucket, ArnField::kResource);
    const std::size_t other = name.find_first_not_of(kInName);
    const bool valid =
        arn_field(bucket, ArnField::kArn) == "arn" &&
        arn_field(bucket, ArnField::kService) == "s3" && !name.empty() &&
        (other == std::string_view::npos || (name[other] == '*' && other + 1 == name.size()));
    if (!valid)
      return malformed_variable("TRAINWARDEN_CHECKPOINT_BUCKETS",
                                "ARNs of buckets such as arn:aws:s3:::models, separated by commas, "
                                "each of which may end with *",
                                bucket);
    buckets.emplace_back(name);
    if (bucket.size() == rest.size()) return buckets;
    rest.remove_prefix(bucket.size() + 1);
  }
}

// EventBridge's `rate(15 minutes)` and `cron(0/30 * * * ? *)`.
std::optional<std::chrono::seconds> interval_of(std::string_view schedule) {
  using std::chrono::days;
  using std::chrono::hours;
  using std::chrono::minutes;
  const auto within = [&](std::string_view begin) -> std::optional<std::string_view> {
    if (!schedule.starts_with(begin) || !schedule.ends_with(')')) return std::nullopt;
    return schedule.substr(begin.size(), schedule.size() - begin.size() - 1);
  };
  if (schedule == "none") return days(1);
  if (const auto fields = within("cron(")) {
    const std::size_t after_minutes = fields->find(' ');
    const bool every_hour =
        after_minutes != std::string_view::npos &&
        fields->find_first_not_of("*? ", after_minutes) == std::string_view::npos;
    return every_hour ? std::chrono::seconds(hours(1)) : std::chrono::seconds(days(1));
  }
  const auto rate = within("rate(");
  if (!rate) return std::nullopt;
  const std::size_t space = rate->find(' ');
  std::int64_t number = 0;
  const char* const end = rate->data() + std::min(space, rate->size());
  const auto [stopped, error] = std::from_chars(rate->data(), end, number);
  constexpr std::int64_t kMost = 10'000;
  if (space == std::string_view::npos || error != std::errc() || stopped != end || number < 1 ||
      number > kMost)
    return std::nullopt;
  std::string_view unit = rate->substr(space + 1);
  if (unit.ends_with('s')) unit.remove_suffix(1);
  if (unit == "minute") return minutes(number);
  if (unit == "hour") return hours(number);
  if (unit == "day") return days(number);
  return std::nullopt;
}

}  // namespace

Result<Config> Config::from(const Environment& environment) {
  Config config;
  if (const auto mode = environment.get("TRAINWARDEN_MODE")) {
    const auto parsed = rules::parse_mode(*mode);
    if (!parsed) return malformed_variable("TRAINWARDEN_MODE", "observe, notify or enforce", *mode);
    config.ceiling = *parsed;
  }
  if (const auto alarms = environment.get("TRAINWARDEN_ALARMS")) {
    if (alarms != "on" && alarms != "off")
      return malformed_variable("TRAINWARDEN_ALARMS", "on or off", *alarms);
    config.alarms = alarms == "on";
  }
  if (const auto prefix = environment.get("TRAINWARDEN_ALARM_PREFIX")) {
    if (!rules::is_alarm_prefix(*prefix))
      return malformed_variable("TRAINWARDEN_ALARM_PREFIX",
                                "1 to 64 of a-z, A-Z, 0-9, `_`, `.` and `-`, a letter or a digit "
                                "first",
                                *prefix);
    config.alarm_prefix = *prefix;
  }
  if (const auto schedule = environment.get("TRAINWARDEN_SWEEP_SCHEDULE")) {
    const auto interval = interval_of(*schedule);
    if (!interval)
      return malformed_variable("TRAINWARDEN_SWEEP_SCHEDULE",
                                "none, or a schedule such as rate(15 minutes) or "
                                "cron(0/30 * * * ? *)",
                                *schedule);
    config.sweep_interval = *interval;
  }
  TRY(config.table, aws::Table::from(environment, "TRAINWARDEN_TABLE",
                                     environment.get("AWS_REGION").value_or("")));
  if (!config.table) config.ceiling = rules::Mode::kObserve;
  TRY(config.alarm_topic, read_topic(environment, "TRAINWARDEN_ALARM_TOPIC"));
  TRY(config.notify_topic, read_topic(environment, "TRAINWARDEN_NOTIFY_TOPIC"));
  TRY(config.pass_roles, read_pass_roles(environment));
  TRY(config.copy_instance_types, read_instance_types(environment));
  TRY(config.checkpoint_buckets, read_buckets(environment));
  config.policy_source = environment.get("TRAINWARDEN_POLICY").value_or("");
  return config;
}

}  // namespace trainwarden::actions
