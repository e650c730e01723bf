#include "handlers/rules/failure/diagnose.h"

#include <algorithm>
#include <utility>

#include "handlers/rules/failure/evidence.h"
#include "handlers/rules/failure/explanations.h"
#include "handlers/rules/failure/failure_reason.h"
#include "handlers/rules/failure/failure_text.h"
#include "handlers/rules/failure/structures.h"
#include "handlers/rules/failure/went_on.h"

namespace trainwarden::rules {
namespace {

// What one text tells.
struct Heard {
  FailureText text;
  std::vector<Finding> findings;
  std::optional<Finding> best;
};

Heard hear(FailureText text, bool reason, std::span<const OwnSignature> own) {
  Heard out{std::move(text), {}, std::nullopt};
  read_structures(out.text, reason);
  out.findings = find_causes(out.text, own);
  if (!out.findings.empty()) out.best = out.findings.front();
  return out;
}

Heard hear_reason(const Question& question) {
  Heard out = hear(FailureText::of_reason(question.reason), true, question.own);
  if (out.best && out.best->own != nullptr) return out;
  const auto by = by_kind(question.reason, out.best);
  if (by && by->by == By::kPlatform) out.findings.insert(out.findings.begin(), *by);
  out.best = by;
  return out;
}

Diagnosis diagnosis_of(const Heard& heard, std::span<const std::string_view> secrets) {
  if (!heard.best) return {FailureLabel::kUnknown, RunAgain::kOnce, {}};
  return {heard.best->label, heard.best->resume, evidence_at(heard.text, heard.best->at, secrets)};
}

bool is_conclusive(const std::optional<Finding>& found) {
  return found && (found->own != nullptr || found->rank <= Rank::kCause ||
                   (found->rank == Rank::kException && found->specific));
}

void explain(const Heard& heard, std::span<const std::string_view> secrets,
             std::vector<Reading>& why) {
  // What counts stays first, whatever the others weigh.
  std::vector<Finding> findings = heard.findings;
  if (!findings.empty()) std::stable_sort(findings.begin() + 1, findings.end(), outranks);
  for (const Finding& found : findings) {
    const bool known = found.line < heard.text.lines().size();
    const SignatureExplanation explanation = explanation_of(found);
    why.push_back({found.label, found.resume, evidence_at(heard.text, found.at, secrets),
                   known ? name_of(heard.text.lines()[found.line].structure) : "FailureReason",
                   explanation.id, explanation.why, found.text});
  }
}

bool is_a_bug(const Finding& finding) {
  return finding.by == By::kException && finding.label == FailureLabel::kUserCode;
}

// A service or a link; a broken machine would explain one.
bool explains_no_bug(const Finding& trouble) {
  return trouble.own == nullptr && trouble.resume != RunAgain::kNo &&
         (trouble.label == FailureLabel::kService || trouble.label == FailureLabel::kNetwork);
}

// Whether FailureReason tells of an end that no exception of the program's leads to.
bool tells_of_another_end(const Finding& by_reason) {
  return by_reason.by == By::kPlatform || by_reason.label == FailureLabel::kService ||
         by_reason.label == FailureLabel::kTimeout ||
         (by_reason.label == FailureLabel::kOomHost && by_reason.rank == Rank::kSymptom);
}

// Whether FailureReason quotes the exception that one host's program ended with, of a class that
// tells.
bool quotes_a_bug(const Finding& by_reason, const FailureText& text) {
  return is_a_bug(by_reason) && by_reason.resume == RunAgain::kNo &&
         by_reason.rank == Rank::kException && !tells_no_kind(text, by_reason);
}

// What as_logs() wrote; nullopt where that is a log.
std::optional<Diagnosis> earlier_diagnosis(json::Value logs) {
  const auto verdict = logs.find_present("verdict");
  if (!verdict) return std::nullopt;
  const auto text = [&](std::string_view member) {
    const auto found = verdict->find_present(member);
    return found && found->is_string() ? found->as_string() : std::string_view();
  };
  const auto found = verdict_named(text("label"), text("resume"));
  if (!found) return std::nullopt;
  return Diagnosis{found->label, found->resume, std::string(text("evidence"))};
}

std::vector<std::string_view> tail_of(json::Value logs) {
  std::vector<std::string_view> lines;
  const auto tail = logs.find_present("tail");
  if (!tail || !tail->is_array()) return lines;
  for (const json::Value line : tail->elements())
    if (line.is_string()) lines.push_back(line.as_string());
  return lines;
}

// What both texts tell. Where FailureReason is conclusive the log is not read.
struct HeardBoth {
  Heard reason;
  Heard log;
  bool log_counts;

