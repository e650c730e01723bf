// A client of the in-process AWS, or of what stands before it, that makes one attempt a call.
#pragma once

#include "awsapi/client.h"
#include "tests/support/aws/in_process_aws.h"

namespace trainwarden::testing {

// Both must outlive the client.
inline aws::Client one_attempt_client(http::Transport& aws, Clock& clock) {
  return {{{"AKIDEXAMPLE", Secret("s"), Secret()},
           kRegion,
           1,
           aws::Endpoints::all_at("https://api.example/")},
          aws,
          clock,
          [] { return 0.0; }};
}

}  // namespace trainwarden::testing
