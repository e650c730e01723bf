#include "handlers/cli/terminal/html_table.h"

#include <fmt/format.h>

#include <utility>

#include "handlers/cli/terminal/html.h"

namespace trainwarden::cli {

HtmlTable::HtmlTable(std::string_view caption, std::vector<Column> columns, bool stacks)
    : columns_(std::move(columns)), stacks_(stacks) {
  head_ = fmt::format("<caption>{}</caption><thead><tr>", escaped(caption));
  for (const Column& column : columns_)
    head_ += fmt::format(R"(<th scope="col"{}>{}</th>)", column.is_number ? R"( class="n")" : "",
                         escaped(column.head));
  head_ += "</tr></thead>";
}

void HtmlTable::add(const std::vector<std::string>& cells) {
  rows_ += "<tr>";
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string& cell = i < cells.size() ? cells[i] : std::string();
    if (i == 0)
      rows_ += fmt::format(R"(<th scope="row">{}</th>)", cell);
    else
      rows_ += fmt::format(
          "<td{}{}>{}</td>", columns_[i].is_number ? R"( class="n")" : "",
          stacks_ ? fmt::format(R"( data-head="{}")", escaped(columns_[i].head)) : std::string(),
          cell);
  }
  rows_ += "</tr>";
}

std::string HtmlTable::take() const {
  return fmt::format(R"(<div class="wide{}" tabindex="0"><table>{}<tbody>{}</tbody></table></div>)",
                     stacks_ ? " stacks" : "", head_, rows_);
}

std::string folded(std::string_view summary, std::string_view html) {
  return fmt::format("<details><summary>{}</summary>{}</details>", escaped(summary), html);
}

}  // namespace trainwarden::cli
