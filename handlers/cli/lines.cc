#include "handlers/cli/lines.h"

#include <fmt/format.h>

#include <array>

namespace trainwarden::cli {

int answer_lines(std::FILE* in, std::FILE* out, std::FILE* errors,
                 const std::function<Answered(std::string_view)>& answer) {
  std::array<char, 16384> chunk{};
  std::string line;
  std::size_t number = 0;
  bool any_broken = false;
  const auto end_line = [&] {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.find_first_not_of(" \t") == std::string::npos) return;
    const Answered answered = answer(line);
    fmt::print(out, "{}\n", answered.line);
    if (!answered.broken) return;
    any_broken = true;
    fmt::print(errors, "trainwarden: line {}: {}\n", number, answered.line);
  };
  while (const std::size_t size = std::fread(chunk.data(), 1, chunk.size(), in)) {
    std::string_view rest(chunk.data(), size);
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      line += rest.substr(0, end);
      if (end == std::string_view::npos) break;
      end_line();
      line.clear();
      rest.remove_prefix(end + 1);
    }
  }
  if (!line.empty()) end_line();
  if (std::ferror(in) != 0 || std::fflush(out) != 0 || std::ferror(out) != 0) return 2;
  return any_broken ? 1 : 0;
}

}  // namespace trainwarden::cli
