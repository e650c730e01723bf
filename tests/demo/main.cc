// `./dev demo`: what Trainwarden does, told as it happens on the embedded AWS. Nothing is made up:
// each line is printed from calls, tags, alarms and messages that were seen there. Fails where a
// scene comes out otherwise. With arguments it plays only the scenes that they name, and --html
// FILE writes what `trainwarden report` shows of the account afterwards. Exit status: 1 where the
// demo failed, 2 where an argument names no scene or the sources are not there.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/print.h"
#include "runtime/http/curl_transport.h"
#include "tests/demo/demo_report.h"
#include "tests/demo/scenes.h"

namespace trainwarden::demo {
namespace {

constexpr const char* kPolicy = "tests/demo/policy.json";
constexpr const char* kLog = "build/demo.log";

Result<json::Document> read_policy() {
  std::ostringstream text;
  text << std::ifstream(kPolicy).rdbuf();
  return json::Document::parse(text.str(), json::Syntax::kRelaxed);
}

struct Scene {
  std::string_view name;
  Result<void> (*play)(Stage&);
};
constexpr std::array kScenes = {Scene{"weekend", weekend},
                                Scene{"lost-machine", lost_machine},
                                Scene{"spot", thrashing_spot_job},
                                Scene{"bug", job_with_a_bug},
                                Scene{"owner", job_without_an_owner},
                                Scene{"grace", announced_stop}};

std::string usage() {
  std::string scenes;
  for (const Scene& scene : kScenes) scenes += fmt::format(" {}", scene.name);
  return fmt::format(
      "usage: ./dev demo [--html FILE] [SCENE...]\nPlays the scenes on an embedded AWS; without a "
      "name, all of them:{}\n--html: writes what trainwarden report shows of the account then\n",
      scenes);
}

// Takes --html FILE out of the arguments; empty: it is not there. nullopt: without a file.
std::optional<std::string> take_page(std::vector<std::string_view>& arguments) {
  const auto option = std::ranges::find(arguments, "--html");
  if (option == arguments.end()) return "";
  if (option + 1 == arguments.end() || (option + 1)->empty()) return std::nullopt;
  std::string page(*(option + 1));
  arguments.erase(option, option + 2);
  return page;
}

// The exit status where there is nothing to play.
std::optional<int> answer_at_once(const std::vector<std::string_view>& arguments) {
  for (const std::string_view argument : arguments) {
    if (argument == "--help" || argument == "-h" || argument == "help") {
      print(stdout, usage());
      return 0;
    }
    if (std::ranges::find(kScenes, argument, &Scene::name) != kScenes.end()) continue;
    print(stderr, fmt::format("demo: no scene `{}`\n{}", argument, usage()));
    return 2;
  }
  return std::nullopt;
}

// wanted: the scenes to play; empty: all. page: where the report goes; empty: nowhere.
Result<void> run(const std::string& bin, const std::vector<std::string_view>& wanted,
                 const std::string& page) {
  TRY(const EmbeddedAws cloud, EmbeddedAws::start(bin, kPolicy, kLog));
  http::CurlTransport transport({}, system_clock());
  aws::Client client({{"test", Secret("test"), Secret()},
                      std::string(kRegion),
                      3,
                      aws::Endpoints::all_at(cloud.url() + "/")},
                     transport, system_clock(), [] { return 0.5; });
  TRY(json::Document policy, read_policy());
  Stage stage(cloud, client, std::move(policy));
  CHECK_OK(stage.prepare());
  print(stdout,
        fmt::format("Trainwarden's two functions on an embedded AWS: {}, account {}.\n"
                    "The policy is {}. Times are UTC. What lies before {} is put into the past.\n",
                    kRegion, kAccount, kPolicy, when(system_clock().now())));
  for (const Scene& scene : kScenes)
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), scene.name) != wanted.end())
      CHECK_OK(scene.play(stage));
  if (!page.empty()) CHECK_OK(write_report(bin, cloud, kPolicy, page));
  print(stdout, fmt::format("\nEach signature was verified. The functions' log: {}\n", kLog));
  return {};
}

}  // namespace
}  // namespace trainwarden::demo

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that has gone, as `| head` does, ends no scene halfway
  std::string bin = argc > 0 ? argv[0] : "";
  bin.resize(bin.rfind('/') == std::string::npos ? 0 : bin.rfind('/'));
  std::vector<std::string_view> arguments(argv + std::min(argc, 1), argv + argc);
  const auto page = trainwarden::demo::take_page(arguments);
  if (!page) {
    trainwarden::print(stderr,
                       fmt::format("demo: --html needs a file\n{}", trainwarden::demo::usage()));
    return 2;
  }
  if (const auto status = trainwarden::demo::answer_at_once(arguments)) return *status;
  if (bin.empty() || !std::ifstream(trainwarden::demo::kPolicy)) {
    trainwarden::print(stderr,
                       "demo: it needs the folder of the sources: ./dev demo starts it there\n");
    return 2;
  }
  const auto done = trainwarden::demo::run(bin, arguments, *page);
  if (done) return 0;
  std::fflush(stdout);
  std::fputs(fmt::format("\ndemo: {}: this is a defect. See {}\n", done.error().message,
                         trainwarden::demo::kLog)
                 .c_str(),
             stderr);
  return 1;
}
