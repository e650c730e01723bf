// Where an export goes: a file of its owner's alone (0600), or standard output. It grows by whole
// days, so that one that was cut ends with a day that is whole, and can go on from there.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "handlers/cli/export_lines.h"
#include "runtime/base/result.h"

namespace trainwarden::cli {

class ExportFile {
 public:
  // path: empty for standard output, which is made 0600 where it is a file. kConflict: the file is
  // there already.
  static Result<ExportFile> create(const std::string& path);
  // Goes on with a file, after its last whole day; what stands behind that is taken away. One that
  // is not there is created. kInvalidInput: it is no export, and stays as it was.
  static Result<ExportFile> resume(const std::string& path);

  // What stands there already; nullopt of a new one.
  const std::optional<ExportHeader>& header() const { return header_; }
  const std::optional<sys_seconds>& whole_until() const { return whole_until_; }
  std::size_t jobs() const { return jobs_; }
  const std::set<std::string>& types() const { return types_; }
  bool is_whole() const { return is_whole_; }

  // All of it, or an error that names the file.
  Result<void> write(std::string_view text);

 private:
  struct CloseStream {
    void operator()(std::FILE* stream) const noexcept;
  };
  ExportFile(std::FILE* stream, std::string path) : stream_(stream), path_(std::move(path)) {}
  // Where the last whole day ends.
  Result<off_t> read_back();
  std::unexpected<Error> unwritable(int why) const;

  std::unique_ptr<std::FILE, CloseStream> stream_;
  std::string path_;
  std::optional<ExportHeader> header_ = {};
  std::optional<sys_seconds> whole_until_ = {};
  std::size_t jobs_ = 0;
  std::set<std::string> types_ = {};
  bool is_whole_ = false;
};

}  // namespace trainwarden::cli
