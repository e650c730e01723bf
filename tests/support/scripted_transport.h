// A transport that plays a script: each request must be the next expected one, and gets the answer
// that stands beside it. An unexpected request and a left-over exchange both fail the test.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/http/transport.h"
#include "tests/support/transcript.h"

namespace trainwarden::testing {

class ScriptedTransport final : public http::Transport {
 public:
  using Answer = std::function<Result<http::Response>(const http::Request&)>;

  ScriptedTransport() = default;
  ScriptedTransport(const ScriptedTransport&) = delete;
  ScriptedTransport& operator=(const ScriptedTransport&) = delete;
  ~ScriptedTransport() override {
    for (const Exchange& left : script_) ADD_FAILURE() << "never asked for: " << left.wanted;
  }

  // wanted: what the request must contain, in "METHOD url", in its X-Amz-Target or in its body.
  ScriptedTransport& expect(std::string wanted, Answer answer) {
    script_.push_back({std::move(wanted), std::move(answer)});
    return *this;
  }
  ScriptedTransport& expect(std::string wanted, int status, std::string body = "{}",
                            http::Headers headers = {}) {
    return expect(std::move(wanted), [=](const http::Request&) -> Result<http::Response> {
      return http::Response{status, headers, body};
    });
  }
  ScriptedTransport& expect_error(std::string wanted, ErrorCode code) {
    return expect(std::move(wanted), [code](const http::Request&) -> Result<http::Response> {
      return fail(code, "scripted");
    });
  }

  std::vector<Result<http::Response>> send(std::span<const http::Request> requests,
                                           Deadline deadline) override {
    batches.push_back(requests.size());
    deadlines.push_back(deadline);
    std::vector<Result<http::Response>> results;
    for (const http::Request& request : requests) results.push_back(answer(request));
    return results;
  }

  std::vector<http::Request> sent;   // in order
  std::vector<std::size_t> batches;  // how many went out together
  std::vector<Deadline> deadlines;   // of each batch

 private:
  struct Exchange {
    std::string wanted;
    Answer answer;
  };

  static std::string text(const http::Request& request) {
    std::string all = request.method + " " + request.url + "\n";
    for (const http::Header& header : request.headers)
      if (header.name == "X-Amz-Target") all += header.value + "\n";
    return all + request.body;
  }

  Result<http::Response> answer(const http::Request& request) {
    sent.push_back(request);
    transcribe("request", text(request));
    if (script_.empty()) {
      ADD_FAILURE() << "unexpected request: " << text(request);
      return fail(ErrorCode::kInternal, "unexpected request");
    }
    const Exchange next = std::move(script_.front());
    script_.pop_front();
    EXPECT_NE(text(request).find(next.wanted), std::string::npos)
        << "expected " << next.wanted << "\nfound " << text(request);
    return next.answer(request);
  }

  std::deque<Exchange> script_;
};

}  // namespace trainwarden::testing
