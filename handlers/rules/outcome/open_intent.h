// An intent that was begun and is still open when a record is written. Used for the record only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "handlers/rules/outcome/reason.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

struct OpenIntent {
  enum class Kind : std::uint8_t {
    kStop,     // for good; StopTrainingJob has not been answered with success
    kRestart,  // the job is to be stopped, or has been, and its copy to be made
    kCopy,     // begun, and not known to have been made
    kNotice,   // claimed and not published
    kGrace,    // the stop is announced for `until`, and the rule is decided on again then
  };

  Kind kind = Kind::kStop;
  std::string rule = {};  // empty where it is not known
  sys_seconds since = {};
  std::optional<sys_seconds> until = {};  // when it is closed and reported
  Reason why = {};
};

}  // namespace trainwarden::rules
