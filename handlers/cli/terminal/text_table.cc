#include "handlers/cli/terminal/text_table.h"

#include <algorithm>
#include <utility>

#include "handlers/cli/terminal/text.h"

namespace trainwarden::cli {
namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::string cut_to(std::string text, std::size_t longest) {
  if (characters(text) <= longest) return text;
  std::size_t end = 0;
  for (std::size_t count = 0; end < text.size(); ++end)
    if (begins_character(text[end]) && ++count == longest) break;
  text.resize(end);
  return text + "…";
}

}  // namespace

void TextTable::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

void TextTable::print(Page& page, std::size_t indent) const {
  std::vector<std::size_t> widths;
  std::vector<std::vector<std::string>> rows = rows_;
  if (!page.is_unbroken())
    for (auto& row : rows)
      for (std::size_t i = 0; i < columns_.size(); ++i)
        row[i] = cut_to(std::move(row[i]), columns_[i].longest);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = columns_[i].head.size();
    for (const auto& row : rows) width = std::max(width, characters(row[i]));
    widths.push_back(width);
  }
  const auto line = [&](auto cell) {
    std::string out(indent, ' ');
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string text(cell(i));
      const std::string blanks(widths[i] - characters(text), ' ');
      if (i > 0) out += "  ";
      out += columns_[i].is_number ? blanks + text : text + blanks;
    }
    out.resize(out.find_last_not_of(' ') + 1);
    return out;
  };
  page.whole(page.faint(line([this](std::size_t i) { return columns_[i].head; })));
  for (const auto& row : rows)
    page.whole(line([&row](std::size_t i) { return std::string_view(row[i]); }));
}

}  // namespace trainwarden::cli
