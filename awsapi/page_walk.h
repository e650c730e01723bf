// Lists that come a page a call: one by itself, or several beside each other.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "awsapi/client.h"

namespace trainwarden::aws {

// Where one list stands.
class PageWalk {
 public:
  explicit PageWalk(Pages pages) : pages_(std::move(pages)) {}

  // The call for the page that comes next.
  Call next() const { return pages_.make(token_); }
  // What `call`, which next() gave, was answered. False where the list is over.
  Result<bool> take(const Call& call, json::Value page);
  // It ended in that error: true if next() has another call in its place.
  Result<bool> mend(const Error& error, const AskPage& ask);

 private:
  Pages pages_;
  std::string token_;
};

// The error of a list for whose next page there was no time.
Error no_time_for(const Call& call);

// One list among others.
struct List {
  Pages pages;
  // After this a page that is under way is given up, and after that none is begun.
  Deadline deadline;
  Deadline last_page;
  // How it ended. until: when its last page would have been given up.
  std::function<void(const Result<void>& walked, Deadline until)> done;
};

// Lists that come one after the other; nullopt where the turn of one has come and it is not wanted.
using Row = std::vector<std::function<std::optional<List>()>>;

// The rows beside each other: a page of each goes out together, so that each row gets its pages
// whatever the length of the others. A page that is slow, or tried again, keeps the others waiting.
void walk_beside(std::span<const Row> rows, Client& client, Clock& clock,
                 const CallContext& context);

}  // namespace trainwarden::aws
