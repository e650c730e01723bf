// A notice as its claim keeps it (policy.md A5), so that whoever takes the claim over sends the
// same one. It always fits: a message that is too long is left out, and whoever sends the notice
// then tells it in short.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/result.h"

namespace trainwarden::rules {

struct KeptNotice {
  std::string topic = {};
  std::string format = {};  // the policy's word; empty in claims of earlier versions
  std::string subject = {};
  std::string message = {};  // empty: left out
  std::vector<std::pair<std::string, std::string>> attributes = {};

  bool operator==(const KeptNotice&) const = default;
};

// Whether keep() has room for its message.
bool has_room(const KeptNotice& notice);
// At most kLongestWhat bytes.
std::string keep(const KeptNotice& notice);
// kStateUnavailable: it is none of ours.
Result<KeptNotice> read_kept(std::string_view what);

// The same without its message; empty where it is none of ours.
std::string without_message(std::string_view what);

}  // namespace trainwarden::rules
