#include "tests/demo/demo_report.h"

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace trainwarden::demo {
namespace {

[[noreturn]] void become_report(const std::string& bin, const EmbeddedAws& cloud,
                                const std::string& policy, const std::string& page) {
  const std::string program = bin + "/trainwarden";
  const std::string region(kRegion);
  // The demo's own account, whatever the user's is.
  for (const char* variable : {"AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_MAX_ATTEMPTS"})
    unsetenv(variable);
  setenv("AWS_ACCESS_KEY_ID", "test", 1);
  setenv("AWS_SECRET_ACCESS_KEY", "test", 1);
  execl(program.c_str(), "trainwarden", "report", "--policy", policy.c_str(), "--last", "7d",
        "--endpoint-url", cloud.url().c_str(), "--region", region.c_str(), "--html", page.c_str(),
        static_cast<char*>(nullptr));
  _exit(127);
}

}  // namespace

Result<void> write_report(const std::string& bin, const EmbeddedAws& cloud,
                          const std::string& policy, const std::string& page) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) become_report(bin, cloud, policy, page);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
      WEXITSTATUS(status) != 0)
    return fail(ErrorCode::kInternal,
                fmt::format("{}/trainwarden report --html {} did not succeed", bin, page));
  return {};
}

}  // namespace trainwarden::demo
