// A table for a terminal, with columns as wide as their contents.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/cli/terminal/page.h"

namespace trainwarden::cli {

class TextTable {
 public:
  struct Column {
    std::string_view head;
    bool is_number = false;    // right-aligned
    std::size_t longest = 30;  // characters; longer cells are truncated on a terminal
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // As many cells as columns; control characters are escaped.
  void add(std::vector<std::string> cells);
  bool is_empty() const { return rows_.empty(); }
  void print(Page& page, std::size_t indent = 2) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace trainwarden::cli
