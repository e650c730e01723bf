// An HTML table that scrolls by itself where a phone's screen is too narrow for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainwarden::cli {

class HtmlTable {
 public:
  struct Column {
    std::string_view head;
    bool is_number = false;
  };
  // caption: for screen readers. stacks: on a phone each row becomes a list of its cells, for
  // tables whose columns nobody compares there.
  HtmlTable(std::string_view caption, std::vector<Column> columns, bool stacks = false);

  // Cells are HTML already; the first is the row's header.
  void add(const std::vector<std::string>& cells);
  bool is_empty() const { return rows_.empty(); }
  std::string take() const;

 private:
  std::vector<Column> columns_;
  bool stacks_;
  std::string head_;
  std::string rows_;
};

// A summary that the reader can open, and the HTML below it.
std::string folded(std::string_view summary, std::string_view html);

}  // namespace trainwarden::cli
