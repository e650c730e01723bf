#include "handlers/actions/setup/policy_source.h"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace trainwarden::actions {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }  // NOLINT: opened by fopen
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
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rbe"));
  if (!file) return unreadable(path, std::strerror(errno));  // NOLINT(concurrency-mt-unsafe)
  std::string text;
  std::array<char, 16384> chunk{};
  while (const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
    text.append(chunk.data(), n);
    if (text.size() > kMax) return unreadable(path, "more than 16 MiB");
  }
  if (std::ferror(file.get()) != 0) return unreadable(path, "a folder, or a read error");
  return text;
}

std::string program_folder() {
  std::array<char, 4096> path{};
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
