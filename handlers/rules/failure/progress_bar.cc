#include "handlers/rules/failure/progress_bar.h"

namespace trainwarden::rules {
namespace {

// Where a unit stands the last time; npos where it does not. It has one slash.
std::size_t last_of(std::string_view unit, std::string_view text) {
  const std::size_t before = unit.find('/');
  std::size_t out = std::string_view::npos;
  for (std::size_t at = text.find('/'); at != std::string_view::npos; at = text.find('/', at + 1))
    if (at >= before && text.substr(at - before).starts_with(unit)) out = at - before;
  return out;
}

}  // namespace

bool may_have_bar(std::string_view line) {
  for (std::size_t at = line.find('/'); at != std::string_view::npos; at = line.find('/', at + 1)) {
    const std::string_view after = line.substr(at + 1);
    if ((at > 0 && line[at - 1] == 't' && after.starts_with('s')) || after.starts_with("it"))
      return true;
  }
  return line.contains("%|");
}

std::size_t bar_behind(std::string_view line) {
  constexpr std::string_view kNumber = "0123456789. ";
  const std::size_t percent = line.find("%|");
  if (percent == std::string_view::npos) return 0;
  const std::size_t before = line.find_last_not_of(kNumber, percent == 0 ? 0 : percent - 1);
  if (percent == 0 || before == std::string_view::npos) return 0;
  const std::string_view said = line.substr(0, before + 1);
  // What no bar is called.
  constexpr std::size_t kShortest = 16;
  const bool told = said.size() >= kShortest &&
                    (said.contains("rror") || said.contains("xception") || said.contains("ailed") ||
                     said.contains("No space") || said.contains("out of memory"));
  return told ? said.size() : 0;
}

std::size_t bar_length(std::string_view rest) {
  const std::string_view head = rest.substr(0, 320);
  if (!head.contains("%|") && !head.contains("it/s") && !head.contains("s/it")) return 0;
  std::size_t end = std::string_view::npos;
  for (const std::string_view unit : {"it/s", "s/it", "B/s", "examples/s"}) {
    const std::size_t at = last_of(unit, head);
    if (at == std::string_view::npos) continue;
    const std::size_t close = rest.find(']', at);
    if (close != std::string_view::npos && (end == std::string_view::npos || close > end))
      end = close;
  }
  if (end == std::string_view::npos) {
    end = head.find("%|");
    if (end == std::string_view::npos) return 0;
    ++end;
  }
  return end + 1;
}

}  // namespace trainwarden::rules
