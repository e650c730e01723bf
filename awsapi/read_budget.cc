#include "awsapi/read_budget.h"

#include <fmt/core.h>

namespace trainwarden::aws {

using std::chrono::milliseconds;

void ReadBudget::begin(milliseconds left) {
  bounds_ = true;
  full_time_ = time_ = std::clamp(left / 2, milliseconds(0), kTime);
  pages_ = kPages;
  bytes_ = kBytes;
}

std::optional<Error> ReadBudget::spent(std::string_view operation) const {
  if (pages_ <= 0)
    return Error{
        ErrorCode::kTooLarge,
        fmt::format("{}: {} pages were read for this job, and there are more", operation, kPages)};
  if (bytes_ == 0)
    return Error{ErrorCode::kTooLarge,
                 fmt::format("{}: {} MB were read for this job, and there is more", operation,
                             kBytes / 1'000'000)};
  if (time_ > milliseconds(0)) return std::nullopt;
  return Error{full_time_ < kTime ? ErrorCode::kDeadline : ErrorCode::kTooLarge,
               fmt::format("{}: reading for this job took {} ms, and there is more", operation,
                           full_time_.count())};
}

void ReadBudget::took(milliseconds time, std::size_t bytes) {
  time_ = std::max(time_ - time, milliseconds(0));
  --pages_;
  bytes_ -= std::min(bytes, bytes_);
}

}  // namespace trainwarden::aws
