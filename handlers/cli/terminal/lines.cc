#include "handlers/cli/terminal/lines.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>

#include "runtime/base/print.h"
#include "runtime/json/one_line.h"

namespace trainwarden::cli {

int answer_lines(std::FILE* in, std::FILE* out, std::FILE* errors,
                 const std::function<Answered(std::string_view)>& answer) {
  std::array<char, 16384> chunk{};
  std::string line;
  std::size_t number = 0;
  bool any_broken = false;
  int unwritable = 0;  // why
  const auto note = [&](bool written) {
    if (!written && unwritable == 0) unwritable = errno;
  };
  const auto end_line = [&] {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.find_first_not_of(" \t") == std::string::npos) return;
    const Answered answered = answer(line);
    const std::string told = json::one_line(answered.line);
    note(std::fwrite(told.data(), 1, told.size(), out) == told.size() &&
         std::fputc('\n', out) == '\n');
    if (!answered.broken) return;
    any_broken = true;
    print(errors, fmt::format("trainwarden: line {}: {}\n", number, told));
  };
  while (unwritable == 0) {
    const std::size_t size = std::fread(chunk.data(), 1, chunk.size(), in);
    if (size == 0) break;
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
  if (unwritable == 0 && !line.empty()) end_line();
  note(std::fflush(out) == 0);
  // A reader that has gone, as `| head` does, is no error.
  if (unwritable != 0 && unwritable != EPIPE) {
    print(errors, "trainwarden: the output cannot be written\n");
    return 2;
  }
  if (std::ferror(in) != 0) return 2;
  return any_broken ? 1 : 0;
}

}  // namespace trainwarden::cli
