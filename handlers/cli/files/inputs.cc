#include "handlers/cli/files/inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "handlers/actions/setup/policy_source.h"
#include "handlers/cli/files/text_encoding.h"
#include "handlers/rules/alarms/alarm_name.h"
#include "handlers/rules/job/members.h"
#include "runtime/base/arn.h"

namespace trainwarden::cli {
namespace {

Result<std::string> required_text(json::Value object, std::string_view member,
                                  std::string_view where) {
  TRY(const json::Value value, object.member(member, where));
  TRY(const std::string_view text, value.string(fmt::format("{}.{}", where, member)));
  return std::string(text);
}

std::optional<std::string> text_of(json::Value object, std::string_view member) {
  const auto text = rules::string_of(object, member);
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

Result<rules::JobEvent> state_event(json::Value event, json::Value detail) {
  rules::JobEvent out;
  out.account = text_of(event, "account");
  out.region = text_of(event, "region");
  TRY(out.job_name, required_text(detail, "TrainingJobName", "detail"));
  out.training_job_status = text_of(detail, "TrainingJobStatus");
  out.secondary_status = text_of(detail, "SecondaryStatus");
  if (const auto created = detail.find_present("CreationTime")) {
    out.creation_time = rules::read_time(*created);
  }
  return out;
}

Result<rules::JobEvent> alarm_event(json::Value record) {
  TRY(const json::Value sns, record.member("Sns", "Records[0]"));
  TRY(const std::string text, required_text(sns, "Message", "Records[0].Sns"));
  TRY(const json::Document message, json::Document::parse(text));
  TRY(const std::string name, required_text(message.root(), "AlarmName", "Message"));
  TRY(const std::string state, required_text(message.root(), "NewStateValue", "Message"));
  // The prefix names a stack, and any stack's alarm is accepted here.
  const std::string prefix = name.substr(0, name.find('/'));
  const auto ours =
      rules::is_alarm_prefix(prefix) ? rules::AlarmName::parse(name, prefix) : std::nullopt;
  if (!ours) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("Message.AlarmName: expected trainwarden/<job>/<watch> or "
                            "trainwarden/<job>/<watch>/<n>, found `{}`",
                            name));
  }
  rules::JobEvent out;
  out.trigger = rules::Trigger::kAlarm;
  out.job_name = ours->job;
  out.alarm = {name, ours->watch, state};
  out.account = text_of(message.root(), "AWSAccountId");
  // The message's Region is a display name, so the ARN is read instead.
  if (const auto arn = text_of(message.root(), "AlarmArn"))
    if (const auto region = arn_field(*arn, ArnField::kRegion); !region.empty())
      out.region = region;
  return out;
}

Result<json::Document> parse_input(std::string_view text) {
  auto document = json::Document::parse(text);
  if (document) return document;
  Error error = std::move(document).error();
  error.message += what_it_looks_like(text);
  return fail(std::move(error));
}

}  // namespace

std::string_view what_it_looks_like(std::string_view text) {
  const auto begins = [](std::string_view line, std::string_view with) {
    return line.starts_with(with);
  };
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return {};
  text.remove_prefix(first);
  std::string_view line = text.substr(0, text.find('\n'));
  // `{'name': True}`
  if (begins(text, "{'") || begins(text, "[{'"))
    return "; this looks like Python: JSON has double quotes, and writes true, false and null "
           "(json.dumps makes it)";
  // Three hyphens, with which a document of YAML begins.
  const bool is_rule = line.size() >= 3 && line.substr(0, 3).find_first_not_of('-') == line.npos;
  const std::size_t colon = line.find(':');
  const bool is_key =
      colon != line.npos && colon > 0 &&
      line.substr(0, colon).find_first_of("{}[]\"'") == line.npos &&
      (colon + 1 == line.size() || line[colon + 1] == ' ' || line[colon + 1] == '\r');
  if (is_rule || begins(line, "# ") || is_key || begins(line, "- "))
    return "; this looks like YAML: expected JSON";
  return {};
}

Result<std::string> read_file_or_input(const std::string& path) {
  TRY(std::string bytes, actions::read_file(path == "-" ? "/dev/stdin" : path));
  auto text = utf8_of(std::move(bytes));
  if (!text) return fail(std::move(text).error().in(path == "-" ? "standard input" : path));
  return text;
}

Result<std::string> read_argument(const std::string& argument) {
  if (argument.starts_with('{') || argument.starts_with('[')) return argument;
  return read_file_or_input(argument);
}

