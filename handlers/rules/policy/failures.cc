#include "handlers/rules/policy/failures.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "handlers/rules/failure/signature_match.h"
#include "handlers/rules/policy/member_form.h"

namespace trainwarden::rules {
namespace {

using Kind = MemberForm::Kind;

constexpr std::size_t kShortestText = 6;
constexpr std::int64_t kLongestText = 200;
constexpr std::array<MemberForm, 4> kFailureMembers = {{
    {.name = "text",
     .kind = Kind::kText,
     .required = true,
     .least = kShortestText,
     .most = kLongestText},
    {.name = "label", .kind = Kind::kChoice, .required = true, .choices = kFailureLabels},
    {.name = "resume", .kind = Kind::kChoice, .required = true, .choices = kResumeVerdicts},
    {.name = "why", .kind = Kind::kText},
}};
constexpr std::array<std::string_view, 4> kFailureNames = names_of(kFailureMembers);

// Too few characters would fit everywhere.
void check_signature_text(std::string_view text, Reader& reader) {
  JsonPath::Step step(reader.where, "text");
  std::size_t known = 0;
  for (const char c : text) known += c == '*' || c == ' ' || c == '~' ? 0 : 1;
  if (known < kShortestText || text.size() > static_cast<std::size_t>(kLongestText) ||
      text.starts_with('*') || text.ends_with('*') || text.contains('\n'))
    reader.diagnostics.error(
        reader.where,
        fmt::format("expected one line of at least {} characters besides blanks and `*`, at most "
                    "{} bytes, and no `*` at its ends, found `{}`",
                    kShortestText, kLongestText, text));
}

OwnSignature read_failure(json::Value object, Reader& reader) {
  reader.check_members(object, kFailureNames);
  OwnSignature out;
  if (reader.require(object, required(kFailureMembers, "text"))) {
    if (const auto text = reader.string(object, "text")) {
      check_signature_text(*text, reader);
      out.text = signature_text(*text);
    }
  }
  if (reader.require(object, required(kFailureMembers, "label")))
    if (const auto at = reader.choice(object, "label", kFailureLabels))
      out.label = static_cast<FailureLabel>(*at);
  if (reader.require(object, required(kFailureMembers, "resume")))
    if (const auto at = reader.choice(object, "resume", kResumeVerdicts))
      out.resume = static_cast<RunAgain>(*at);
  out.why = reader.string(object, "why").value_or("");
  if (out.label == FailureLabel::kUserCode && out.resume == RunAgain::kYes) {
    JsonPath::Step step(reader.where, "resume");
    reader.diagnostics.error(
        reader.where,
        "expected `once` or `no` for the label `user_code`, found `yes`: a program's own failure "
        "comes again");
  }
  return out;
}

}  // namespace

std::span<const MemberForm> failure_members() { return kFailureMembers; }

std::vector<OwnSignature> read_failures(json::Value list, Reader& reader) {
  JsonPath::Step step(reader.where, "failures");
  std::vector<OwnSignature> out;
  if (list.size() == 0 || !list.is_array() || list.size() > std::size_t{kMostFailures}) {
    reader.unexpected(fmt::format("a list of 1 to {} signatures", kMostFailures), list);
    return out;
  }
  std::size_t index = 0;
  for (json::Value item : list.elements()) {
    if (reader.diagnostics.enough()) break;
    JsonPath::Step step_in(reader.where, index++);
    if (reader.check_object(item, "a signature")) out.push_back(read_failure(item, reader));
  }
  return out;
}

}  // namespace trainwarden::rules
