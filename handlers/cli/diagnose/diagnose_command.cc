#include "handlers/cli/diagnose/diagnose_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "handlers/cli/files/text_encoding.h"
#include "handlers/rules/failure/diagnose.h"
#include "runtime/base/result.h"
#include "runtime/json/json.h"
#include "runtime/json/utf8.h"

namespace trainwarden::cli {
namespace {

Result<std::string_view> reason_of(json::Value line) {
  const auto reason = line.find_present("failure_reason");
  if (!reason) return std::string_view();
  return reason->string("failure_reason");
}

Result<std::vector<std::string_view>> tail_of(json::Value line) {
  std::vector<std::string_view> out;
  const auto tail = line.find_present("log_tail");
  if (!tail) return out;
  if (tail->is_string()) {
    out.push_back(tail->as_string());
    return out;
  }
  if (!tail->is_array())
    return fail(ErrorCode::kInvalidInput,
                fmt::format("`log_tail`: expected a list of texts, found `{}`", tail->excerpt()));
  std::size_t i = 0;
  for (const json::Value element : tail->elements()) {
    TRY(const std::string_view text, element.string(fmt::format("log_tail[{}]", i++)));
    out.push_back(text);
  }
  return out;
}

Result<rules::Diagnosis> diagnosis_of(json::Value line, std::span<const rules::OwnSignature> own,
                                      std::vector<rules::Reading>* why) {
  if (!line.is_object())
    return fail(ErrorCode::kInvalidInput,
                fmt::format("expected an object with `failure_reason` and `log_tail`, found `{}`",
                            line.excerpt()));
  if (!line.find("failure_reason") && !line.find("log_tail"))
    return fail(ErrorCode::kInvalidInput,
                fmt::format("expected `failure_reason` or `log_tail`, found `{}`", line.excerpt()));
  TRY(const std::string_view reason, reason_of(line));
  TRY(const std::vector<std::string_view> tail, tail_of(line));
  const rules::Question question = {.reason = reason, .log = tail, .secrets = {}, .own = own};
  return why == nullptr ? rules::diagnose_texts(question) : rules::explain_texts(question, *why);
}

bool is_diagnosis(std::string_view member) {
  return member == "label" || member == "resume" || member == "evidence" || member == "error" ||
         member == "why";
}

void keep_members(json::Value line, json::Writer& writer) {
  for (const json::Member member : line.members())
    if (!is_diagnosis(member.name)) writer.member(member.name, member.value);
}

// Answers a line that is not JSON: the error, beside the line as it was.
Answered unreadable(std::string_view line, std::string_view why) {
  const std::string mended = json::mend_utf8(line);
  json::Writer writer;
  writer.begin_object()
      .member("error", why)
      .member("line", mended.empty() ? line : std::string_view(mended))
      .end_object();
  return {writer.take(), true};
}

}  // namespace

void write_why(std::span<const rules::Reading> why, json::Writer& writer) {
  constexpr std::size_t kMost = 10;
  writer.key("why").begin_array();
  for (const rules::Reading& reading : why.subspan(0, std::min(why.size(), kMost)))
    writer.begin_object()
        .member("label", rules::name(reading.label))
        .member("resume", rules::name(reading.resume))
        .member("line", reading.line)
        .member("read_as", reading.structure)
        .member("id", reading.id)
        .member("text", reading.text)
        .member("reason", reading.why)
        .end_object();
  writer.end_array();
}

Answered diagnose_line(std::string_view line, bool why, std::span<const rules::OwnSignature> own) {
  if (const auto no_text = why_no_text(line)) return unreadable(line, *no_text);
  const auto document = json::Document::parse(line);
  if (!document) return unreadable(line, document.error().message);
  std::vector<rules::Reading> readings;
  const auto diagnosis = diagnosis_of(document->root(), own, why ? &readings : nullptr);
  if (!diagnosis && !document->root().is_object())
    return unreadable(line, diagnosis.error().message);
  json::Writer writer;
  writer.begin_object();
  keep_members(document->root(), writer);
  if (diagnosis) {
    writer.member("label", rules::name(diagnosis->label))
        .member("resume", rules::name(diagnosis->resume))
        .member("evidence", diagnosis->evidence);
    if (why) write_why(readings, writer);
  } else {
    writer.member("error", diagnosis.error().message);
  }
  writer.end_object();
  return {writer.take(), !diagnosis};
}

int diagnose_lines(std::FILE* in, std::FILE* out, std::FILE* errors, bool why,
                   std::span<const rules::OwnSignature> own) {
  return with_utf8(in, errors, [&](std::FILE* text) {
    return answer_lines(text, out, errors, [why, own](std::string_view line) {
      return diagnose_line(line, why, own);
    });
  });
}

}  // namespace trainwarden::cli
