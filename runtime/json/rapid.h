// What the .cc files of this folder share about RapidJSON. No other folder includes this.
#pragma once

#include <rapidjson/document.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/json/json.h"

namespace trainwarden::json {

using Node = rapidjson::Value;

inline const Node& node(const void* at) { return *static_cast<const Node*>(at); }

inline rapidjson::SizeType length(std::string_view text) {
  return static_cast<rapidjson::SizeType>(text.size());
}

struct Document::Impl {
  // text_size: of what will be parsed. RapidJSON's own pool begins with 64 KiB, for whose return
  // malloc tidies up its whole heap.
  explicit Impl(std::size_t text_size = 0)
      : pool(std::clamp<std::size_t>(2 * text_size, 2048, 65536)), document(&pool) {}

  std::string text;  // parsed in place: the strings of the document lie in it
  rapidjson::MemoryPoolAllocator<> pool;
  rapidjson::Document document;
};

}  // namespace trainwarden::json
