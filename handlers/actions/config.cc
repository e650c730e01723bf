#include "handlers/actions/config.h"

#include <fmt/core.h>

#include <array>
#include <string_view>

namespace trainwarden::actions {
namespace {

constexpr std::size_t kShown = 200;

std::unexpected<Error> malformed(std::string_view variable, std::string_view expected,
                                 std::string_view found) {
  return fail(ErrorCode::kInvalidConfig,
              fmt::format("environment variable {}: expected {}, found `{}`", variable, expected,
                          found.substr(0, kShown)));
}

}  // namespace

Result<Config> Config::from(const Environment& environment) {
  Config config;
  if (const auto mode = environment.get("TRAINWARDEN_MODE")) {
    const auto parsed = rules::parse_mode(*mode);
    if (!parsed) return malformed("TRAINWARDEN_MODE", "observe, notify or enforce", *mode);
    config.ceiling = *parsed;
  }
  if (const auto topic = environment.get("TRAINWARDEN_ALARM_TOPIC")) {
    if (!topic->starts_with("arn:") || topic->find(":sns:") == std::string_view::npos)
      return malformed("TRAINWARDEN_ALARM_TOPIC",
                       "a topic such as arn:aws:sns:eu-central-1:111122223333:trainwarden-alarms",
                       *topic);
    config.alarm_topic = *topic;
  }
  config.policy_source = environment.get("TRAINWARDEN_POLICY").value_or("");
  return config;
}

}  // namespace trainwarden::actions
