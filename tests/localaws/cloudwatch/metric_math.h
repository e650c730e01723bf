// CloudWatch's metric math, as far as alarms over hosts need it: numbers, ids, METRICS(), arrays,
// + - * /, unary minus, parentheses, and MAX, MIN, AVG, SUM, ABS, CEIL, FLOOR, FILL. Pure.
//
// An operator between two series has a value where either has one, the missing one being 0; so has
// AVG of an array. Division by zero gives no value. MAX, MIN and SUM of an array ("MAX(METRICS())",
// "MAX([m1,m2])") take, at each time, the values that are there (for MAX and MIN, AWS does not say
// so); of one series they are a number. The result must be a series.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "tests/localaws/cloudwatch/metrics.h"

namespace trainwarden::localaws {

struct MathInput {
  std::map<std::string, Series, std::less<>> series;  // by id: metrics and earlier expressions
  std::vector<std::string> metrics;                   // the ids that METRICS() means
  std::vector<sys_millis> times;                      // the periods, which FILL fills
};

// kInvalidInput says what is wrong with the expression.
Result<Series> evaluate_math(std::string_view expression, const MathInput& input);

// The ids that an expression names, in order; METRICS() names none. kInvalidInput as above, where
// it can be told without data.
Result<std::vector<std::string>> ids_in(std::string_view expression);

}  // namespace trainwarden::localaws
