// What the demo prints: scenes, and in them lines of when, who and what. Colour only on a terminal,
// and never with NO_COLOR set (https://no-color.org).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/time.h"

namespace trainwarden::demo {

struct Line {
  sys_millis at;
  std::string who;
  std::string what;
  std::string operation = {};  // of a call to AWS
};

class Timeline {
 public:
  Timeline();

  void scene(std::string_view title, std::string_view about);
  // One line; times are UTC.
  void tell(sys_millis at, std::string_view who, std::string_view what) const;
  // In the order of their times.
  void tell(std::vector<Line> lines) const;
  // More about the line before, on as many lines as it takes.
  void detail(std::string_view what) const;
  // A text as someone reads it, line by line.
  void quote(std::string_view text) const;
  void say(std::string_view sentence) const;
  void blank() const;

 private:
  std::string_view paint(std::string_view code) const { return colour_ ? code : ""; }

  bool colour_;
  int scenes_ = 0;
};

// "Sat 16:40:02"
std::string when(sys_millis t);

}  // namespace trainwarden::demo
