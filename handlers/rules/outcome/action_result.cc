#include "handlers/rules/outcome/action_result.h"

#include <array>

namespace trainwarden::rules {

std::string_view code(ActionResult::Kind kind) {
  // In the order of ActionResult::Kind. Programs of other people read these: none changes.
  static constexpr std::array<std::string_view, std::to_underlying(ActionResult::kLast) + 1>
      kCodes = {"pending",
                "observed",
                "left",
                "not-carried-out",
                "failed",
                "not-done",
                "held-back",
                "refused",
                "waits",
                "stopped",
                "stopped-by-rule",
                "ended-before",
                "warned",
                "warned-before",
                "stopping-to-copy",
                "copied",
                "copied-before",
                "restart-closed",
                "refused-at-end",
                "released",
                "released-by-rule",
                "tagged",
                "tagged-before",
                "notified",
                "notified-before",
                "gathered",
                "logged",
                "not-notified",
                "watched",
                "watched-before",
                "nothing-to-watch",
                "ended-meanwhile",
                "left-to-sweep",
                "tuner-stopped",
                "tuner-stopped-before"};
  static_assert(!kCodes.back().empty());
  return kCodes[std::to_underlying(kind)];
}

}  // namespace trainwarden::rules
