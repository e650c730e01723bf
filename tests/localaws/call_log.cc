#include "tests/localaws/call_log.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>

#include "runtime/json/json.h"
#include "tests/localaws/service/crypto.h"

namespace trainwarden::localaws {
namespace {

bool is_utf8(std::string_view text) {
  json::Writer writer;
  writer.string(text);
  const auto parsed = json::Document::parse(writer.take());
  return parsed && parsed->root().as_string() == text;
}

// The format is that of the request judge: one object a line.
std::string record_line(const HttpRequest& request, const Call& call) {
  json::Writer out;
  out.begin_object();
  out.member("time", rfc3339(request.received)).member("method", request.method);
  out.member("url", fmt::format("{}://{}{}", request.secure ? "https" : "http",
                                request.header("Host").value_or("127.0.0.1"), request.target));
  out.key("headers").begin_array();
  for (const Header& header : request.headers)
    out.begin_array().string(header.name).string(header.value).end_array();
  out.end_array();
  if (is_utf8(request.body))
    out.member("body", request.body);
  else
    out.member("body_b64", base64(request.body));
  out.member("label", fmt::format("{} {}.{}", call.function, call.service, call.operation));
  out.end_object();
  return out.take();
}

}  // namespace

Result<void> CallLog::record_to(const std::string& path) {
  if (path.empty()) return {};
  record_.reset(std::fopen(path.c_str(), "we"));
  if (!record_)
    return fail(ErrorCode::kInvalidConfig,
                fmt::format("--record: cannot write `{}`: {}", path, std::strerror(errno)));
  return {};
}

void CallLog::add(const HttpRequest& request, Call call) {
  if (record_) {
    const std::string line = record_line(request, call) + "\n";
    std::fwrite(line.data(), 1, line.size(), record_.get());
    std::fflush(record_.get());
  }
  calls_.push_back(std::move(call));
}

std::string CallLog::as_json() const {
  json::Writer out;
  out.begin_array();
  for (const Call& call : calls_) {
    out.begin_object().member("time", rfc3339(call.time)).member("function", call.function);
    out.member("service", call.service).member("operation", call.operation);
    out.key("request");
    if (const auto body = json::Document::parse(call.request))
      out.value(body->root());
    else
      out.string(call.request);
    out.member("status", call.status);
    out.key("code");
    if (call.code.empty())
      out.null();
    else
      out.string(call.code);
    out.end_object();
  }
  out.end_array();
  return out.take();
}

}  // namespace trainwarden::localaws
