// An environment made of literals.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "runtime/base/environment.h"

namespace trainwarden::testing {

class Env {
 public:
  Env(std::initializer_list<std::string> entries) : entries_(entries) {
    for (const std::string& entry : entries_) pointers_.push_back(entry.c_str());
    pointers_.push_back(nullptr);
  }
  Env(const Env&) = delete;
  Env& operator=(const Env&) = delete;

  Environment operator()() const { return Environment(pointers_.data()); }

 private:
  std::vector<std::string> entries_;
  std::vector<const char*> pointers_;
};

}  // namespace trainwarden::testing
