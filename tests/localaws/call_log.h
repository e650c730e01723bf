// The AWS calls that the functions made: kept for GET /_localaws/calls, and, with --record, written
// as JSON lines that a judge with AWS's own models can read. Calls of other clients are not in it.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "tests/localaws/http/http_message.h"

namespace trainwarden::localaws {

struct Call {
  sys_millis time;
  std::string function;
  std::string service;
  std::string operation;
  std::string request;  // the body
  int status;
  std::string code;  // of the error; empty: none
};

class CallLog {
 public:
  // Opens the record, if any (path not empty), anew.
  Result<void> record_to(const std::string& path);

  void add(const HttpRequest& request, Call call);
  void clear() { calls_.clear(); }
  // A JSON array, oldest first.
  std::string as_json() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::vector<Call> calls_;
  std::unique_ptr<std::FILE, Close> record_;
};

}  // namespace trainwarden::localaws
