// What a restarted job can resume from, as data. Used for its record and its notice only.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/base/time.h"

namespace trainwarden::rules {

struct Resume {
  enum class Kind : std::uint8_t {
    kCheckpoint,  // there are objects at its CheckpointConfig.S3Uri
    kNothing,     // there are none
    kNoConfig,    // it writes no checkpoints
    kUnknown,     // they could not be listed
  };

  Kind kind = Kind::kUnknown;
  std::optional<sys_seconds> newest = {};  // of kCheckpoint; nullopt where only a part was listed
};

}  // namespace trainwarden::rules
