// The command line of localaws, and the credentials of its environment.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/environment.h"
#include "runtime/base/result.h"
#include "tests/localaws/http/sigv4_verify.h"

namespace trainwarden::localaws {

struct Options {
  bool help = false;
  int port = 4566;  // 0: any free one
  std::string region = "us-east-1";
  std::string account = "111122223333";
  std::string policy;  // paths, absolute; empty: not given
  std::string state;
  std::string alarm;
  std::string record;
  std::chrono::milliseconds timeout{60'000};
  std::chrono::seconds sweep{0};       // between scheduled events for the state function; 0: none
  std::chrono::seconds search_lag{0};  // Search sees the jobs as they were so long ago
  std::chrono::milliseconds index_lag{20};  // the table's index sees writes so much later
  int alarm_calls = 0;          // that change alarms, a second and operation; 0: any number
  std::size_t concurrency = 1;  // processes of a function
  bool tls = false;
  bool old_logs = false;     // FilterLogEvents refuses startFromHead
  bool fixed_pages = false;  // Search refuses a NextToken with other MaxResults
  bool people = false;  // a topic for people from the start, to which the functions' notices go
  bool quiet = false;   // what is published is not printed
};

std::string_view usage();

// kInvalidInput says what is wrong and what was expected. Files that must exist are looked for.
Result<Options> parse_options(const std::vector<std::string_view>& arguments);

// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN where set; else test, test and no
// token.
Result<Credentials> credentials_from(const Environment& environment);

}  // namespace trainwarden::localaws
