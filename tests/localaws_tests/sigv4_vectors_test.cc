// The 38 official Signature Version 4 cases, header variant: each stage against what AWS published.
// They are not part of this repository; where they are missing, the test says so and is skipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/json/json.h"
#include "tests/localaws/http/sigv4_canonical.h"
#include "tests/localaws/service/crypto.h"
#include "tests/support/files.h"

namespace trainwarden::localaws::sigv4_vectors_test {
namespace {

namespace fs = std::filesystem;
using testing::read_text;

constexpr std::size_t kCases = 38;

struct RawRequest {
  std::string method;
  std::string path;
  std::string query;
  Headers headers;
  std::string body;
};

RawRequest parse_request(const std::string& text) {
  RawRequest out;
  const std::size_t head_end = text.find("\n\n");
  const std::string head = text.substr(0, head_end);
  if (head_end != std::string::npos) out.body = text.substr(head_end + 2);
  std::size_t begin = 0;
  bool first = true;
  while (begin < head.size()) {
    const std::size_t end = std::min(head.find('\n', begin), head.size());
    const std::string line = head.substr(begin, end - begin);
    begin = end + 1;
    if (first) {  // "GET /path with spaces?query HTTP/1.1"
      first = false;
      const std::size_t space = line.find(' ');
      out.method = line.substr(0, space);
      const std::string target = line.substr(space + 1, line.rfind(' ') - space - 1);
      const std::size_t mark = target.find('?');
      out.path = target.substr(0, mark);
      if (mark != std::string::npos) out.query = target.substr(mark + 1);
    } else if (line.starts_with(' ')) {
      out.headers.back().value += "\n" + line;
    } else {
      const std::size_t colon = line.find(':');
      out.headers.push_back({line.substr(0, colon), line.substr(colon + 1)});
    }
  }
  return out;
}

std::string text(json::Value value, std::string_view name) {
  const auto found = value.find(name);
  return found && found->is_string() ? std::string(found->as_string()) : "";
}

bool flag(json::Value value, std::string_view name) {
  const auto found = value.find(name);
  return found && found->is_boolean() && found->as_boolean();
}

void run_case(const fs::path& path) {
  SCOPED_TRACE(path.filename().string());
  const auto context = json::Document::parse(read_text(path / "context.json"));
  ASSERT_TRUE(context.has_value());
  const json::Value root = context->root();
  const json::Value credentials = *root.find("credentials");
  RawRequest request = parse_request(read_text(path / "request.txt"));
  const std::string digest = sha256_hex(request.body);
  std::string stamp = text(root, "timestamp");  // 2015-08-30T12:36:00Z
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
  request.headers.push_back({"X-Amz-Date", stamp});
  const std::string token = text(credentials, "token");
  if (!token.empty() && !flag(root, "omit_session_token"))
    request.headers.push_back({"X-Amz-Security-Token", token});
  if (flag(root, "sign_body")) request.headers.push_back({"x-amz-content-sha256", digest});
  std::vector<std::string> names;
  for (const Header& header : request.headers) names.push_back(lower(header.name));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());

  const CredentialScope scope{stamp.substr(0, 8), text(root, "region"), text(root, "service")};
  const std::string canonical = canonical_request({.method = request.method,
                                                   .path = request.path,
                                                   .query = request.query,
                                                   .headers = request.headers,
                                                   .signed_names = names,
                                                   .payload_sha256 = digest,
                                                   .normalize_path = flag(root, "normalize")});
  EXPECT_EQ(canonical, read_text(path / "header-canonical-request.txt"));
  const std::string to_sign = string_to_sign(stamp, scope, canonical);
  EXPECT_EQ(to_sign, read_text(path / "header-string-to-sign.txt"));
  EXPECT_EQ(signature(text(credentials, "secret_access_key"), scope, to_sign),
            read_text(path / "header-signature.txt"));
}

TEST(SigV4Vectors, AllStagesOfAllCases) {
  std::vector<fs::path> cases = testing::files_in(testing::kShared / "vectors/sigv4");
  std::erase_if(cases, [](const fs::path& path) { return !fs::is_directory(path); });
  if (cases.empty())
    GTEST_SKIP() << kCases << " cases need ../shared/vectors/sigv4, which is not here";
  EXPECT_EQ(cases.size(), kCases);
  for (const fs::path& path : cases) run_case(path);
}

}  // namespace
}  // namespace trainwarden::localaws::sigv4_vectors_test
