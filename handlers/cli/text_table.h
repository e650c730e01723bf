// A table for a terminal: columns as wide as what stands in them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/cli/page.h"

namespace trainwarden::cli {

class TextTable {
 public:
  struct Column {
    std::string_view head;
    bool is_number = false;    // set to the right
    std::size_t longest = 30;  // characters; what is longer is cut on a terminal
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // As many cells as columns; what a terminal would obey is shown.
  void add(std::vector<std::string> cells);
  bool is_empty() const { return rows_.empty(); }
  void print(Page& page, std::size_t indent = 2) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace trainwarden::cli
