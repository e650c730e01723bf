// A page for a terminal: lines that are broken at spaces, and some words that stand out.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "handlers/cli/text.h"

namespace trainwarden::cli {

class Page {
 public:
  explicit Page(bool color) : color_(color) {}

  void line(std::string_view text, std::size_t indent = 0) {
    text_ += wrapped(text, kColumns, indent) + '\n';
  }
  // A line that is not broken: a command to be copied.
  void whole(std::string_view text) { text_ += std::string(text) + '\n'; }
  void gap() { text_ += '\n'; }
  std::string bold(std::string_view text) const { return shade("1", text); }
  std::string faint(std::string_view text) const { return shade("2", text); }
  std::string alert(std::string_view text) const { return shade("1;31", text); }
  std::string take() { return std::move(text_); }

 private:
  std::string shade(std::string_view code, std::string_view text) const {
    return color_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }

  bool color_;
  std::string text_;
};

}  // namespace trainwarden::cli
