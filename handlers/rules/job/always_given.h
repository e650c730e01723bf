// The leaves of DescribeTrainingJob's answer that are never absent, by what AWS answers: where
// nobody set them, some are empty or false. Its public model says neither: aws_notes.json does.
#pragma once

#include <string_view>

namespace trainwarden::rules {

struct AlwaysGiven {
  std::string_view path;
  // As a policy writes it: what the leaf holds where nobody set it, and what no such leaf passes.
  // Both empty where that means nothing.
  std::string_view unset = {};
  std::string_view set = {};
};

// nullptr: the leaf may be absent, or nobody knows.
const AlwaysGiven* always_given(std::string_view path);

}  // namespace trainwarden::rules
