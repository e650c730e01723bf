// The jobs that Search lists for a sweep (policy.md S1), a hundred per call. Search only nominates:
// the jobs named here need a closer look.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/rules/decide/nominate.h"

namespace trainwarden::actions {

struct JobCensus {
  std::size_t seen = 0;
  std::vector<std::string> nominated;  // in the order in which to look at them
  std::vector<std::uint64_t> names;    // name_hash of every job seen, sorted
  std::vector<std::string> too_large;  // jobs whose records are larger than what is read
  // Why the census is incomplete: the error of the call that failed. kDeadline if time ran out,
  // kTimeout if it ran out during a call.
  std::optional<Error> cut;

  bool has(std::string_view job) const;
};

// Whether the job needs a closer look, by what Search returns of it.
using Nominate = std::function<bool(const rules::Sources& search)>;

// The CreationTime to begin at; nullopt: begin with the oldest job, without a second half.
using Start = std::optional<sys_seconds>;

// Takes a census, a page per call (awsapi/page_walk.h), by CreationTime: first from `start` to the
// youngest job, then from the oldest job to `start`. It must outlive its pages.
class JobListing {
 public:
  // Jobs that are not over: in progress, or stopping, however long ago that began.
  static JobListing running(Start start, Nominate nominate);
  // Jobs that ended within kCopiedWithin, and some others that changed within it.
  static JobListing ended(Start start, sys_seconds now, Nominate nominate);
  // Jobs that are over and changed since `since`. Search knows no time of a job's end.
  static JobListing changed(Start start, sys_seconds since, Nominate nominate);

  aws::Pages from_start() { return pages("GreaterThanOrEqualTo"); }
  aws::Pages up_to_start() { return pages("LessThan"); }  // unless the first half was cut
  // Call it with the result of each half.
  void note(const Result<void>& walked);
  bool has_second_half() const { return start_ && !census_.cut; }
  // Where the next census goes on: at the job listed last; nullopt if this census is complete.
  Start cursor() const { return census_.cut ? cursor_ : std::nullopt; }
  JobCensus finish();

 private:
  struct Filter {
    std::string_view name;
    std::string_view comparison;
    std::string value;
  };

  JobListing(std::vector<Filter> filters, Start start, Nominate nominate)
      : filters_(std::move(filters)),
        start_(start),
        cursor_(start),
        nominate_(std::move(nominate)) {}
  aws::Pages pages(std::string_view side);
  void read(json::Value results);

  std::vector<Filter> filters_;
  Start start_;
  Start cursor_;
  Nominate nominate_;
  JobCensus census_;
};

// Where to begin if the last cursor is unknown. It is random, so that every job gets its turn even
// if time always runs out. The age is spread evenly on a logarithmic scale from seconds to 28 days,
// the longest that a job may take. random: from [0, 1).
sys_seconds random_start(sys_seconds now, double random);

// A hash of the name. Two different names share it with a chance of about one in 10^19.
std::uint64_t name_hash(std::string_view name);

}  // namespace trainwarden::actions
