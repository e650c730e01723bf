// How those are called that a log's lines are from: hosts, processes, tasks.
#pragma once

#include <cstddef>
#include <string_view>

namespace trainwarden::rules {

// The letters, digits and `_` that the text begins with.
std::string_view word_at(std::string_view text);

// Whether what stands in brackets names a process: `rank3`, `worker-2`.
bool names_a_process(std::string_view inside);

// Whether a name is one of a host: `ip-10-0-0-1`, `worker-3`, `node001`.
bool is_host(std::string_view name);

// Whether a name is what a process is there for: `trainer`, `worker-2`.
bool is_role(std::string_view name);

// `<info>    [2021-12-07 10:43:05] 087c0ee7 || `: a task of Determined.
struct TaskMark {
  std::size_t length = 0;  // 0: the text does not begin with one
  std::string_view level = {};
  std::string_view task = {};
};
TaskMark task_mark(std::string_view text);

}  // namespace trainwarden::rules
