#include "tests/localaws/cloudwatch/metric_search.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "runtime/base/ascii.h"

namespace trainwarden::localaws {
namespace {

constexpr std::size_t kMaxSearch = 1024;
constexpr std::string_view kSearch = "SEARCH(";

std::unexpected<Error> bad_search(std::string message) {
  return fail(ErrorCode::kInvalidInput, std::move(message));
}

class SearchReader {
 public:
  explicit SearchReader(std::string_view text) : text_(text) {}

  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  // A name, which needs quotes where it holds anything but letters and digits.
  Result<std::string> name() {
    skip();
    const bool quoted = take('"');
    const std::size_t begin = at_;
    while (at_ < text_.size() && (quoted ? text_[at_] != '"' : is_plain(text_[at_]))) ++at_;
    std::string out(text_.substr(begin, at_ - begin));
    if (out.empty() || (quoted && !take('"')))
      return bad_search(fmt::format("expected a name at `{}`", text_.substr(begin)));
    return out;
  }
  // Within single quotes.
  Result<std::string_view> quoted() {
    if (!take('\'')) return bad_search("expected a text in single quotes");
    const std::size_t end = text_.find('\'', at_);
    if (end == text_.npos) return bad_search("expected a closing quote");
    const std::string_view out = text_.substr(at_, end - at_);
    at_ = end + 1;
    return out;
  }
  Result<std::int64_t> number() {
    skip();
    std::int64_t out = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), out);
    if (error != std::errc()) return bad_search("expected a period");
    at_ = static_cast<std::size_t>(end - text_.data());
    return out;
  }
  bool at_end() {
    skip();
    return at_ == text_.size();
  }
  bool take_word(std::string_view word) {
    skip();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

 private:
  static bool is_plain(char c) { return is_alphanumeric(c) || c == '_'; }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

Result<void> read_query(std::string_view text, MetricSearch& out) {
  if (text.size() > kMaxSearch) return bad_search("the search is longer than 1024 characters");
  SearchReader in(text);
  if (!in.take('{')) return bad_search("only searches with a schema in braces are understood here");
  TRY(out.name_space, in.name());
  // AWS's own namespaces may stand without quotes.
  if (out.name_space == "AWS" && in.take('/')) {
    TRY(const std::string service, in.name());
    out.name_space += "/" + service;
  }
  while (in.take(',')) {
    TRY(std::string dimension, in.name());
    out.dimensions.push_back(std::move(dimension));
  }
  if (!in.take('}')) return bad_search("expected `}`");
  if (in.take_word("MetricName=")) {
    TRY(out.metric, in.name());
  }
  if (!in.at_end()) return bad_search("of search terms only MetricName= is understood here");
  std::sort(out.dimensions.begin(), out.dimensions.end());
  return {};
}

}  // namespace

bool is_search(std::string_view expression) { return expression.starts_with(kSearch); }

Result<MetricSearch> parse_search(std::string_view expression) {
  MetricSearch out;
  SearchReader in(expression.substr(std::min(kSearch.size(), expression.size())));
  TRY(const std::string_view query, in.quoted());
  CHECK_OK(read_query(query, out));
  if (!in.take(',')) return bad_search("expected a statistic");
  TRY(const std::string_view statistic, in.quoted());
  out.statistic = statistic;
  if (!known_statistic(statistic))
    return bad_search(fmt::format("unknown statistic `{}`", statistic));
  if (in.take(',')) {
    TRY(const std::int64_t period, in.number());
    if (period <= 0 || period % 60 != 0) return bad_search("a search's period is a multiple of 60");
    out.period = std::chrono::seconds(period);
  }
  if (!in.take(')') || !in.at_end()) return bad_search("expected `)`");
  return out;
}

std::vector<FoundSeries> search(const MetricSearch& search, const MetricStore& store, Span span) {
  span.period = search.period;
  std::vector<FoundSeries> out;
  for (const MetricKey& key : store.keys()) {
    if (out.size() > kMaxFound) break;
    if (key.name_space != search.name_space ||
        (!search.metric.empty() && key.name != search.metric))
      continue;
    std::vector<std::string> names;
    std::string label;
    for (const auto& [name, value] : key.dimensions) {
      names.push_back(name);
      label += value + " ";
    }
    if (names != search.dimensions) continue;
    out.push_back({label + key.name, store.series(key, search.statistic, "", span)});
  }
  return out;
}

}  // namespace trainwarden::localaws
