// Where an export goes: a file that only its owner can access (0600), or standard output. It grows
// by whole days, so that an export that was cut off ends with a complete day and can go on from
// there.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "handlers/cli/export/export_lines.h"
#include "runtime/base/result.h"

namespace trainwarden::cli {

class ExportFile {
 public:
  // path: empty for standard output, whose mode is set to 0600 if it is a file. kConflict: the file
  // exists already.
  static Result<ExportFile> create(const std::string& path);
  // Continues a file after its last complete day; what follows that day is truncated. A file that
  // does not exist is created. kInvalidInput: it is not an export, and is left as it was.
  static Result<ExportFile> resume(const std::string& path);

  // What the file holds already; nullopt if it is new.
  const std::optional<ExportHeader>& header() const { return header_; }
  const std::optional<sys_seconds>& whole_until() const { return whole_until_; }
  std::size_t jobs() const { return jobs_; }
  const std::set<std::string>& types() const { return types_; }
  bool is_whole() const { return is_whole_; }

  // Writes the whole text, or returns an error that names the file.
  Result<void> write(std::string_view text);

 private:
  struct CloseStream {
    void operator()(std::FILE* stream) const noexcept;
  };
  ExportFile(std::FILE* stream, std::string path) : stream_(stream), path_(std::move(path)) {}
  // Reads the file from its beginning. Returns the offset at which the last complete day ends.
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
