// `trainwarden diagnose`: reads lines of {"failure_reason": …, "log_tail": […]} and writes each
// object with why such a job failed and whether to run it again: "label", "resume" and "evidence".
// It makes no calls. A line that is no such object is kept beside its error. With --why each object
// also has "why": the line that decided, what it was read as, the signature's id and reason, and
// below it the readings that lost against it.
#pragma once

#include <cstdio>
#include <span>
#include <string_view>

#include "handlers/cli/terminal/lines.h"
#include "handlers/rules/failure/diagnose.h"
#include "handlers/rules/failure/own_signature.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {

// failure_reason: a string; log_tail: a list of strings, the oldest first, or one string. Either
// may be null or missing, but not both.
// own: the policy's signatures, which take precedence over the built-in ones.
Answered diagnose_line(std::string_view line, bool why = false,
                       std::span<const rules::OwnSignature> own = {});

// Writes the reading that decided, and below it those that lost against it, as the member "why" of
// an open object.
void write_why(std::span<const rules::Reading> why, json::Writer& writer);

// Returns as answer_lines() does.
int diagnose_lines(std::FILE* in, std::FILE* out, std::FILE* errors, bool why = false,
                   std::span<const rules::OwnSignature> own = {});

}  // namespace trainwarden::cli
