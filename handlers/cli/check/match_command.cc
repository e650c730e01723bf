#include "handlers/cli/check/match_command.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "handlers/cli/files/text_encoding.h"
#include "handlers/rules/patterns/fields.h"
#include "handlers/rules/patterns/pattern.h"
#include "runtime/base/result.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {
namespace {

// The verdict on one line; no `match` if the pattern is invalid.
struct Verdict {
  std::optional<bool> match;
  std::string why;
};

Result<Verdict> verdict_on(json::Value line) {
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

bool is_verdict(std::string_view member) {
  return member == "valid" || member == "match" || member == "why";
}

std::string broken(std::string_view why) {
  json::Writer writer;
  writer.begin_object().member("error", why).end_object();
  return writer.take();
}

}  // namespace

Answered match_line(std::string_view line) {
  if (const auto why = why_no_text(line)) return {broken(*why), true};
  const auto document = json::Document::parse(line);
  if (!document) return {broken(document.error().message), true};
  const auto verdict = verdict_on(document->root());
  if (!verdict) return {broken(verdict.error().message), true};
  json::Writer writer;
  writer.begin_object();
  for (json::Member member : document->root().members()) {
    if (!is_verdict(member.name)) writer.member(member.name, member.value);
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
  return with_utf8(in, errors, [out, errors](std::FILE* text) {
    return answer_lines(text, out, errors, match_line);
  });
}

}  // namespace trainwarden::cli
