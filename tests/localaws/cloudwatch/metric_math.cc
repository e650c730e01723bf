#include "tests/localaws/cloudwatch/metric_math.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <variant>

#include "runtime/base/ascii.h"

namespace trainwarden::localaws {
namespace {

using Array = std::vector<Series>;
using Operand = std::variant<double, Series, Array>;

std::unexpected<Error> wrong(std::string message) {
  return fail(ErrorCode::kInvalidInput, std::move(message));
}

std::optional<double> combine(char op, double a, double b) {
  if (op == '+') return a + b;
  if (op == '-') return a - b;
  if (op == '*') return a * b;
  if (b == 0) return std::nullopt;
  return a / b;
}

double value_at(const Series& series, sys_millis at) {
  const auto found = series.find(at);
  return found == series.end() ? 0 : found->second;
}

Series combine(char op, const Series& a, const Series& b) {
  Series out;
  for (const Series* either : {&a, &b})
    for (const auto& [at, ignored] : *either)
      if (const auto result = combine(op, value_at(a, at), value_at(b, at))) out[at] = *result;
  return out;
}

Series combine(char op, const Series& a, double b) {
  Series out;
  for (const auto& [at, value] : a)
    if (const auto result = combine(op, value, b)) out[at] = *result;
  return out;
}

Series combine(char op, double a, const Series& b) {
  Series out;
  for (const auto& [at, value] : b)
    if (const auto result = combine(op, a, value)) out[at] = *result;
  return out;
}

// count: of the values that there should be.
double aggregate(std::string_view function, const std::vector<double>& values, std::size_t count) {
  if (function == "MAX") return *std::max_element(values.begin(), values.end());
  if (function == "MIN") return *std::min_element(values.begin(), values.end());
  double sum = 0;
  for (const double value : values) sum += value;
  return function == "AVG" ? sum / static_cast<double>(count) : sum;
}

constexpr std::array<std::string_view, 4> kAggregates = {"MAX", "MIN", "AVG", "SUM"};
constexpr std::array<std::string_view, 3> kPerValue = {"ABS", "CEIL", "FLOOR"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

double per_value(std::string_view function, double value) {
  if (function == "ABS") return std::fabs(value);
  return function == "CEIL" ? std::ceil(value) : std::floor(value);
}

// Recursive descent over: sum = term {(+|-) term}; term = factor {(*|/) factor}; factor = number |
// id | function(…) | [sum, …] | (sum) | - factor.
class Parser {
 public:
  Parser(std::string_view text, const MathInput* input) : text_(text), input_(input) {}

  Result<Operand> whole() {
    TRY(Operand value, sum(0));
    skip();
    if (at_ != text_.size()) return wrong(fmt::format("unexpected `{}`", text_.substr(at_)));
    if (std::holds_alternative<Array>(value)) return wrong("the result is more than one series");
    if (std::holds_alternative<double>(value)) return wrong("the result is a number, not a series");
    return value;
  }
  std::vector<std::string> ids;  // in order of appearance

 private:
  static constexpr int kMaxDepth = 32;

  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Result<Operand> apply(char op, Operand a, Operand b) {
    if (std::holds_alternative<Array>(a) && std::holds_alternative<Array>(b))
      return wrong(fmt::format("`{}` is not for two arrays of series", op));
    for (const bool left : {true, false}) {
      auto* array = std::get_if<Array>(left ? &a : &b);
      if (array == nullptr) continue;
      for (Series& series : *array) {
        TRY(Operand each, left ? apply(op, Operand(series), b) : apply(op, a, Operand(series)));
        series = std::move(std::get<Series>(each));
      }
      return Operand(std::move(*array));
    }
    const auto* x = std::get_if<double>(&a);
    const auto* y = std::get_if<double>(&b);
    if (x != nullptr && y != nullptr) {
      const auto value = combine(op, *x, *y);
      if (!value) return Operand(Series());
      return Operand(*value);
    }
    if (x != nullptr) return Operand(combine(op, *x, std::get<Series>(b)));
    if (y != nullptr) return Operand(combine(op, std::get<Series>(a), *y));
    return Operand(combine(op, std::get<Series>(a), std::get<Series>(b)));
  }

  Result<Operand> sum(int depth) {
    TRY(Operand left, term(depth));
    while (true) {
      const char op = take('+') ? '+' : take('-') ? '-' : '\0';
      if (op == '\0') return left;
      TRY(Operand right, term(depth));
      TRY(left, apply(op, std::move(left), std::move(right)));
    }
  }

  Result<Operand> term(int depth) {
    TRY(Operand left, factor(depth));
    while (true) {
      const char op = take('*') ? '*' : take('/') ? '/' : '\0';
      if (op == '\0') return left;
      TRY(Operand right, factor(depth));
      TRY(left, apply(op, std::move(left), std::move(right)));
    }
  }

  Result<Operand> factor(int depth) {
    if (depth > kMaxDepth) return wrong("nested too deeply");
    if (take('-')) {
      TRY(Operand value, factor(depth + 1));
      return apply('*', Operand(-1.0), std::move(value));
    }
    if (take('(')) {
      TRY(Operand value, sum(depth + 1));
      if (!take(')')) return wrong("expected `)`");
      return value;
    }
    if (take('[')) return array(depth + 1);
    skip();
    if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) return number();
    if (at_ < text_.size() && is_letter(text_[at_])) return named(depth + 1);
    return wrong(at_ < text_.size() ? fmt::format("unexpected `{}`", text_.substr(at_))
                                    : std::string("the expression ends too early"));
  }

  Result<Operand> number() {
    double value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) return wrong("expected a number");
    at_ = static_cast<std::size_t>(end - text_.data());
    return Operand(value);
  }

