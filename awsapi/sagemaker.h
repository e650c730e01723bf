// The SageMaker calls in use. Answers stay JSON documents: facts are read from them by name, and a
// copy of a job must keep members that are unknown here. Source:
// https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_Operations.html
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "awsapi/client.h"
#include "awsapi/search_list.h"
#include "runtime/base/result.h"
#include "runtime/base/strong.h"
#include "runtime/json/json.h"

namespace trainwarden::aws {

struct JobNameTag {
  static constexpr const char* kName = "training job name";
  static std::string check(std::string_view text);
};
// 1 to 63 characters, [a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}
using JobName = Strong<JobNameTag>;

struct TunerNameTag {
  static constexpr const char* kName = "name of a tuning or AutoML job";
  static std::string check(std::string_view text);
};
// 1 to 32 characters, [a-zA-Z0-9](-*[a-zA-Z0-9]){0,31}
using TunerName = Strong<TunerNameTag>;

struct Tag {
  std::string key;
  std::string value;
};

inline constexpr std::size_t kMaxTags = 50;
inline constexpr std::size_t kMaxTagValue = 256;

// The text with every character that a tag value may not have replaced by a space, cut to 256
// characters: `[\p{L}\p{Z}\p{N}_.:/=+\-@]*`. Of the characters beyond ASCII the letters of Latin,
// Greek, Cyrillic, Japanese, Chinese and Korean stay; one wrong character would cost all tags of a
// call.
std::string tag_value(std::string_view text);

// Whether CreateTrainingJob was refused because the algorithm brings its own metric definitions.
// AWS says so in the text of a ValidationException only: "You can't override the metric definitions
// for Amazon SageMaker algorithms. Please retry the request without specifying metric definitions."
bool refuses_metric_definitions(std::string_view message);

// One filter of a Search request. An empty value is left out, as Exists and NotExists want it.
void write_search_filter(json::Sink& sink, std::string_view name, std::string_view comparison,
                         std::string_view value);

class SageMaker {
 public:
  explicit SageMaker(Client& client) : client_(client) {}

  // For sending several calls together with Client::call_all.
  static Call describe_training_job_call(const JobName& job);
  static Call list_tags_call(std::string_view arn, std::string_view next_token = {});

  Client& client() const { return client_; }

  // kNotFound: there is no such job.
  Result<json::Document> describe_training_job(const JobName& job,
                                               const CallContext& context) const;
  // All pages, as one object: key → value. page: the answer to list_tags_call(arn), if already
  // there.
  Result<json::Document> list_tags(std::string_view arn, const CallContext& context) const;
  Result<json::Document> list_tags(std::string_view arn, json::Document page,
                                   const CallContext& context) const;
  // Adds or overwrites. kLimitExceeded or kRejected where a 51st tag or a tag policy forbids it.
  Result<void> add_tags(std::string_view arn, std::span<const Tag> tags,
                        const CallContext& context) const;
  // body: a whole CreateTrainingJob request; the answer is the new job's ARN. There is no client
  // token: after a time-out, kConflict (the name is taken) may mean that the first try worked.
  // name: of the job that is to be, for records. scrub: of a refusal, which may quote the body.
  Result<std::string> create_training_job(std::string body, const CallContext& context,
                                          std::string_view name = {}, Scrub scrub = {}) const;
  // request: a Search request without NextToken. each(results) gets the Results of every page, an
  // array, and returns false to stop. kBadResponse for an answer without them: it does not say that
  // there are none. Pages that are too large are mended (search_list.h).
  Result<void> search(json::Value request,
                      const std::function<Result<bool>(json::Value results)>& each,
                      const CallContext& context, LargeJobs large = {}) const;
  // The same, for a walk beside others (page_walk.h).
  static Pages search_pages(json::Document request,
                            std::function<Result<bool>(json::Value results)> each,
                            LargeJobs large = {});
  // each(page) gets every page. Filters apply after a page was taken: an empty page is not the end.
  Result<void> list_training_jobs(json::Value request,
                                  const std::function<Result<bool>(json::Value page)>& each,
                                  const CallContext& context) const;
  // A page of the names of the jobs that come next in a list of Search's (search_list.h).
  static Call list_training_jobs_call(const ListPlace& place, std::string_view token = {});
  // kConflict: the job has ended or is stopping already; kNotFound: there is no such job.
  Result<void> stop_training_job(const JobName& job, const CallContext& context) const;
  // How long the job's warm pool is kept, from the job's end on; 0 lets it go. AWS does not say how
  // it refuses that of a pool which is not Available: kRejected or kConflict.
  Result<void> update_training_job(const JobName& job, int keep_alive_seconds,
                                   const CallContext& context) const;

  // each(page) gets every page. request: a whole request without NextToken. An empty page is not
  // the end.
  Result<void> list_hyper_parameter_tuning_jobs(
      json::Value request, const std::function<Result<bool>(json::Value page)>& each,
      const CallContext& context) const;
  Result<void> list_auto_ml_jobs(json::Value request,
                                 const std::function<Result<bool>(json::Value page)>& each,
                                 const CallContext& context) const;
  // kNotFound: there is no such job.
  Result<json::Document> describe_hyper_parameter_tuning_job(const TunerName& tuner,
                                                             const CallContext& context) const;
  // Ends every training job that it runs, too. kConflict: it has ended or is stopping already;
  // kNotFound: there is no such job.
  Result<void> stop_hyper_parameter_tuning_job(const TunerName& tuner,
                                               const CallContext& context) const;
  // The same of an AutoML job, of CreateAutoMLJob and CreateAutoMLJobV2.
  Result<void> stop_auto_ml_job(const TunerName& tuner, const CallContext& context) const;

 private:
  Client& client_;
};

}  // namespace trainwarden::aws
