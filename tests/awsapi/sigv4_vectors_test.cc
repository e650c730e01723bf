// The official Signature Version 4 cases, in their header form, read from beside the repository.
// The product never presigns a URL, so the query form is not run.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "awsapi/sigv4.h"
#include "runtime/json/json.h"
#include "tests/support/files.h"

namespace trainwarden::aws::sigv4_vectors_test {
namespace {

using testing::read_text;

struct Case {
  http::Request request;
  Credentials credentials;
  Scope scope;
  sys_seconds now;
  SigningOptions options;
};

std::string without_end(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// "METHOD target HTTP/1.1", headers (a line that begins with white space belongs to the one
// before), an empty line, a body.
http::Request parse_request(const std::string& text) {
  const std::size_t head_end = text.find("\n\n");
  const std::string head = text.substr(0, head_end);
  http::Request request;
  if (head_end != std::string::npos) request.body = text.substr(head_end + 2);
  std::string target;
  std::string host;
  std::size_t line_begin = 0;
  while (line_begin < head.size()) {
    const std::size_t line_end = std::min(head.find('\n', line_begin), head.size());
    const std::string line = head.substr(line_begin, line_end - line_begin);
    line_begin = line_end + 1;
    if (request.method.empty()) {
      const std::size_t first = line.find(' ');
      request.method = line.substr(0, first);
      target = line.substr(first + 1, line.rfind(' ') - first - 1);
    } else if (line.starts_with(' ') || line.starts_with('\t')) {
      request.headers.back().value += "\n" + line;
    } else if (const std::size_t colon = line.find(':'); colon != std::string::npos) {
      request.headers.push_back({line.substr(0, colon), line.substr(colon + 1)});
      if (request.headers.back().name == "Host") host = request.headers.back().value;
    }
  }
  request.url = "https://" + host + target;
  return request;
}

Case load(const std::filesystem::path& folder) {
  const auto document = json::Document::parse(read_text(folder / "context.json"));
  const json::Value context = document->root();
  const json::Value keys = *context.find("credentials");
  const auto text = [](json::Value object, const char* name) {
    const auto value = object.find(name);
    return value ? std::string(value->as_string()) : std::string();
  };
  const auto flag = [&](const char* name) {
    const auto value = context.find(name);
    return value && value->as_boolean();
  };
  return {parse_request(read_text(folder / "request.txt")),
          {text(keys, "access_key_id"), Secret(text(keys, "secret_access_key")),
           Secret(text(keys, "token"))},
          {text(context, "region"), text(context, "service")},
          *parse_rfc3339(text(context, "timestamp")),
          {flag("normalize"), flag("sign_body"), !flag("omit_session_token")}};
}

TEST(SigV4Vectors, AllStagesAgree) {
  const auto folders = testing::files_in(testing::kShared / "vectors/sigv4");
  int ran = 0;
  for (const auto& folder : folders) {
    if (!std::filesystem::is_directory(folder)) continue;
    SCOPED_TRACE(folder.filename().string());
    ++ran;
    const Case vector = load(folder);
    const http::Request signed_request =
        sign(vector.request, vector.credentials, vector.scope, vector.now, vector.options);

    // The stages, from the request as it is signed.
    http::Request staged = signed_request;
    std::erase_if(staged.headers, [&](const http::Header& h) {
      return h.name == "Authorization" ||
             (h.name == "X-Amz-Security-Token" && !vector.options.sign_session_token);
    });
    const std::string canonical =
        canonical_request(staged, sha256_hex(staged.body), vector.options);
    EXPECT_EQ(canonical, without_end(read_text(folder / "header-canonical-request.txt")));
    const std::string to_sign = string_to_sign(canonical, vector.scope, vector.now);
    EXPECT_EQ(to_sign, without_end(read_text(folder / "header-string-to-sign.txt")));
    const std::string expected = without_end(read_text(folder / "header-signature.txt"));
    EXPECT_EQ(signature(vector.credentials.secret_access_key, vector.scope, vector.now, to_sign),
              expected);

    // The whole.
    const http::Request wanted = parse_request(read_text(folder / "header-signed-request.txt"));
    std::string authorization;
    for (const auto& header : signed_request.headers)
      if (header.name == "Authorization") authorization = header.value;
    std::string wanted_authorization;
    for (const auto& header : wanted.headers)
      if (header.name == "Authorization") wanted_authorization = header.value;
    EXPECT_EQ(authorization, wanted_authorization);
    EXPECT_EQ(signed_request.headers.size(), wanted.headers.size());
  }
  if (ran == 0) GTEST_SKIP() << "38 cases need ../shared/vectors/sigv4, which is not here";
  EXPECT_EQ(ran, 38);
  RecordProperty("cases", ran);
}

}  // namespace
}  // namespace trainwarden::aws::sigv4_vectors_test
