// What a job that is run again finds to go on from, as data: for its record and its notice, and for
// nothing else.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/base/time.h"

namespace trainwarden::rules {

struct Resume {
  enum class Kind : std::uint8_t {
    kCheckpoint,  // something lies at its CheckpointConfig.S3Uri
    kNothing,     // nothing does
    kNoConfig,    // it writes no checkpoints
    kUnknown,     // what lies there could not be listed
  };

  Kind kind = Kind::kUnknown;
  std::optional<sys_seconds> newest = {};  // of kCheckpoint; nullopt where only a part was listed
};

}  // namespace trainwarden::rules
