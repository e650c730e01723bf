// One job of an export, with all that is known of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "handlers/rules/backtest/watch_replay.h"
#include "handlers/rules/facts/source.h"

namespace trainwarden::rules {

struct KeptJob {
  // Describe as it was told after the job's end (or when the export was made), tags and the end of
  // the log as far as they are known; what could not be fetched is unavailable. The event has the
  // job's name and creation, account and region.
  Sources sources;
  bool described = false;  // by DescribeTrainingJob; else by Search, which lacks members
  std::vector<KeptSeries> series = {};
  // Rules, by their index, that name what the export left out.
  std::vector<std::size_t> beyond = {};
};

}  // namespace trainwarden::rules
