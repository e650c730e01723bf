// Lists beside each other, and how often services are called (virtual time).
#include "awsapi/page_walk.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "tests/support/manual_clock.h"

namespace trainwarden::aws::page_walk_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Answers every request with the next page of its operation, after 75 ms.
class Pager final : public http::Transport {
 public:
  explicit Pager(testing::ManualClock& clock) : clock_(clock) {}

  std::vector<Result<http::Response>> send(std::span<const http::Request> requests,
                                           Deadline deadline) override {
    deadlines.push_back(deadline);
    std::string together;
    std::vector<Result<http::Response>> answers;
    for (const http::Request& request : requests) {
      const auto target =
          std::ranges::find(request.headers, "X-Amz-Target", &http::Header::name)->value;
      const std::string operation = target.substr(target.find('.') + 1);
      together += operation + " ";
      sent[operation].push_back(clock_.steady_now());
      int& left = pages[operation];
      const std::string token = --left > 0 ? fmt::format(R"({{"NextToken":"{}"}})", left) : "{}";
      if (std::exchange(throttle, false))
        answers.emplace_back(http::Response{400, {}, R"({"__type":"ThrottlingException"})"});
      else
        answers.emplace_back(http::Response{200, {}, token});
    }
    batches.push_back(together);
    clock_.advance(took);
    return answers;
  }

  milliseconds took{75};
  bool throttle = false;  // the next call
  std::map<std::string, int> pages;
  std::map<std::string, std::vector<Deadline::Clock::time_point>> sent;
  std::vector<std::string> batches;
  std::vector<Deadline> deadlines;

 private:
  testing::ManualClock& clock_;
};

// The most calls that began within one second.
std::size_t most_in_a_second(const std::vector<Deadline::Clock::time_point>& sent) {
  std::size_t most = 0;
  for (const auto begin : sent)
    most = std::max(most, static_cast<std::size_t>(std::ranges::count_if(sent, [&](auto at) {
                      return at >= begin && at - begin < seconds(1);
                    })));
  return most;
}

class PageWalkTest : public ::testing::Test {
 protected:
  Call call(const Service& service, std::string_view operation) const {
    return {.service = &service, .operation = operation, .body = "{}"};
  }
  std::function<std::optional<List>()> list(const Service& service, std::string_view operation,
                                            int pages, seconds last_page = seconds(600)) {
    pager_.pages[std::string(operation)] = pages;
    return [=, this]() -> std::optional<List> {
      return List{{[=, this](std::string_view) { return call(service, operation); }, "NextToken",
                   [this](json::Value) -> Result<bool> {
                     ++taken_;
                     return true;
                   }},
                  clock_.in(seconds(700)),
                  clock_.in(last_page),
                  [=, this](const Result<void>& walked, Deadline) {
                    ended_.push_back(std::string(operation) +
                                     (walked ? "" : ": " + walked.error().message));
                  }};
    };
  }
  CallContext context(Pace* pace = nullptr) const {
    CallContext out{clock_.in(seconds(800)), "", nullptr};
    out.pace = pace;
    return out;
  }

  testing::ManualClock clock_{sys_millis(milliseconds(1'783'000'213'500))};
  Pager pager_{clock_};
  Client client_{{{"AKIDEXAMPLE", Secret("s"), Secret()},
                  "eu-central-1",
                  3,
                  Endpoints::all_at("https://api.example/")},
                 pager_,
                 clock_,
                 [] { return 0.0; }};
  int taken_ = 0;
  std::vector<std::string> ended_;
};

TEST_F(PageWalkTest, APageOfEachRowGoesOutTogether) {
  const std::array<Row, 2> rows{Row{list(kCloudWatch, "DescribeAlarms", 3)},
                                Row{list(kSageMaker, "Search", 1), [] { return std::nullopt; },
                                    list(kSageMaker, "ListTags", 1)}};
  walk_beside(rows, client_, clock_, context());
  EXPECT_EQ(pager_.batches,
            (std::vector<std::string>{"DescribeAlarms Search ", "DescribeAlarms ListTags ",
                                      "DescribeAlarms "}));
  EXPECT_EQ(ended_, (std::vector<std::string>{"Search", "ListTags", "DescribeAlarms"}));
  EXPECT_EQ(taken_, 5);
}

TEST_F(PageWalkTest, AListWithoutTimeForItsNextPageEndsAndTheOthersGoOn) {
  pager_.took = seconds(10);
  const std::array<Row, 2> rows{Row{list(kCloudWatch, "DescribeAlarms", 9, seconds(15))},
                                Row{list(kSageMaker, "Search", 4)}};
  walk_beside(rows, client_, clock_, context());
  EXPECT_EQ(ended_,
            (std::vector<std::string>{
                "DescribeAlarms: DescribeAlarms: more pages than there was time for", "Search"}));
  EXPECT_EQ(pager_.sent["DescribeAlarms"].size(), 2U);
  EXPECT_EQ(pager_.sent["Search"].size(), 4U);
}

TEST_F(PageWalkTest, NoServiceGetsMoreThanFiveCallsInASecondAndOneDoesNotWaitForTheOther) {
  Pace pace;
  const auto begin = clock_.steady_now();
  const std::array<Row, 2> rows{Row{list(kCloudWatch, "DescribeAlarms", 40)},
                                Row{list(kSageMaker, "Search", 40)}};
  walk_beside(rows, client_, clock_, context(&pace));
  EXPECT_EQ(most_in_a_second(pager_.sent["Search"]), Pace::kCalls);
  EXPECT_EQ(most_in_a_second(pager_.sent["DescribeAlarms"]), Pace::kCalls);
  EXPECT_LT(clock_.steady_now() - begin, seconds(8)) << "40 calls of each are 7 s and a bit";
}

TEST_F(PageWalkTest, CallsThatGoOutTogetherOrAgainKeepThePaceToo) {
  Pace pace;
  pager_.throttle = true;
  pager_.took = milliseconds(0);
  const std::vector<Call> calls(12, call(kSageMaker, "DescribeTrainingJob"));
  const auto answers = client_.call_all(calls, context(&pace));
  EXPECT_TRUE(std::ranges::all_of(answers, [](const auto& answer) { return answer.has_value(); }));
  EXPECT_EQ(pager_.sent["DescribeTrainingJob"].size(), 13U);
  EXPECT_EQ(most_in_a_second(pager_.sent["DescribeTrainingJob"]), Pace::kCalls);
}

TEST_F(PageWalkTest, WithoutAPaceNoCallWaits) {
  pager_.took = milliseconds(0);
  const std::vector<Call> calls(12, call(kSageMaker, "DescribeTrainingJob"));
  client_.call_all(calls, context());
  EXPECT_TRUE(clock_.slept.empty());
}

TEST_F(PageWalkTest, NobodyWaitsPastTheDeadline) {
  Pace pace;
  pager_.took = milliseconds(0);
  CallContext soon = context(&pace);
  soon.deadline = clock_.in(milliseconds(300));
  const std::vector<Call> calls(6, call(kSageMaker, "DescribeTrainingJob"));
  client_.call_all(calls, soon);
  EXPECT_EQ(clock_.slept, std::vector{milliseconds(300)});
}

}  // namespace
}  // namespace trainwarden::aws::page_walk_test
