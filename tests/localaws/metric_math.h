// CloudWatch's metric math, as far as alarms over hosts need it: numbers, ids, METRICS(), arrays,
// + - * /, unary minus, parentheses, and MAX, MIN, AVG, SUM, ABS, CEIL, FLOOR, FILL. Pure.
//
// A function of several series ("MAX(METRICS())", "MAX([m1,m2])") takes, at each time, those that
// have a value there; of one series it is a scalar. An operator between two series has a value only
// where both have one. Division by zero gives no value.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "tests/localaws/metrics.h"

namespace trainwarden::localaws {

struct MathInput {
  std::map<std::string, Series, std::less<>> series;  // by id: metrics and earlier expressions
  std::vector<std::string> metrics;                   // the ids that METRICS() means
};

// kInvalidInput says what is wrong with the expression. A scalar has a value at each time that any
// metric has.
Result<Series> evaluate_math(std::string_view expression, const MathInput& input);

// The ids that an expression names, in order; METRICS() names none.
Result<std::vector<std::string>> ids_in(std::string_view expression);

}  // namespace trainwarden::localaws
