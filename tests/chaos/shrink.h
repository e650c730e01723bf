// Finds a short history that breaks the same invariant: removes parts of the story, one after the
// other, as long as the invariant is still broken.
#pragma once

#include <set>
#include <string>

#include "tests/chaos/judge.h"
#include "tests/chaos/story.h"

namespace trainwarden::chaos {

struct Shortest {
  Story story;
  std::set<std::string> spared;  // mishaps that are not needed
  Evidence evidence;             // of it, with its diary
  std::vector<Violation> violations;
};

Shortest shrink(Story story, const std::string& invariant);

}  // namespace trainwarden::chaos
