#include "handlers/rules/alarms/measured.h"

#include <algorithm>
#include <array>
#include <utility>

namespace trainwarden::rules {
namespace {

// Programs of other people read these codes: none changes.
std::string_view code_of(HostMeasured::Kind kind) {
  // In the order of HostMeasured::Kind.
  static constexpr std::array<std::string_view, std::to_underlying(HostMeasured::kLast) + 1>
      kCodes = {"breaches",    "no-longer",          "no-datapoints",
                "not-recent",  "too-few-datapoints", "too-few-periods",
                "final-value", "silent-since",       "never-heard"};
  static_assert(!kCodes.back().empty());
  return kCodes[std::to_underlying(kind)];
}

std::string_view code_of(MeanMeasured::Kind kind) {
  // In the order of MeanMeasured::Kind.
  static constexpr std::array<std::string_view, std::to_underlying(MeanMeasured::kLast) + 1>
      kCodes = {"breaches",  "no-longer",  "no-datapoints",  "host-silent",
                "no-period", "not-recent", "too-few-periods"};
  static_assert(!kCodes.back().empty());
  return kCodes[std::to_underlying(kind)];
}

struct CodeOf {
  std::string_view operator()(const HostsMeasured& hosts) const {
    if (hosts.all == 0) return code_of(HostMeasured::Kind::kNeverHeard);
    const auto against = std::ranges::find(hosts.shown, false, &HostMeasured::breaches);
    return code_of(against == hosts.shown.end() ? HostMeasured::Kind::kBreaches : against->kind);
  }
  std::string_view operator()(const PeriodsTogether&) const { return "not-together"; }
  std::string_view operator()(const MeanMeasured& mean) const { return code_of(mean.kind); }
};

}  // namespace

std::string_view code(const Measurement& measurement) {
  if (const auto* reason = std::get_if<Reason>(&measurement)) return code(reason->why);
  return std::visit(CodeOf{}, std::get<Measured>(measurement).found);
}

}  // namespace trainwarden::rules
