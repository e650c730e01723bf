// One AWS service: which operations it knows, what their inputs may be, and what they do. Inputs
// and answers are JSON whatever the protocol on the wire (protocol.h). Single-threaded; the caller
// holds the lock.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "runtime/base/time.h"
#include "runtime/json/json.h"
#include "tests/localaws/service/aws_error.h"
#include "tests/localaws/service/shape.h"

namespace trainwarden::localaws {

using Shapes = std::map<std::string, Shape, std::less<>>;  // inputs by operation

class Service {
 public:
  explicit Service(Shapes inputs) : inputs_(std::move(inputs)) {}
  virtual ~Service() = default;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // nullptr: no such operation.
  const Shape* input(std::string_view operation) const {
    const auto found = inputs_.find(operation);
    return found == inputs_.end() ? nullptr : &found->second;
  }
  // The answer's body; input is valid by its shape. Empty: no body.
  virtual Answer<std::string> call(std::string_view operation, json::Value input,
                                   sys_millis now) = 0;

 private:
  Shapes inputs_;
};

}  // namespace trainwarden::localaws
