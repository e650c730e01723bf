// Arguments as main() gets them.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace trainwarden::cli {

class Arguments {
 public:
  Arguments(std::initializer_list<std::string> words)
      : Arguments(std::vector<std::string>(words)) {}
  explicit Arguments(std::vector<std::string> words) : words_(std::move(words)) {
    for (std::string& word : words_) pointers_.push_back(word.data());
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  const std::vector<char*>& get() const { return pointers_; }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

}  // namespace trainwarden::cli
