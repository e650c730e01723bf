#include "handlers/cli/terminal/lines.h"

#include <fmt/format.h>

#include <array>

#include "runtime/json/one_line.h"

namespace trainwarden::cli {

namespace {

// A failed write is noticed at the end, by the stream's error flag.
void put(std::FILE* to, std::string_view text) { std::fwrite(text.data(), 1, text.size(), to); }

}  // namespace

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
    const std::string told = json::one_line(answered.line);
    put(out, told + '\n');
    if (!answered.broken) return;
    any_broken = true;
    put(errors, fmt::format("trainwarden: line {}: {}\n", number, told));
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
  if (std::fflush(out) != 0 || std::ferror(out) != 0) {
    put(errors, "trainwarden: the output cannot be written\n");
    return 2;
  }
  if (std::ferror(in) != 0) return 2;
  return any_broken ? 1 : 0;
}

}  // namespace trainwarden::cli
