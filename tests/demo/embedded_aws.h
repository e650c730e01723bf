// localaws as a child process with the state function in it, for as long as this object lives.
#pragma once

#include <sys/types.h>

#include <string>

#include "runtime/base/result.h"

namespace trainwarden::demo {

class EmbeddedAws {
 public:
  // bin: the folder of the built programs. log: where localaws and the functions write.
  static Result<EmbeddedAws> start(const std::string& bin, const std::string& policy,
                                   const std::string& log);
  EmbeddedAws(EmbeddedAws&& other) noexcept;
  EmbeddedAws& operator=(EmbeddedAws&&) = delete;
  ~EmbeddedAws();

  const std::string& url() const { return url_; }

 private:
  EmbeddedAws(pid_t child, std::string url) : child_(child), url_(std::move(url)) {}

  pid_t child_;
  std::string url_;
};

}  // namespace trainwarden::demo
