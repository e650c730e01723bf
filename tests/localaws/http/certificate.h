// Certificates made for one run: a root of its own, and a certificate for localhost and 127.0.0.1
// that it issued. Whoever trusts the root can reach this localaws by https, and nothing else.
#pragma once

#include <string>
#include <utility>

#include "runtime/base/result.h"

namespace trainwarden::localaws {

struct Certificates {
  std::string root;  // all PEM
  std::string host;
  std::string host_key;
};

Result<Certificates> make_certificates();

// A new file below the folder for temporary files, removed when this goes.
class TemporaryFile {
 public:
  static Result<TemporaryFile> write(const std::string& content);
  TemporaryFile(TemporaryFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace trainwarden::localaws
