#include "tests/demo/embedded_aws.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <utility>

#include "runtime/http/curl_transport.h"

namespace trainwarden::demo {
namespace {

// The first "http://…" that the child prints.
std::string read_url(int descriptor) {
  std::string text;
  std::array<char, 512> chunk{};
  for (;;) {
    const std::size_t begin = text.find("http://");
    const std::size_t end = text.find_first_of(" \n", begin == std::string::npos ? 0 : begin);
    if (begin != std::string::npos && end != std::string::npos)
      return text.substr(begin, end - begin);
    const ssize_t n = read(descriptor, chunk.data(), chunk.size());
    if (n <= 0) return {};
    text.append(chunk.data(), static_cast<std::size_t>(n));
  }
}

[[noreturn]] void become_localaws(const std::string& bin, const std::string& policy, int out,
                                  int log) {
  const std::string program = bin + "/localaws";
  const std::string state = bin + "/state/bootstrap";
  const std::string alarm = bin + "/alarm/bootstrap";
  const std::string region(kRegion);
  const std::string account(kAccount);
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // `./dev demo | head` ends the demo without a word
  dup2(out, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  // The demo's own settings, whatever the user's are.
  for (const char* variable :
       {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_MAX_ATTEMPTS",
        "TRAINWARDEN_MODE", "TRAINWARDEN_ALARMS", "TRAINWARDEN_PASS_ROLES"})
    unsetenv(variable);
  setenv("TRAINWARDEN_NOTIFY_TOPIC", std::string(kPeopleTopic).c_str(), 1);
  execl(program.c_str(), "localaws", "serve", "--port", "0", "--region", region.c_str(),
        "--account", account.c_str(), "--policy", policy.c_str(), "--state", state.c_str(),
        "--alarm", alarm.c_str(), static_cast<char*>(nullptr));
  _exit(127);
}

}  // namespace

Result<EmbeddedAws> EmbeddedAws::start(const std::string& bin, const std::string& policy,
                                       const std::string& log) {
  constexpr mode_t kMode = 0644;
  const int log_file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
  std::array<int, 2> out{};
  if (log_file < 0 || pipe2(out.data(), O_CLOEXEC) != 0)
    return fail(ErrorCode::kInternal, fmt::format("cannot write {}", log));
  const pid_t child = fork();
  if (child == 0) become_localaws(bin, policy, out[1], log_file);
  close(out[1]);
  close(log_file);
  EmbeddedAws started(child, read_url(out[0]), log);
  close(out[0]);
  if (child < 0 || started.url_.empty())
    return fail(ErrorCode::kInternal, fmt::format("{}/localaws did not start: see {}", bin, log));
  return started;
}

EmbeddedAws::EmbeddedAws(EmbeddedAws&& other) noexcept
    : child_(std::exchange(other.child_, -1)),
      url_(std::move(other.url_)),
      log_(std::move(other.log_)) {}

EmbeddedAws::~EmbeddedAws() {
  if (child_ <= 0) return;
  kill(child_, SIGTERM);
  waitpid(child_, nullptr, 0);
}

Result<json::Document> EmbeddedAws::control(std::string_view method, std::string_view path,
                                            std::string body) const {
  http::CurlTransport transport({}, system_clock());
  const http::Request request{
      std::string(method), fmt::format("{}/_localaws/{}", url_, path), {}, std::move(body)};
  TRY(const http::Response response,
      http::send(transport, request,
                 Deadline::at(Deadline::Clock::now() + std::chrono::seconds(60))));
  if (response.status != 200)
    return fail(ErrorCode::kInternal,
                fmt::format("{} {}: {}, {}", method, path, response.status, response.body));
  return json::Document::parse(response.body);
}

std::string EmbeddedAws::log() const {
  std::ostringstream out;
  out << std::ifstream(log_).rdbuf();
  return out.str();
}

}  // namespace trainwarden::demo
