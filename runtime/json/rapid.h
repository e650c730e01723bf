// What the .cc files of this folder share about RapidJSON. No other folder includes this.
#pragma once

#include <rapidjson/document.h>

#include <string_view>

#include "runtime/json/json.h"

namespace trainwarden::json {

using Node = rapidjson::Value;

inline const Node& node(const void* at) { return *static_cast<const Node*>(at); }

inline rapidjson::SizeType length(std::string_view text) {
  return static_cast<rapidjson::SizeType>(text.size());
}

struct Document::Impl {
  rapidjson::Document document;
};

}  // namespace trainwarden::json
