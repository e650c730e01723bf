// A client whose requests go to a script.
#pragma once

#include <gtest/gtest.h>

#include "awsapi/client.h"
#include "awsapi/sagemaker.h"
#include "tests/support/manual_clock.h"
#include "tests/support/scripted_transport.h"

namespace trainwarden::aws::client_fixture {

using std::chrono::milliseconds;
using testing::ManualClock;
using testing::ScriptedTransport;

class ClientTest : public ::testing::Test {
 protected:
  CallContext context(milliseconds left = milliseconds(60'000)) {
    return {clock_.in(left), "Root=1-2;Sampled=1", &made_};
  }
  Call describe() { return SageMaker::describe_training_job_call(*JobName::parse("job-1")); }

  ManualClock clock_{sys_millis(milliseconds(1783000213000))};
  ScriptedTransport transport_;
  std::vector<CallMade> made_;
  Client client_{{{"AKIDEXAMPLE", Secret("secret"), Secret("token")},
                  "eu-central-1",
                  3,
                  Endpoints::all_at("https://api.example/")},
                 transport_,
                 clock_,
                 [] { return 0.5; }};
};

inline std::string header(const http::Request& request, std::string_view name) {
  for (const auto& h : request.headers)
    if (h.name == name) return h.value;
  return "(none)";
}

}  // namespace trainwarden::aws::client_fixture
