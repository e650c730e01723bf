#include "handlers/rules/policy/limits.h"

#include <array>
#include <string_view>

#include "handlers/rules/policy/member_form.h"

namespace trainwarden::rules {
namespace {

using Kind = MemberForm::Kind;

constexpr std::int64_t kMostPerSweep = 1'000'000;

constexpr MemberForm per_hour(std::string_view name, std::int64_t fallback) {
  return {.name = name, .kind = Kind::kInteger, .most = kMostPerHour, .fallback = fallback};
}

constexpr std::array<MemberForm, 4> kLimitMembers = {{
    {.name = "stops_per_sweep",
     .kind = Kind::kInteger,
     .most = kMostPerSweep,
     .fallback = Limits{}.stops_per_sweep},
    per_hour("stops_per_hour", Limits{}.stops_per_hour),
    per_hour("silent_stops_per_hour", Limits{}.silent_stops_per_hour),
    per_hour("restarts_per_hour", Limits{}.restarts_per_hour),
}};
constexpr auto kLimitNames = names_of(kLimitMembers);

}  // namespace

std::span<const MemberForm> limit_members() { return kLimitMembers; }

Limits read_limits(json::Value object, Reader& reader) {
  JsonPath::Step step(reader.where, "limits");
  Limits out;
  if (!reader.check_object(object, "limits")) return out;
  reader.check_members(object, kLimitNames);
  const auto read = [&](const MemberForm& limit) {
    return reader.integer(object, limit).value_or(*limit.fallback);
  };
  out.stops_per_sweep = read(form(kLimitMembers, "stops_per_sweep", Kind::kInteger));
  out.stops_per_hour = read(form(kLimitMembers, "stops_per_hour", Kind::kInteger));
  out.silent_stops_per_hour = read(form(kLimitMembers, "silent_stops_per_hour", Kind::kInteger));
  out.restarts_per_hour = read(form(kLimitMembers, "restarts_per_hour", Kind::kInteger));
  return out;
}

}  // namespace trainwarden::rules
