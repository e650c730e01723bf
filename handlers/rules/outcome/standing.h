// Something that was begun and is not over when a record is written, as data: for the record, and
// for nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "handlers/rules/outcome/reason.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

struct Standing {
  enum class Kind : std::uint8_t {
    kStop,     // for good; StopTrainingJob has not been answered with success
    kRestart,  // the job is to be stopped, or has been, and its copy to be made
    kCopy,     // was begun, and is not known to be made
    kNotice,   // claimed and not published
  };

  Kind kind = Kind::kStop;
  std::string rule = {};  // empty where it is not known
  sys_seconds since = {};
  std::optional<sys_seconds> until = {};  // then it is closed, and told
  Reason why = {};
};

}  // namespace trainwarden::rules
