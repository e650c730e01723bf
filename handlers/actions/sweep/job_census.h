// The jobs that a sweep comes across (policy.md S1), a hundred a call. Search only nominates: the
// jobs named here are those that need a closer look.
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
  std::vector<std::string> nominated;  // in the order in which they are to be looked at
  std::vector<std::uint64_t> names;    // name_hash of every job seen, sorted
  // The call that failed, where the census is not whole; kDeadline where time ran out, kTimeout
  // where it ran out on a call.
  std::optional<Error> cut;

  bool has(std::string_view job) const;
};

// Which records need a look. Takes what Search tells of one job.
using Nominate = std::function<bool(const rules::Sources& search)>;

// Where to begin, by CreationTime; nullopt: with the oldest job, which takes no second half.
using Start = std::optional<sys_seconds>;

// Takes a census, a page a call (awsapi/page_walk.h), by CreationTime: from `start` on to the
// youngest job, then from the oldest to it. It must last as long as its pages.
class JobListing {
 public:
  static JobListing running(Start start, Nominate nominate);
  // Those that ended within kCopiedWithin, and some that changed since.
  static JobListing ended(Start start, sys_seconds now, Nominate nominate);
  // Those that are not in progress and changed since then: Search knows no time of an end.
  static JobListing changed(Start start, sys_seconds since, Nominate nominate);

  aws::Pages from_start() { return pages("GreaterThanOrEqualTo"); }
  aws::Pages up_to_start() { return pages("LessThan"); }  // unless the first half was cut
  // How a half ended.
  void note(const Result<void>& walked);
  bool has_second_half() const { return start_ && !census_.cut; }
  // Where the next census goes on: at the job that was listed last; nullopt where this one is
  // whole.
  Start place() const { return census_.cut ? place_ : std::nullopt; }
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
        place_(start),
        nominate_(std::move(nominate)) {}
  aws::Pages pages(std::string_view side);
  void read(json::Value results);

  std::vector<Filter> filters_;
  Start start_;
  Start place_;
  Nominate nominate_;
  JobCensus census_;
};

// Where to begin where nobody remembers, so that no job's turn never comes when time runs out: at
// an age that is spread evenly on a logarithmic scale from seconds to 28 days, the longest a job
// may take. random: from [0, 1).
sys_seconds random_start(sys_seconds now, double random);

// Tells names apart; equal only where they are, but for one chance in 10^19.
std::uint64_t name_hash(std::string_view name);

}  // namespace trainwarden::actions
