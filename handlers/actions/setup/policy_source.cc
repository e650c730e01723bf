#include "handlers/actions/setup/policy_source.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "runtime/base/errno_text.h"

namespace trainwarden::actions {
namespace {

class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  int descriptor() const { return descriptor_; }
  // The file's size in bytes; 0 if it has none, as a pipe.
  std::size_t size() const {
    struct stat about{};
    return fstat(descriptor_, &about) == 0 ? static_cast<std::size_t>(about.st_size) : 0;
  }

 private:
  int descriptor_;
};

std::unexpected<Error> unreadable(const std::string& path, std::string_view why) {
  return fail(ErrorCode::kInvalidConfig,
              fmt::format("file `{}`: expected a readable file, found: {}", path, why));
}

Result<rules::Policy> load_file(const std::string& path) {
  TRY(const std::string text, read_file(path));
  auto policy = rules::parse_policy(text);
  if (!policy) return fail(std::move(policy).error().in(fmt::format("policy file `{}`", path)));
  return policy;
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  constexpr std::size_t kMax = std::size_t{16} << 20U;
  constexpr std::size_t kPiece = std::size_t{64} << 10U;
  const OpenFile file(path);
  if (file.descriptor() < 0) return unreadable(path, errno_text(errno));
  const std::size_t size = std::min(file.size(), kMax);
  std::string text;
  // Read directly into the text, with room for one byte more, which tells the end of the file.
  for (std::size_t room = size > 0 ? size + 1 : kPiece;;) {
    const std::size_t had = text.size();
    ssize_t got = 0;
    text.resize_and_overwrite(had + room, [&](char* to, std::size_t) {
      got = ::read(file.descriptor(), to + had, room);
      return had + static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    });
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(path, "a folder, or a read error");
    if (text.size() > kMax) return unreadable(path, "more than 16 MiB");
    // A regular file ends when its size has been read; other readable things have no size.
    if (got == 0 || (text.size() == size && size < kMax)) return text;
    room -= static_cast<std::size_t>(got);
    if (room == 0) room = kPiece;
  }
}

std::string program_folder() {
  std::array<char, 4096> path;  // NOLINT: readlink() fills it
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return {};
  const std::string_view program(path.data(), static_cast<std::size_t>(length));
  return std::string(program.substr(0, program.rfind('/')));
}

Result<rules::Policy> load_policy(std::string_view source, std::string_view folder) {
  if (source.empty()) return load_file(fmt::format("{}/policy.json", folder));
  if (source.starts_with("file:")) return load_file(std::string(source.substr(5)));
  const std::size_t begin = source.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos && (source[begin] == '{' || source[begin] == '/')) {
    auto policy = rules::parse_policy(source);
    if (!policy)
      return fail(std::move(policy).error().in("environment variable TRAINWARDEN_POLICY"));
    return policy;
  }
  constexpr std::size_t kShown = 200;
  return fail(
      ErrorCode::kInvalidConfig,
      fmt::format("environment variable TRAINWARDEN_POLICY: expected file:PATH or the policy "
                  "itself, found `{}`",
                  source.substr(0, kShown)));
}

}  // namespace trainwarden::actions
