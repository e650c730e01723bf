#include "handlers/rules/policy/limits.h"

#include <array>

#include "handlers/rules/policy/member_form.h"

namespace trainwarden::rules {
namespace {

using Kind = MemberForm::Kind;

constexpr std::int64_t kMostStops = 1'000'000;
constexpr std::array<MemberForm, 2> kLimitMembers = {{
    {.name = "stops_per_sweep",
     .kind = Kind::kInteger,
     .most = kMostStops,
     .fallback = Limits{}.stops_per_sweep},
    {.name = "stops_per_hour",
     .kind = Kind::kInteger,
     .most = kMostStops,
     .fallback = Limits{}.stops_per_hour},
}};
constexpr auto kLimitNames = names_of(kLimitMembers);

}  // namespace

std::span<const MemberForm> limit_members() { return kLimitMembers; }

Limits read_limits(json::Value object, Reader& reader) {
  JsonPath::Step step(reader.where, "limits");
  Limits out;
  if (!reader.check_object(object, "limits")) return out;
  reader.check_members(object, kLimitNames);
  out.stops_per_sweep =
      reader.integer(object, form(kLimitMembers, "stops_per_sweep", Kind::kInteger))
          .value_or(out.stops_per_sweep);
  out.stops_per_hour = reader.integer(object, form(kLimitMembers, "stops_per_hour", Kind::kInteger))
                           .value_or(out.stops_per_hour);
  return out;
}

}  // namespace trainwarden::rules
