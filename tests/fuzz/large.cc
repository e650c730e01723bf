#include "tests/fuzz/large.h"

#include <fmt/core.h>

#include <fstream>
#include <functional>
#include <iterator>

#include "tests/fuzz/targets.h"

namespace trainwarden::fuzz {
namespace {

constexpr std::size_t kAbout = 1'000'000;

std::string seed(std::string_view path) {
  std::ifstream in("tests/fuzz/seeds/" + std::string(path), std::ios::binary);
  require(in.good(), "the seeds are there");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string list(const std::function<std::string(int)>& item) {
  std::string text = item(0);
  for (int i = 1; text.size() < kAbout; ++i) text.append(",").append(item(i));
  return text;
}

// Puts `items` behind the first `opening` of the text.
std::string with(std::string text, std::string_view opening, std::string_view items) {
  const std::size_t at = text.find(opening);
  require(at != std::string::npos, "the seed has what is to be enlarged");
  return text.insert(at + opening.size(), items);
}

std::string tag(int i) { return fmt::format(R"("key-{}": "value {}")", i, i); }

std::string rule(int i) {
  return fmt::format(
      R"({{"name": "r{}", "match": {{"tags": {{"key-{}": [{{"exists": false}}, {{"wildcard": "a*b"}}]}}}},
           "actions": ["notify"]}})",
      i, i);
}

}  // namespace

std::string large_input(std::string_view target) {
  if (target == "json") return "[" + list([](int) { return seed("json/values.json"); }) + "]";
  if (target == "policy")
    return R"({"version": 1, "mode": "enforce", "rules": [)" + list(rule) + "]}";
  if (target == "state_event")
    return with(seed("state_event/official_documentation.json"), R"("Tags": {)", list(tag));
  if (target == "alarm_event") {
    const std::string text = seed("alarm_event/lambda_envelope.json");
    const std::size_t open = text.find('[') + 1;
    const std::string record = text.substr(open, text.rfind(']') - open);
    return text.substr(0, open) + list([&](int) { return record; }) + "]}";
  }
  if (target == "job") return with(seed("job/failed.json"), R"("tags": {)", list(tag) + ",");
  if (target == "http_response") {
    std::string text = seed("http_response/chunked.txt");
    const std::size_t first = text.find("3\r\nabc\r\n");
    const std::string chunk = text.substr(first, 8);
    std::string chunks;
    while (chunks.size() < kAbout) chunks += chunk;
    return text.insert(first, chunks);
  }
  require(target == "diagnose", "every target has a large input");
  std::string text = seed("diagnose/traceback.txt");
  while (text.size() < kAbout) text += text;
  return text;
}

}  // namespace trainwarden::fuzz
