#include "awsapi/search_list.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "awsapi/request_body.h"
#include "awsapi/sagemaker.h"
#include "runtime/base/time.h"

namespace trainwarden::aws {
namespace {

constexpr int kSearchPage = 100;          // where the request does not say
constexpr std::size_t kMostSkipped = 15;  // an expression takes 20 filters
constexpr std::size_t kMostCandidates = 100;
constexpr int kMostCandidatePages = 10;

std::string_view text_of(json::Value object, std::string_view name, std::string_view otherwise) {
  const auto found = object.find_present(name);
  return found && found->is_string() ? found->as_string() : otherwise;
}

int page_size_of(json::Value request) {
  const auto found = request.find_present("MaxResults");
  const auto number = found ? found->as_integer() : std::nullopt;
  return number ? static_cast<int>(*number) : kSearchPage;
}

std::string second_text(long long second) {
  return rfc3339(sys_seconds(std::chrono::seconds(second)));
}

template <class List, class Item>
bool among(const List& list, const Item& item) {
  return std::ranges::find(list, item) != list.end();
}

struct RecordKey {
  std::string_view name;
  std::optional<long long> second;
};

// The second in which a filter by `>=`, or by `<=` where the order descends, finds the record.
RecordKey key_of(json::Value result, std::string_view sort_by, bool ascending) {
  RecordKey out;
  const auto job = result.find_present("TrainingJob");
  if (!job) return out;
  out.name = text_of(*job, "TrainingJobName", "");
  const auto time = job->find_present(sort_by);
  if (time && time->is_number())
    out.second = static_cast<long long>(ascending ? std::floor(time->as_number())
                                                  : std::ceil(time->as_number()));
  return out;
}

}  // namespace

SearchList::SearchList(json::Document request,
                       std::function<Result<bool>(json::Value results)> each, LargeJobs large)
    : request_(std::move(request)),
      each_(std::move(each)),
      large_(std::move(large)),
      sort_by_(text_of(request_.root(), "SortBy", "LastModifiedTime")),
      ascending_(text_of(request_.root(), "SortOrder", "Descending") == "Ascending"),
      size_(page_size_of(request_.root())),
      token_size_(size_.now()) {}

Call SearchList::next(std::string_view token) {
  if (!token.empty() && size_.now() != token_size_ && tokens_keep_size_) {
    // Larger pages are worth beginning anew for only where the list has come further since it last
    // did: of many records of one second it would come to the same place for ever.
    if (size_.now() > token_size_ && last_ == from_)
      size_.stay_at(token_size_);
    else
      begin_anew();
  }
  sent_token_ = anew_ ? std::string_view() : token;
  sent_other_size_ = !sent_token_.empty() && size_.now() != token_size_;
  return search(sent_token_);
}

Call SearchList::search(std::string_view token, std::string_view only) const {
  const json::Value asked = request_.root();
  Call call{.service = &kSageMaker,
            .operation = "Search",
            .body = {},
            .target = std::string(text_of(asked, "Resource", ""))};
  const bool filters = from_ || !too_large_.empty() || !only.empty();
  if (size_.is_full() && !filters) {
    call.body = with_member(asked, "NextToken", token);
    return call;
  }
  call.body = request_body([&](json::Sink& sink) {
    for (const json::Member member : asked.members())
      if (member.name != "MaxResults" && (member.name != "SearchExpression" || !filters))
        sink.member(member.name, member.value);
    sink.member("MaxResults", only.empty() ? size_.now() : 1);
    if (filters) {
      sink.key("SearchExpression").begin_object().key("SubExpressions").begin_array();
      if (const auto expression = asked.find_present("SearchExpression")) sink.value(*expression);
      write_filters(sink, only);
      sink.end_array().end_object();
    }
    if (!token.empty()) sink.member("NextToken", token);
  });
  return call;
}

void SearchList::write_filters(json::Sink& sink, std::string_view only) const {
  sink.begin_object().key("Filters").begin_array();
  if (from_)
    write_search_filter(sink, sort_by_, ascending_ ? "GreaterThanOrEqualTo" : "LessThanOrEqualTo",
                        second_text(*from_));
  for (const std::string& name : too_large_)
    write_search_filter(sink, "TrainingJobName", "NotEquals", name);
  if (!only.empty()) write_search_filter(sink, "TrainingJobName", "Equals", only);
  sink.end_array().end_object();
}

Result<bool> SearchList::take(json::Value page) {
  const auto results = page.find_present("Results");
  if (!results || !results->is_array())
    return fail(ErrorCode::kBadResponse, "Search: expected `Results` in the answer");
  if (const auto token = text_of(page, "NextToken", ""); !token.empty() && token == sent_token_)
    return fail(ErrorCode::kBadResponse, "Search: expected another page, found the same one again");
  anew_ = false;
  token_size_ = size_.now();
  size_.page_was_taken();
  return give(*results);
}

// Hands on what did not come before.
Result<bool> SearchList::give(json::Value results) {
  std::vector<bool> twice;
  for (const json::Value result : results.elements()) {
    const RecordKey key = key_of(result, sort_by_, ascending_);
    twice.push_back(from_ && key.second == from_ && among(at_from_, key.name));
    if (!key.second || twice.back()) continue;
    if (last_ != key.second) at_last_.clear();
    last_ = key.second;
    at_last_.emplace_back(key.name);
  }
  if (!among(twice, true)) return each_(results);
  const json::Document once = json::Document::build([&](json::Sink& sink) {
    sink.begin_array();
    std::size_t i = 0;
    for (const json::Value result : results.elements())
      if (!twice[i++]) sink.value(result);
    sink.end_array();
  });
  return each_(once.root());
}

bool SearchList::mend(const Error& error, const AskPage& ask) {
  if (error.code == ErrorCode::kRejected && sent_other_size_) {
    tokens_keep_size_ = true;
    begin_anew();
    return true;
  }
  if (error.code != ErrorCode::kTooLarge) return false;
  return size_.halve() || skip_one(ask);
}

void SearchList::begin_anew() {
  anew_ = true;
  if (!last_) return;
  from_ = last_;
  at_from_ = at_last_;
}

// Which job it is shows when it is asked for alone.
bool SearchList::skip_one(const AskPage& ask) {
  if (!large_.next_names || too_large_.size() >= kMostSkipped) return false;
  for (std::string& name : candidates(ask)) {
    const auto alone = ask(search({}, name));
    if (alone) continue;
    if (alone.error().code != ErrorCode::kTooLarge) return false;
    large_.skipped(name);
    too_large_.push_back(std::move(name));
    begin_anew();
    return true;
  }
  return false;
}

// Jobs that may come next; empty where they cannot be asked for.
std::vector<std::string> SearchList::candidates(const AskPage& ask) const {
  std::vector<std::string> out;
  std::string token;
  for (int pages = 0; pages < kMostCandidatePages && out.size() < kMostCandidates; ++pages) {
    const auto page = ask(
        large_.next_names({.sort_by = sort_by_, .ascending = ascending_, .second = last_}, token));
    const auto found = page ? page->root().find_present("TrainingJobSummaries") : std::nullopt;
    if (!found || !found->is_array()) return out;
    for (const json::Value summary : found->elements()) {
      const std::string_view name = text_of(summary, "TrainingJobName", "");
      if (!name.empty() && !among(at_last_, name) && !among(too_large_, name))
        out.emplace_back(name);
    }
    token = text_of(page->root(), "NextToken", "");
    if (token.empty()) break;
  }
  return out;
}

}  // namespace trainwarden::aws
