#include "handlers/cli/match.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <optional>

#include "handlers/rules/fields.h"
#include "handlers/rules/pattern.h"
#include "runtime/base/result.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {
namespace {

// What is said of one line; nullopt of match where the pattern is invalid.
struct Verdict {
  std::optional<bool> match;
  std::string why;
};

Result<Verdict> judge(json::Value line) {
  if (!line.is_object()) {
    return fail(
        ErrorCode::kInvalidInput,
        fmt::format("expected an object with `pattern` and `event`, found `{}`", line.excerpt()));
  }
  TRY(const json::Value pattern, line.member("pattern", ""));
  TRY(const json::Value event, line.member("event", ""));
  TRY(const json::Value object, event.object("event"));
  auto compiled = rules::compile_pattern(pattern);
  if (!compiled) return Verdict{{}, compiled.error().message};
  return Verdict{compiled->matches(rules::Fields::of(object, rules::Fields::Nulls::kLeaves)), {}};
}

bool is_ours(std::string_view member) {
  return member == "valid" || member == "match" || member == "why";
}

std::string broken(std::string_view why) {
  json::Writer writer;
  writer.begin_object().member("error", why).end_object();
  return writer.take();
}

}  // namespace

Matched match_line(std::string_view line) {
  const auto document = json::Document::parse(line);
  if (!document) return {broken(document.error().message), true};
  const auto verdict = judge(document->root());
  if (!verdict) return {broken(verdict.error().message), true};
  json::Writer writer;
  writer.begin_object();
  for (json::Member member : document->root().members()) {
    if (!is_ours(member.name)) writer.member(member.name, member.value);
  }
  writer.member("valid", verdict->match.has_value());
  if (verdict->match) {
    writer.member("match", *verdict->match);
  } else {
    writer.member("why", verdict->why);
  }
  writer.end_object();
  return {writer.take(), false};
}

int match_lines(std::FILE* in, std::FILE* out, std::FILE* errors) {
  std::array<char, 16384> chunk{};
  std::string line;
  std::size_t number = 0;
  bool any_broken = false;
  const auto answer = [&] {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.find_first_not_of(" \t") == std::string::npos) return;
    const Matched matched = match_line(line);
    fmt::print(out, "{}\n", matched.line);
    if (!matched.broken) return;
    any_broken = true;
    fmt::print(errors, "trainwarden: line {}: {}\n", number, matched.line);
  };
  while (const std::size_t size = std::fread(chunk.data(), 1, chunk.size(), in)) {
    std::string_view rest(chunk.data(), size);
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      line += rest.substr(0, end);
      if (end == std::string_view::npos) break;
      answer();
      line.clear();
      rest.remove_prefix(end + 1);
    }
  }
  if (!line.empty()) answer();
  if (std::ferror(in) != 0 || std::fflush(out) != 0 || std::ferror(out) != 0) return 2;
  return any_broken ? 1 : 0;
}

}  // namespace trainwarden::cli