  Result<Operand> array(int depth) {
    Array out;
    do {
      TRY(Operand value, sum(depth));
      if (auto* series = std::get_if<Series>(&value))
        out.push_back(std::move(*series));
      else
        return wrong("an array holds series");
    } while (take(','));
    if (!take(']')) return wrong("expected `]`");
    return Operand(std::move(out));
  }

  Result<Operand> named(int depth) {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '_'))
      ++at_;
    const std::string name(text_.substr(begin, at_ - begin));
    if (take('(')) return call(name, depth);
    if (name.front() >= 'A' && name.front() <= 'Z')
      return wrong(fmt::format("`{}`: expected an id or a function", name));
    ids.push_back(name);
    if (input_ == nullptr) return Operand(Series());
    const auto found = input_->series.find(name);
    if (found == input_->series.end()) return wrong(fmt::format("unknown id `{}`", name));
    return Operand(found->second);
  }

  Result<Operand> call(const std::string& name, int depth) {
    if (name == "METRICS") {
      if (!take(')')) return wrong("METRICS() takes no argument here");
      Array all;
      if (input_ != nullptr)
        for (const std::string& id : input_->metrics) all.push_back(input_->series.at(id));
      return Operand(std::move(all));
    }
    TRY(Operand argument, sum(depth));
    if (name == "FILL") {
      if (!take(',')) return wrong("FILL takes a series and a number");
      TRY(Operand value, sum(depth));
      if (!take(')')) return wrong("expected `)`");
      return fill(std::move(argument), value);
    }
    if (!take(')')) return wrong("expected `)`");
    if (contains(kAggregates, name)) return aggregated(name, argument);
    if (!contains(kPerValue, name)) return wrong(fmt::format("unknown function `{}`", name));
    if (const auto* number = std::get_if<double>(&argument))
      return Operand(per_value(name, *number));
    auto* series = std::get_if<Series>(&argument);
    if (series == nullptr) return wrong(fmt::format("{} takes one series", name));
    for (auto& [at, value] : *series) value = per_value(name, value);
    return Operand(std::move(*series));
  }

  static Result<Operand> aggregated(std::string_view name, const Operand& argument) {
    if (std::holds_alternative<double>(argument)) return argument;
    if (const auto* series = std::get_if<Series>(&argument)) {
      std::vector<double> values;
      for (const auto& [at, value] : *series) values.push_back(value);
      if (values.empty()) return Operand(0.0);
      return Operand(aggregate(name, values, values.size()));
    }
    std::map<sys_millis, std::vector<double>> by_time;
    const auto& array = std::get<Array>(argument);
    for (const Series& series : array)
      for (const auto& [at, value] : series) by_time[at].push_back(value);
    Series out;
    for (const auto& [at, values] : by_time) out[at] = aggregate(name, values, array.size());
    return Operand(std::move(out));
  }

  Result<Operand> fill(Operand argument, const Operand& value) const {
    auto* series = std::get_if<Series>(&argument);
    const auto* number = std::get_if<double>(&value);
    if (series == nullptr || number == nullptr) return wrong("FILL takes a series and a number");
    if (input_ != nullptr)
      for (const sys_millis at : input_->times) series->emplace(at, *number);
    return Operand(std::move(*series));
  }

  std::string_view text_;
  const MathInput* input_;  // nullptr: only the syntax matters
  std::size_t at_ = 0;
};

}  // namespace

Result<Series> evaluate_math(std::string_view expression, const MathInput& input) {
  Parser parser(expression, &input);
  TRY(Operand value, parser.whole());
  return std::move(std::get<Series>(value));
}

Result<std::vector<std::string>> ids_in(std::string_view expression) {
  Parser parser(expression, nullptr);
  TRY(const Operand value, parser.whole());
  return std::move(parser.ids);
}

}  // namespace trainwarden::localaws
