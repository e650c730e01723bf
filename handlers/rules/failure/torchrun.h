// torchrun's table of failures: the process that failed first, and those that it ended because of
// that.
//
//   Failures:
//   [1]:
//     time      : 2024-05-01_10:00:02
//     rank      : 1 (local_rank: 1)
//     exitcode  : -15 (pid: 141)
//     traceback : Signal 15 (SIGTERM) received by PID 141
//   Root Cause (first observed failure):
//   [0]:
//     …
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "handlers/rules/failure/failure_text.h"

namespace trainwarden::rules {

class TorchrunTable {
 public:
  explicit TorchrunTable(const FailureText& text);

  // Whether the table names a root cause.
  bool names_a_root() const { return root_.entry.begin != root_.entry.end; }
  // Whether the root cause said what stands in a line: it is of its rank, or in its entry.
  bool of_root(const FailureText& text, std::size_t line) const;
  // Whether a line tells of a process that failed later than the root cause did.
  bool of_another(std::size_t line) const;

 private:
  struct Entries {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  struct Root {
    Entries entry;
    std::optional<std::uint64_t> when;
    std::optional<int> rank;
    std::optional<int> local_rank;
  };
  std::vector<Entries> others_;
  Root root_;
};

}  // namespace trainwarden::rules
