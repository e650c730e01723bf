// Everything that is wrong with a policy, not only the first mistake. A message names the path,
// what was found and what was expected. At most kMaxErrors errors are kept.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainwarden::rules {

// The current path while a document is walked: "rules[2].match.tags["cost.center"]". It becomes
// text only when there is something to report.
class JsonPath {
 public:
  JsonPath() = default;
  explicit JsonPath(std::string_view start) : start_(start) {}

  // Adds a step for as long as it lives. The member's name must outlive it.
  class Step {
   public:
    Step(JsonPath& where, std::string_view member) : where_(where) {
      where.steps_.push_back({member, 0, true});
    }
    Step(JsonPath& where, std::size_t index) : where_(where) {
      where.steps_.push_back({{}, index, false});
    }
    ~Step() { where_.steps_.pop_back(); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    JsonPath& where_;
  };

  std::string path() const;
  // "/rules/2/match/tags/cost.center", a JSON pointer (RFC 6901).
  std::string pointer() const;

 private:
  struct Part {
    std::string_view member;
    std::size_t index;
    bool is_member;
  };

  std::string start_;
  std::vector<Part> steps_;
};

// One thing that is wrong or probably not meant, and where.
struct Remark {
  std::string path;     // "rules[2].match.tags.team", "rules[2] (name)"; empty: the whole text
  std::string pointer;  // "/rules/2/match/tags/team", "/rules/2"
  std::string message;
  // Of a warning: `check` reports it as a mistake. The functions only warn, so that no deployed
  // policy is switched off (P2).
  bool is_refusal = false;
  // Of a warning: it says what may be meant so, and `check --strict` does not count it.
  bool is_hint = false;

  // "rules[2] (name): …"
  std::string text() const;
  bool operator==(const Remark&) const = default;
};

// The most errors that are kept.
inline constexpr std::size_t kMaxErrors = 1000;

class Diagnostics {
 public:
  void error(const JsonPath& where, std::string_view what);
  void warning(const JsonPath& where, std::string_view what);
  // A warning that `check` takes for a mistake.
  void refusal(const JsonPath& where, std::string_view what);

  // kMaxErrors was reached: the rest need not be read, and further errors are not kept.
  bool enough() const { return errors_.size() >= kMaxErrors; }
  bool any_errors() const { return !errors_.empty(); }
  std::vector<Remark> take_errors() { return std::move(errors_); }
  std::vector<Remark> take_warnings() { return std::move(warnings_); }

 private:
  std::vector<Remark> errors_;
  std::vector<Remark> warnings_;
};

}  // namespace trainwarden::rules
