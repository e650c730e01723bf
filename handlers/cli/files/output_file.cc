#include "handlers/cli/files/output_file.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

namespace trainwarden::cli {
namespace {

// The identity of a regular file; nullopt if there is none.
struct FileId {
  dev_t device;
  ino_t inode;
  bool operator==(const FileId&) const = default;
};

std::optional<FileId> file_id(const std::string& name) {
  struct stat found = {};
  const int failed = name == "-" ? fstat(STDIN_FILENO, &found) : stat(name.c_str(), &found);
  if (failed != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  return FileId{found.st_dev, found.st_ino};
}

}  // namespace

Result<void> check_not_an_input(std::string_view option, const std::string& output,
                                std::span<const std::string> inputs) {
  const auto written = file_id(output);
  for (const std::string& input : inputs)
    if (input == output || (written && file_id(input) == written))
      return fail(ErrorCode::kInvalidInput,
                  input == "-"
                      ? fmt::format("{} would overwrite standard input's file {}", option, output)
                      : fmt::format("{} would overwrite {}", option, input));
  return {};
}

Result<void> check_page_name(std::string_view option, const std::string& output) {
  if (!output.ends_with(".json") && !output.ends_with(".jsonl")) return {};
  return fail(
      ErrorCode::kInvalidInput,
      fmt::format("{}: expected a page's name such as report.html, found `{}`", option, output));
}

}  // namespace trainwarden::cli
