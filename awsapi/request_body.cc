#include "awsapi/request_body.h"

namespace trainwarden::aws {

std::string request_body(const std::function<void(json::Sink&)>& members) {
  json::Writer writer;
  writer.begin_object();
  members(writer);
  writer.end_object();
  return writer.take();
}

std::string with_member(json::Value object, std::string_view name, std::string_view text) {
  return request_body([&](json::Sink& sink) {
    for (const auto& [key, value] : object.members()) sink.member(key, value);
    if (!text.empty()) sink.member(name, text);
  });
}

}  // namespace trainwarden::aws
