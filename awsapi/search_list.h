// A list of Search's records that pages too large for the client do not end. Such a page is asked
// for again with half as many records. Where the service refuses a NextToken with another
// MaxResults, the list begins anew at the time of the last record, and what comes twice is left
// out. A single record that is too large is skipped, by its name.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "awsapi/client.h"
#include "awsapi/page_size.h"
#include "runtime/json/json.h"

namespace trainwarden::aws {

// Where a list of Search's has come to.
struct ListPlace {
  std::string sort_by;  // CreationTime or LastModifiedTime
  bool ascending = false;
  std::optional<long long> second = {};  // of the last record
};

// What becomes of a record that is too large by itself: the list goes on without it.
struct LargeJobs {
  // The call whose answer names the jobs that may come next, ListTrainingJobs
  // (SageMaker::list_training_jobs_call).
  std::function<Call(const ListPlace& place, std::string_view token)> next_names = {};
  // Told the job's name.
  std::function<void(std::string_view job)> skipped = {};
};

class SearchList {
 public:
  // request: a Search request without NextToken. each gets the Results of every page. large: empty
  // where a record that is too large ends the list.
  SearchList(json::Document request, std::function<Result<bool>(json::Value results)> each,
             LargeJobs large);

  Call next(std::string_view token);
  Result<bool> take(json::Value page);
  bool mend(const Error& error, const AskPage& ask);

 private:
  // A request for one page; only: for a job of that name.
  Call search(std::string_view token, std::string_view only = {}) const;
  void write_filters(json::Sink& sink, std::string_view only) const;
  Result<bool> give(json::Value results);
  void begin_anew();
  bool skip_one(const AskPage& ask);
  std::vector<std::string> candidates(const AskPage& ask) const;

  json::Document request_;
  std::function<Result<bool>(json::Value results)> each_;
  LargeJobs large_;
  std::string sort_by_;
  bool ascending_;
  PageSize size_;
  int token_size_;  // of the page that gave the last token
  std::string sent_token_;
  bool sent_other_size_ = false;      // with that token
  bool tokens_keep_size_ = false;     // the service refuses them with another
  bool anew_ = false;                 // the next request has no token
  std::optional<long long> last_;     // the second of the last record
  std::vector<std::string> at_last_;  // the names of that second
  std::optional<long long> from_;     // where the list began anew
  std::vector<std::string> at_from_;
  std::vector<std::string> too_large_;
};

}  // namespace trainwarden::aws
