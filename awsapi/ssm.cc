#include "awsapi/ssm.h"

#include "awsapi/request_body.h"

namespace trainwarden::aws {

Result<Parameter> Ssm::get_parameter(std::string_view name, const CallContext& context) const {
  const Call call{.service = &kSsm,
                  .operation = "GetParameter",
                  .body = request_body([&](json::Sink& sink) {
                    sink.member("Name", name).member("WithDecryption", true);
                  }),
                  .target = std::string(name)};
  TRY(const json::Document answer, client_.call(call, context));
  const auto parameter = answer.root().find_present("Parameter");
  const auto value = parameter ? parameter->find_present("Value") : std::nullopt;
  if (!value || !value->is_string())
    return fail(ErrorCode::kBadResponse, "GetParameter: expected `Parameter.Value` in the answer");
  const auto version = parameter->find_present("Version");
  return Parameter{std::string(value->as_string()),
                   version ? version->as_integer().value_or(0) : 0};
}

}  // namespace trainwarden::aws
