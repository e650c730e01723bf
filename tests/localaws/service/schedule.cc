#include "tests/localaws/service/schedule.h"

#include <fmt/core.h>

#include "runtime/json/json.h"
#include "tests/localaws/service/crypto.h"

namespace trainwarden::localaws {

std::string scheduled_event(std::string_view region, std::string_view account, sys_millis now) {
  json::Writer out;
  out.begin_object().member("version", "0").member("id", random_uuid());
  out.member("detail-type", "Scheduled Event").member("source", "aws.events");
  out.member("account", account);
  out.member("time", rfc3339(std::chrono::floor<std::chrono::seconds>(now)));
  out.member("region", region).key("resources").begin_array();
  out.string(fmt::format("arn:aws:events:{}:{}:rule/trainwarden-sweep", region, account));
  out.end_array().key("detail").begin_object().end_object().end_object();
  return out.take();
}

std::string weekly_event(std::string_view region, std::string_view account, sys_millis now) {
  json::Writer out;
  out.begin_object().member("source", "aws.events");
  out.member("detail-type", "Trainwarden Weekly Report").member("id", random_uuid());
  out.member("region", region).member("account", account);
  out.member("time", rfc3339(std::chrono::floor<std::chrono::seconds>(now))).end_object();
  return out.take();
}

}  // namespace trainwarden::localaws
