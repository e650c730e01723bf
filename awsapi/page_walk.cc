#include "awsapi/page_walk.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace trainwarden::aws {
namespace {

// The token of a page: a string, or an object (DynamoDB's) as its text.
Result<std::string> token_text(const Call& call, std::string_view member, json::Value found) {
  if (found.is_string()) return std::string(found.as_string());
  if (found.is_object()) return json::to_text(found);
  return fail(ErrorCode::kBadResponse,
              fmt::format("{}: `{}`: expected a string or an object, found `{}`", call.operation,
                          member, found.excerpt()));
}

// The position within a row of lists.
class RowWalk {
 public:
  explicit RowWalk(const Row& row) : row_(row) {}

  // False at the end of the row.
  bool begin() {
    while (!list_ && next_ < row_.size()) {
      list_ = row_[next_++]();
      if (list_) walk_.emplace(list_->pages);
    }
    return list_.has_value();
  }

  Call call() const { return walk_->next(); }
  Deadline deadline() const { return list_->deadline; }

  void take(const Call& call, const Result<json::Document>& page, const AskPage& ask, Deadline now,
            Deadline until) {
    const Result<bool> more =
        page ? walk_->take(call, page->root()) : walk_->mend(page.error(), ask);
    if (!more)
      end(fail(more.error()), until);
    else if (!*more)
      end({}, until);
    else if (now >= list_->last_page)
      end(fail(no_time_for(call)), until);
  }

 private:
  void end(const Result<void>& walked, Deadline until) {
    const List list = *std::exchange(list_, std::nullopt);
    list.done(walked, until);
  }

  const Row& row_;
  std::size_t next_ = 0;
  std::optional<List> list_;
  std::optional<PageWalk> walk_;
};

}  // namespace

Result<bool> PageWalk::take(const Call& call, json::Value page) {
  TRY(const bool go_on, pages_.each(page));
  const auto found = page.find_present(pages_.token_member);
  if (!go_on || !found) return false;
  TRY(std::string following, token_text(call, pages_.token_member, *found));
  if (following.empty()) return false;
  if (following == token_ && !pages_.begins_anew)
    return fail(ErrorCode::kBadResponse,
                fmt::format("{}: expected another page, found the same one again", call.operation));
  token_ = std::move(following);
  return true;
}

Result<bool> PageWalk::mend(const Error& error, const AskPage& ask) {
  if (pages_.mend && pages_.mend(error, ask)) return true;
  return fail(error);
}

Error no_time_for(const Call& call) {
  return {ErrorCode::kDeadline,
          fmt::format("{}: more pages than there was time for", call.operation)};
}

void walk_beside(std::span<const Row> rows, Client& client, Clock& clock,
                 const CallContext& context) {
  std::vector<RowWalk> walks(rows.begin(), rows.end());
  for (;;) {
    std::vector<RowWalk*> under_way;
    std::vector<Call> calls;
    CallContext together = context;
    for (RowWalk& walk : walks) {
      if (!walk.begin()) continue;
      under_way.push_back(&walk);
      calls.push_back(walk.call());
      together.deadline = std::min(together.deadline, walk.deadline());
    }
    if (calls.empty()) return;
    const auto pages = client.call_all(calls, together);
    const AskPage ask = [&](const Call& call) { return client.call(call, together); };
    const Deadline now = Deadline::at(clock.steady_now());
    for (std::size_t i = 0; i < calls.size(); ++i)
      under_way[i]->take(calls[i], pages[i], ask, now, together.deadline);
  }
}

}  // namespace trainwarden::aws