  const Heard& first() const { return log_counts ? log : reason; }
  const Heard& other() const { return log_counts ? reason : log; }
};

HeardBoth hear_both(const Question& question) {
  HeardBoth out{hear_reason(question), {}, false};
  const std::optional<Finding>& by_reason = out.reason.best;
  const bool vague = only_the_platforms_word(question.reason, by_reason);
  if (is_conclusive(by_reason) && !vague) return out;
  out.log = hear(FailureText::of_log(question.log), false, question.own);
  const std::optional<Finding>& by_log = out.log.best;
  out.log_counts =
      by_log && (!by_reason || by_log->own != nullptr || by_log->rank < by_reason->rank ||
                 (vague && by_log->rank == by_reason->rank));
  // SageMaker ended the job itself, or somebody killed the program: what the log tells of was got
  // over if steps follow it.
  if (out.log_counts && by_reason && by_log->own == nullptr && tells_of_another_end(*by_reason) &&
      Steps(out.log.text).taken_between(by_log->line, out.log.text.lines().size()))
    out.log_counts = false;
  // A log that shows the exception itself has been weighed with it.
  if (out.log_counts && by_reason && explains_no_bug(*by_log) &&
      quotes_a_bug(*by_reason, out.reason.text) && std::ranges::none_of(out.log.findings, is_a_bug))
    out.log_counts = false;
  return out;
}

}  // namespace

ReasonDiagnosis diagnose_reason(const Question& question) {
  const Heard heard = hear_reason(question);
  return {diagnosis_of(heard, question.secrets), is_conclusive(heard.best)};
}

Diagnosis diagnose_texts(const Question& question) {
  return diagnosis_of(hear_both(question).first(), question.secrets);
}

Diagnosis explain_texts(const Question& question, std::vector<Reading>& why) {
  const HeardBoth heard = hear_both(question);
  explain(heard.first(), question.secrets, why);
  explain(heard.other(), question.secrets, why);
  return diagnosis_of(heard.first(), question.secrets);
}

ReasonDiagnosis diagnose_reason(std::string_view reason,
                                std::span<const std::string_view> secrets) {
  return diagnose_reason(Question{reason, {}, secrets, {}});
}

Diagnosis diagnose_texts(std::string_view reason, std::span<const std::string_view> log,
                         std::span<const std::string_view> secrets) {
  return diagnose_texts(Question{reason, log, secrets, {}});
}

json::Document as_logs(const Diagnosis& diagnosis) {
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object().key("verdict").begin_object();
    sink.member("label", name(diagnosis.label)).member("resume", name(diagnosis.resume));
    sink.member("evidence", diagnosis.evidence).end_object().end_object();
  });
}

Diagnosed diagnose(const TrainingJob& job, const std::optional<json::Value>& logs, Diagnosis& out,
                   std::span<const OwnSignature> own) {
  if (is_limit(job.secondary)) {
    out = {FailureLabel::kTimeout, RunAgain::kOnce, std::string(job.secondary_text)};
    return Diagnosed::kDiagnosed;
  }
  if (job.status != JobStatus::kFailed) return Diagnosed::kNoFailure;
  const std::vector<std::string_view> secrets = secret_values(job);
  Question question{job.failure_reason, {}, secrets, own};
  if (const auto earlier = logs ? earlier_diagnosis(*logs) : std::nullopt) {
    out = *earlier;
    return Diagnosed::kDiagnosed;
  }
  if (logs) {
    const std::vector<std::string_view> tail = tail_of(*logs);
    question.log = tail;
    out = diagnose_texts(question);
    return Diagnosed::kDiagnosed;
  }
  ReasonDiagnosis by_reason = diagnose_reason(question);
  if (!by_reason.conclusive) return Diagnosed::kAskTheLogs;
  out = std::move(by_reason.diagnosis);
  return Diagnosed::kDiagnosed;
}

}  // namespace trainwarden::rules
