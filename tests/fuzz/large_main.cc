// Writes a target's large input to standard output: `./dev fuzz` makes it a seed.
#include <cstdio>

#include "tests/fuzz/large.h"

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const std::string text = trainwarden::fuzz::large_input(arguments[1]);
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}
