// Typed access to members of AWS's answers. A member that is missing, null or of another type is
// absent. Only for code that reads a job, its tags or an event once, at the edge, into a type of
// its own (training_job.h, job_tags.h); tests/layering lists that code.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// A time as AWS writes it (F2): epoch seconds or milliseconds, as a number or as digits, or RFC
// 3339.
std::optional<sys_seconds> read_time(json::Value value);

std::optional<double> number_of(json::Value object, std::string_view member);
std::optional<std::string_view> string_of(json::Value object, std::string_view member);
// As read_time.
std::optional<sys_seconds> time_of(json::Value object, std::string_view member);

// The status that AWS calls by that text; `otherwise`: it is none of these.
template <class Status, std::size_t N>
Status named(const std::array<std::pair<std::string_view, Status>, N>& names, std::string_view text,
             Status otherwise) {
  for (const auto& [name, status] : names)
    if (name == text) return status;
  return otherwise;
}

}  // namespace trainwarden::rules
