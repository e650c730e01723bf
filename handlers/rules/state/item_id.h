// The ids of the state table's items. Each is put together and read here, and nowhere else.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "handlers/rules/job/tuner.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

// Items that there is one of.
inline constexpr std::string_view kBrakeId = "brake";
inline constexpr std::string_view kSweepId = "sweep";
inline constexpr std::string_view kQuotaId = "quotas";

// "job/<name>/<epoch ms>"
std::string job_item_id(std::string_view job_name, sys_millis created);
// "tuner/<name>/<epoch ms>", of an AutoML job "tuner/automl:<name>/<epoch ms>". The brake counts
// the tuner by the same id (P7).
std::string tuner_item_id(const Tuner& tuner);
// "turn/<name>": of a queued copy, by the job to be copied
std::string queue_item_id(std::string_view job_name);
// "copy/<name>": by the copy's own
std::string copy_item_id(std::string_view copy_name);
// "rule/<16 hexadecimal digits>": of the rule's text, so that a rule that was edited begins anew.
std::string rule_item_id(std::string_view rule_text);
// "digest/<16 hexadecimal digits>"
std::string digest_item_id(std::string_view topic);
// One a day: "report/2026-11-23".
std::string report_item_id(sys_seconds time);

// What an item is of that can be due.
struct JobOfItem {
  std::string name;
  sys_millis created;
};
struct TunerOfItem {
  TunerKind kind;
  std::string name;
};
struct QueuedJob {
  std::string name;
};
struct DigestOfItem {};
struct ReportOfItem {};
// monostate: of none of these.
using DueItem =
    std::variant<std::monostate, JobOfItem, TunerOfItem, QueuedJob, DigestOfItem, ReportOfItem>;
DueItem due_item(std::string_view id);
// nullopt where it is of something else.
std::optional<JobOfItem> job_of_item(std::string_view id);

}  // namespace trainwarden::rules
