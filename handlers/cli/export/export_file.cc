#include "handlers/cli/export/export_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>
#include <vector>

#include "runtime/base/errno_text.h"

namespace trainwarden::cli {
namespace {

constexpr mode_t kOwnerOnly = 0600;

std::unexpected<Error> not_opened(const std::string& path, int why) {
  return fail(ErrorCode::kInvalidConfig, fmt::format("{}: {}", path, errno_text(why)));
}

// Whether a truncated line may be the first line of an export.
bool may_begin_export(std::string_view cut) {
  return cut.starts_with(kExportLine) || kExportLine.starts_with(cut);
}

bool is_regular(int file) {
  struct stat found = {};
  return fstat(file, &found) == 0 && S_ISREG(found.st_mode);
}

struct FreeLine {
  void operator()(char* line) const noexcept { std::free(line); }  // NOLINT: getline's
};

}  // namespace

void ExportFile::CloseStream::operator()(std::FILE* stream) const noexcept {
  if (stream == stdout)
    std::fflush(stream);
  else
    std::fclose(stream);  // NOLINT: opened by fdopen
}

Result<ExportFile> ExportFile::create(const std::string& path) {
  if (path.empty()) {
    if (is_regular(STDOUT_FILENO) && fchmod(STDOUT_FILENO, kOwnerOnly) != 0)
      return not_opened("standard output", errno);
    return ExportFile(stdout, "standard output");
  }
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwnerOnly);
  if (file < 0 && errno == EEXIST)
    return fail(ErrorCode::kConflict,
                fmt::format("{} is there already: --resume goes on with it", path));
  if (file < 0) return not_opened(path, errno);
  return ExportFile(fdopen(file, "w"), path);
}

Result<ExportFile> ExportFile::resume(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0 && errno == ENOENT) return create(path);
  if (file < 0 && errno == ELOOP)
    return fail(ErrorCode::kInvalidInput,
                fmt::format("{}: expected a file, found a symbolic link: name the file that it "
                            "leads to",
                            path));
  if (file < 0) return not_opened(path, errno);
  ExportFile out(fdopen(file, "r+"), path);
  if (!is_regular(file))
    return fail(ErrorCode::kInvalidInput,
                fmt::format("{}: expected a file, found a pipe or a device", path));
  TRY(const off_t whole, out.read_back());
  // Only now: a file that is no export must stay as it was.
  if (fchmod(file, kOwnerOnly) != 0) return not_opened(path, errno);
  if (out.is_whole_) return out;
  if (std::fseek(out.stream_.get(), whole, SEEK_SET) != 0 || ftruncate(file, whole) != 0)
    return out.unwritable(errno);
  return out;
}

Result<off_t> ExportFile::read_back() {
  std::unique_ptr<char, FreeLine> line;
  std::size_t room = 0;
  off_t at = 0;
  off_t whole = 0;                  // after the last line that closes a day
  std::vector<std::string> of_day;  // types of a day that may be incomplete
  const auto no_export = [&] {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("{}: expected an export, which begins with {{\"export\": …}}", path_));
  };
  for (;;) {
    char* text = line.release();
    const ssize_t size = getline(&text, &room, stream_.get());
    line.reset(text);
    if (size <= 0) break;
    at += size;
    const std::string_view read(text, static_cast<std::size_t>(size));
    if (!read.ends_with('\n')) {
      if (!header_ && !may_begin_export(read)) return no_export();
      break;
    }
    if (!header_) {
      header_ = read_header_line(read);
      if (!header_) return no_export();
      whole = at;
    } else if (const auto day = read_day_line(read)) {
      whole_until_ = day->until;
      jobs_ += day->jobs;
      types_.insert(of_day.begin(), of_day.end());
      of_day.clear();
      whole = at;
    } else if (is_end_line(read)) {
      is_whole_ = true;
    } else {
      for (std::string& type : types_in_job_line(read)) of_day.push_back(std::move(type));
    }
  }
  return whole;
}

Result<void> ExportFile::write(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stream_.get()) == text.size() &&
                       std::fflush(stream_.get()) == 0;
  return written ? Result<void>() : Result<void>(unwritable(errno));
}

std::unexpected<Error> ExportFile::unwritable(int why) const {
  return fail(ErrorCode::kInvalidConfig,
              fmt::format("{} cannot be written: {}", path_, errno_text(why)));
}

}  // namespace trainwarden::cli
