// Opens connections where a CurlTransport should not do that itself.
#pragma once

#include <string_view>

#include "runtime/base/result.h"

namespace trainwarden::http {

class Connector {
 public:
  virtual ~Connector() = default;

  // origin: "https://host:port".
  virtual bool serves(std::string_view origin) const = 0;
  // A connected socket, which the caller owns.
  virtual Result<int> open(std::string_view origin) const = 0;
};

}  // namespace trainwarden::http
