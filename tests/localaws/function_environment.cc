#include "tests/localaws/function_environment.h"

#include <fmt/core.h>

#include <filesystem>
#include <string_view>

#include "tests/localaws/dynamodb/dynamodb.h"

namespace trainwarden::localaws {

std::string people_topic(const Options& options) {
  return fmt::format("arn:aws:sns:{}:{}:trainwarden-people", options.region, options.account);
}

std::vector<std::string> function_environment(const std::string& name, std::size_t session,
                                              const std::string& program, const Places& places,
                                              const Options& options,
                                              const Credentials& credentials,
                                              const Environment& environment) {
  std::vector<std::string> out;
  const auto set = [&out](std::string_view variable, std::string_view value) {
    out.push_back(fmt::format("{}={}", variable, value));
  };
  const auto pass = [&](std::string_view variable, std::string_view otherwise) {
    const std::string_view value = environment.get(variable).value_or(otherwise);
    if (!value.empty()) set(variable, value);
  };
  const bool tls = !places.root_certificate.empty();
  set("AWS_LAMBDA_RUNTIME_API",
      fmt::format("127.0.0.1:{}/_localaws/runtime/{}{}", places.plain_port, name,
                  session == 0 ? "" : fmt::format(".{}", session + 1)));
  set("AWS_ENDPOINT_URL", fmt::format("{}://127.0.0.1:{}", tls ? "https" : "http", places.port));
  if (tls) set("AWS_CA_BUNDLE", places.root_certificate);
  set("AWS_REGION", options.region);
  set("AWS_DEFAULT_REGION", options.region);
  set("AWS_ACCESS_KEY_ID", credentials.access_key_id);
  set("AWS_SECRET_ACCESS_KEY", credentials.secret_access_key.reveal());
  if (!credentials.session_token.empty())
    set("AWS_SESSION_TOKEN", credentials.session_token.reveal());
  set("AWS_LAMBDA_FUNCTION_NAME", "trainwarden-" + name);
  set("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "128");
  set("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST");
  set("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand");
  set("LAMBDA_TASK_ROOT", std::filesystem::path(program).parent_path().string());
  set("_HANDLER", "bootstrap");
  set("TRAINWARDEN_ALARM_TOPIC",
      fmt::format("arn:aws:sns:{}:{}:trainwarden-alarms", options.region, options.account));
  pass("TRAINWARDEN_TABLE", table_arn(options.region, options.account));
  if (options.policy.empty())
    pass("TRAINWARDEN_POLICY", "");
  else
    set("TRAINWARDEN_POLICY", "file:" + options.policy);
  for (const std::string_view variable :
       {"TRAINWARDEN_MODE", "TRAINWARDEN_ALARMS", "TRAINWARDEN_ALARM_PREFIX",
        "TRAINWARDEN_SWEEP_SCHEDULE", "TRAINWARDEN_PASS_ROLES", "TRAINWARDEN_COPY_INSTANCE_TYPES",
        "TRAINWARDEN_CHECKPOINT_BUCKETS", "AWS_MAX_ATTEMPTS", "ASAN_OPTIONS", "UBSAN_OPTIONS",
        "LSAN_OPTIONS", "ASAN_SYMBOLIZER_PATH"})
    pass(variable, "");
  pass("TRAINWARDEN_NOTIFY_TOPIC", options.people ? people_topic(options) : "");
  pass("AWS_LAMBDA_LOG_FORMAT", "JSON");
  pass("AWS_LAMBDA_LOG_LEVEL", "INFO");
  pass("PATH", "/usr/local/bin:/usr/bin:/bin");
  return out;
}

}  // namespace trainwarden::localaws