Result<rules::JobEvent> read_event(std::string_view text) {
  TRY(const json::Document document, parse_input(text));
  const json::Value root = document.root();
  if (const auto detail = root.find_present("detail")) return state_event(root, *detail);
  if (const auto records = root.find_present("Records"); records && records->size() == 1) {
    return alarm_event(*records->elements().begin());
  }
  return fail(ErrorCode::kInvalidInput,
              fmt::format("expected a training job's state change (with `detail`) or one alarm "
                          "message (with `Records`), found `{}`",
                          root.excerpt()));
}

Result<json::Document> read_job(std::string_view text) {
  TRY(json::Document document, parse_input(text));
  const json::Value root = document.root();
  for (const char* const member : {"TrainingJobName", "TrainingJobStatus", "SecondaryStatus"}) {
    const auto found = root.find_present(member);
    if (found && found->is_string()) continue;
    return fail(ErrorCode::kInvalidInput,
                fmt::format("expected DescribeTrainingJob's answer with `{}`, found `{}`", member,
                            root.excerpt()));
  }
  return document;
}

Result<json::Document> read_tags(std::string_view text) {
  TRY(json::Document document, parse_input(text));
  json::Value list = document.root();
  if (list.find_present("NextToken"))
    return fail(ErrorCode::kInvalidInput,
                "expected all tags of the job, found a page of ListTags with a NextToken");
  if (const auto tags = list.find("Tags"); tags && !tags->is_string()) list = *tags;
  if (list.is_object()) {
    for (const auto& [key, value] : list.members())
      if (!value.is_string())
        return fail(ErrorCode::kInvalidInput,
                    fmt::format("expected tags, an object of texts, found `{}`: `{}`", key,
                                value.excerpt()));
    return json::Document::build([&](json::Sink& sink) { sink.value(list); });
  }
  if (!list.is_array()) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("expected tags (an object, or a list of Key and Value), found `{}`",
                            list.excerpt()));
  }
  std::optional<Error> odd;
  json::Document out = json::Document::build([&](json::Sink& sink) {
    sink.begin_object();
    for (json::Value tag : list.elements()) {
      const auto key = rules::string_of(tag, "Key");
      const auto value = rules::string_of(tag, "Value");
      if (key && value) {
        sink.member(*key, *value);
      } else {
        odd = Error{ErrorCode::kInvalidInput,
                    fmt::format("expected a tag with Key and Value, found `{}`", tag.excerpt())};
      }
    }
    sink.end_object();
  });
  if (odd) return fail(*odd);
  return out;
}

Result<json::Document> read_logs(std::string_view text) {
  const auto answer = json::Document::parse(text);
  const auto events =
      answer && answer->root().is_object() ? answer->root().find_present("events") : std::nullopt;
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  std::string_view rest = text;
  if (rest.starts_with(kMark)) rest.remove_prefix(kMark.size());
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object().key("tail").begin_array();
    if (events && events->is_array()) {
      for (const json::Value event : events->elements())
        if (const auto message = rules::string_of(event, "message")) sink.string(*message);
    } else {
      while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (!line.empty()) sink.string(line);
      }
    }
    sink.end_array().end_object();
  });
}

Result<json::Document> read_fleet(std::string_view text) {
  constexpr std::array<std::string_view, 3> kMembers{"spot_timeouts_24h", "spot_interruptions_24h",
                                                     "capacity_errors_24h"};
  TRY(const json::Document document, parse_input(text));
  const json::Value root = document.root();
  const auto odd = [&](std::string_view what) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("expected counts such as {{\"{}\": 3}} ({}), found `{}`", kMembers[0],
                            fmt::join(kMembers, ", "), what));
  };
  if (!root.is_object()) return odd(root.excerpt());
  for (const auto& [name, value] : root.members())
    if (!value.is_number() || std::ranges::find(kMembers, name) == kMembers.end()) return odd(name);
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object();
    for (const std::string_view member : kMembers)
      sink.member(member, rules::number_of(root, member).value_or(0));
    sink.end_object();
  });
}

Result<sys_seconds> read_now(std::string_view text) {
  const json::Document document =
      json::Document::build([text](json::Sink& sink) { sink.string(text); });
  if (const auto time = rules::read_time(document.root())) return *time;
  return fail(ErrorCode::kInvalidInput,
              fmt::format("expected a time such as 2026-11-01T00:00:00Z, found `{}`", text));
}

rules::JobEvent event_of_job(const rules::TrainingJob& job) {
  rules::JobEvent out{.job_name = std::string(job.name),
                      .training_job_status = std::string(job.status_text),
                      .secondary_status = std::string(job.secondary_text),
                      .creation_time = job.created};
  const std::string_view account = arn_field(job.arn, ArnField::kAccount);
  const std::string_view region = arn_field(job.arn, ArnField::kRegion);
  if (!account.empty()) out.account = account;
  if (!region.empty()) out.region = region;
  return out;
}

}  // namespace trainwarden::cli
