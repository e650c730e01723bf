// What the codes in a failure's words mean, however they are punctuated: statuses that processes
// end with (`exit status: 137`, `returncode=-9`, `signal: 15`), HTTP statuses (`status_code=503`)
// and the error codes of AWS (`An error occurred (InvalidBucketName) when calling …`).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "handlers/rules/failure/tables.h"

namespace trainwarden::rules {

struct FoundCode {
  std::size_t at;  // where the words before it begin
  Rank rank;
  FailureLabel label;
  RunAgain resume;
  bool of_process = false;  // how a process ended: what else its line says is only about that
};

// Of AWS first, then in the order of the text; only those that mean something. text: lower case.
std::vector<FoundCode> find_codes(std::string_view text);

// The same codes as the C++ SDK writes them, for PyArrow and others: "aws error access_denied
// during headobject operation".
std::optional<FoundCode> find_code_of_aws_in_cpp(std::string_view text);

}  // namespace trainwarden::rules
