#include "handlers/rules/failure/evidence.h"

#include <algorithm>
#include <cstddef>

#include "handlers/rules/failure/characters.h"
#include "handlers/rules/failure/credentials.h"
#include "handlers/rules/failure/wording.h"
#include "runtime/json/utf8.h"

namespace trainwarden::rules {
namespace {

constexpr std::size_t kLongestEvidence = 200;

constexpr char kMask = '\x01';  // stands in no FailureText

// Covers the secret wherever it stands as a whole word.
void mask(std::string& line, std::string_view secret) {
  // The SDK writes hyperparameters as JSON: "\"value\"".
  while (secret.starts_with('"') && secret.ends_with('"') && secret.size() > 1)
    secret = secret.substr(1, secret.size() - 2);
  constexpr std::size_t kShortest = 4;
  if (secret.size() < kShortest) return;
  for (std::size_t at = line.find(secret); at != std::string::npos;
       at = line.find(secret, at + 1)) {
    const std::size_t end = at + secret.size();
    if (at > 0 && is_word(line[at - 1]) && is_word(secret[0])) continue;
    if (end < line.size() && is_word(line[end]) && is_word(secret.back())) continue;
    std::fill_n(line.begin() + static_cast<std::ptrdiff_t>(at), secret.size(), kMask);
  }
}

// Covers the command lines that the line shows; lower: the same in lower case.
void mask_commands(std::string& line, std::string_view lower) {
  const auto cover = [&line](std::size_t begin, std::size_t end) {
    if (begin < end)
      std::fill_n(line.begin() + static_cast<std::ptrdiff_t>(begin), end - begin, kMask);
  };
  const QuotedCommand quoted = quoted_command_in(lower);
  cover(quoted.begin, quoted.end);
  if (lower.contains(": line ")) cover(std::min(command_in(lower), line.size()), line.size());
}

}  // namespace

std::string evidence_at(const FailureText& text, std::size_t at,
                        std::span<const std::string_view> secrets) {
  const std::string_view shown = text.shown();
  const std::size_t before = at == 0 ? std::string_view::npos : shown.rfind('\n', at - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t end = std::min(shown.find('\n', at), shown.size());
  std::string masked(shown.substr(begin, end - begin));
  for (const std::string_view secret : secrets) mask(masked, secret);
  mask_credentials(masked, kMask);
  mask_commands(masked, text.lower().substr(begin, end - begin));
  std::string_view line = masked;
  std::string out;
  // Of a line too long to be shown, from a little before the words that tell.
  constexpr std::size_t kBefore = 100;
  if (const std::size_t cause = at - begin; cause > kBefore && line.size() > kLongestEvidence) {
    const std::size_t blank = line.find(' ', cause - kBefore);
    line.remove_prefix(blank < cause ? blank + 1 : cause);
    out = "… ";
  }
  // ` --lr 0.1`: the arguments of a command line are nobody's business here.
  for (std::size_t i = line.find(" --"); i != std::string_view::npos; i = line.find(" --", i + 1)) {
    if (i + 3 >= line.size() || !is_letter(line[i + 3])) continue;
    line = line.substr(0, i);
    break;
  }
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != kMask) {
      out += line[i];
    } else if (i == 0 || line[i - 1] != kMask) {
      out += "…";
    }
  }
  if (std::string mended = json::mend_utf8(out); !mended.empty()) out = std::move(mended);
  out.resize(json::utf8_boundary(out, kLongestEvidence));
  return out;
}

}  // namespace trainwarden::rules
