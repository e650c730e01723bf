#include "tests/localaws/http/query_xml.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/base/time.h"
#include "runtime/json/json.h"
#include "tests/localaws/service/xml_text.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

// The members of answers that are times, alone or in a list.
constexpr std::array<std::string_view, 5> kTimes = {
    "AlarmConfigurationUpdatedTimestamp", "StateUpdatedTimestamp", "StateTransitionedTimestamp",
    "Timestamps", "Timestamp"};

std::string scalar(Value value, bool time) {
  if (value.is_string()) return xml_text(value.as_string());
  if (value.is_boolean()) return value.as_boolean() ? "true" : "false";
  if (time)
    return rfc3339(sys_millis(std::chrono::milliseconds(std::llround(value.as_number() * 1000))));
  return json::to_text(value);
}

// The one map among the answers.
constexpr std::string_view kMap = "ExtendedStatistics";

void write_entries(std::string& out, Value map) {
  for (const json::Member entry : map.members())
    out += fmt::format("<entry><key>{}</key><value>{}</value></entry>", xml_text(entry.name),
                       scalar(entry.value, false));
}

void write_xml(std::string& out, Value value, bool time) {
  if (value.is_array()) {
    for (const Value element : value.elements()) {
      out += "<member>";
      write_xml(out, element, time);
      out += "</member>";
    }
  } else if (value.is_object()) {
    for (const json::Member member : value.members()) {
      if (member.value.is_null()) continue;
      out.append("<").append(member.name).append(">");
      if (member.name == kMap)
        write_entries(out, member.value);
      else
        write_xml(out, member.value,
                  std::find(kTimes.begin(), kTimes.end(), member.name) != kTimes.end());
      out.append("</").append(member.name).append(">");
    }
  } else {
    out += scalar(value, time);
  }
}

}  // namespace

std::string query_answer(const QueryFrame& frame, const std::string& answer) {
  std::string result;
  if (!answer.empty()) {
    const auto parsed = json::Document::parse(answer);
    result = fmt::format("<{}Result>", frame.operation);
    if (parsed) write_xml(result, parsed->root(), false);
    result += fmt::format("</{}Result>", frame.operation);
  }
  return fmt::format(
      "<{0}Response xmlns=\"{1}\">{2}<ResponseMetadata><RequestId>{3}</RequestId>"
      "</ResponseMetadata></{0}Response>\n",
      frame.operation, frame.xml_namespace, result, frame.request_id);
}

std::string query_error(const QueryFrame& frame, std::string_view type, std::string_view code,
                        std::string_view message) {
  return fmt::format(
      "<ErrorResponse xmlns=\"{}\"><Error><Type>{}</Type><Code>{}</Code><Message>{}</Message>"
      "</Error><RequestId>{}</RequestId></ErrorResponse>\n",
      frame.xml_namespace, type, xml_text(code), xml_text(message), frame.request_id);
}

std::string ec2_error(std::string_view request_id, std::string_view code,
                      std::string_view message) {
  return fmt::format(
      "<Response><Errors><Error><Code>{}</Code><Message>{}</Message></Error></Errors>"
      "<RequestID>{}</RequestID></Response>\n",
      xml_text(code), xml_text(message), request_id);
}

}  // namespace trainwarden::localaws
