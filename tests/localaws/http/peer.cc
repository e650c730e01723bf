#include "tests/localaws/http/peer.h"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace trainwarden::localaws {
namespace {

// The inode of the socket with these ports; empty: none. The lines of /proc/net/tcp are
// "sl local remote st tx:rx tr:when retransmits uid timeout inode …", ports in hexadecimal.
std::string inode_of(int from, int to) {
  std::ifstream table("/proc/net/tcp");
  const std::string from_end = fmt::format(":{:04X}", from);
  const std::string to_end = fmt::format(":{:04X}", to);
  std::string line;
  while (std::getline(table, line)) {
    std::istringstream fields(line);
    std::string slot;
    std::string local;
    std::string remote;
    std::string skipped;
    std::string inode;
    fields >> slot >> local >> remote;
    if (!local.ends_with(from_end) || !remote.ends_with(to_end)) continue;
    for (int i = 0; i < 6; ++i) fields >> skipped;
    if (fields >> inode) return inode;
  }
  return {};
}

bool holds(pid_t pid, const std::string& link) {
  std::error_code error;
  std::filesystem::directory_iterator at(fmt::format("/proc/{}/fd", pid), error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    std::error_code gone;
    if (std::filesystem::read_symlink(at->path(), gone) == link) return true;
  }
  return false;
}

}  // namespace

std::optional<std::size_t> holder_of(int peer_port, int local_port,
                                     const std::vector<pid_t>& pids) {
  const std::string inode = inode_of(peer_port, local_port);
  if (inode.empty() || inode == "0") return std::nullopt;
  const std::string link = fmt::format("socket:[{}]", inode);
  for (std::size_t i = 0; i < pids.size(); ++i)
    if (pids[i] > 0 && holds(pids[i], link)) return i;
  return std::nullopt;
}

}  // namespace trainwarden::localaws
