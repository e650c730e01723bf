#include "handlers/rules/alarms/witness.h"

#include <algorithm>

#include "runtime/base/ascii.h"

namespace trainwarden::rules {
namespace {

constexpr std::chrono::minutes kShortGap{5};

// Behind the bracket expression or the group that begins at `at`; npos where dialects differ about
// it, or where it is open.
std::size_t behind_brackets(std::string_view text, std::size_t at) {
  const std::size_t first = at + (text.substr(at + 1, 1) == "^" ? 2 : 1);
  for (std::size_t i = first; i < text.size(); ++i) {
    if (text[i] == '[' || (text[i] == ']' && i == first)) return text.npos;
    if (text[i] == ']') return i + 1;
    if (text[i] == '\\') ++i;
  }
  return text.npos;
}

std::size_t behind_group(std::string_view text, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '[') {
      const std::size_t behind = behind_brackets(text, i);
      if (behind == text.npos) return behind;
      i = behind - 1;
    } else if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')' && --depth == 0) {
      return i + 1;
    }
  }
  return text.npos;
}

// \d, \s and so on, which stand for one character, or for a place between two.
bool is_class(char escaped) {
  return std::string_view("dDwWsSbB").find(escaped) != std::string_view::npos;
}

// (?i) and the like change what all the rest means.
bool has_flags(std::string_view text) {
  for (std::size_t i = text.find("(?"); i != text.npos; i = text.find("(?", i + 1))
    if (i + 2 < text.size() &&
        (is_alphanumeric(text[i + 2]) ? text[i + 2] != 'P' : text[i + 2] == '-'))
      return true;
  return false;
}

// Collects the longest run of characters that stand for themselves.
class Run {
 public:
  void add(char c) { run_ += c; }
  // The last character need not be there.
  void drop_last() {
    if (!run_.empty()) run_.pop_back();
    end();
  }
  void end() {
    if (run_.size() > longest_.size()) longest_ = run_;
    run_.clear();
  }
  std::string take() {
    end();
    return std::move(longest_);
  }

 private:
  std::string run_;
  std::string longest_;
};

}  // namespace

bool covers(std::vector<Datapoint> witness, std::chrono::seconds period, const Silence& silence) {
  const auto longest = std::max<std::chrono::seconds>(kShortGap, (silence.end - silence.begin) / 2);
  std::ranges::sort(witness, {}, &Datapoint::time);
  sys_seconds heard = silence.begin;
  bool any = false;
  for (const Datapoint& datapoint : witness) {
    if (datapoint.time + period <= silence.begin || datapoint.time >= silence.end) continue;
    if (datapoint.time - heard > longest) return false;
    heard = std::max(heard, datapoint.time + period);
    any = true;
  }
  return any && silence.end - heard <= longest;
}

std::string literal_of(std::string_view expression) {
  if (has_flags(expression)) return {};
  Run run;
  for (std::size_t i = 0; i < expression.size();) {
    const char c = expression[i];
    switch (c) {
      case '|':
        return {};
      case '\\': {
        // \. is a point; \Q, \x41 and the like say something about what follows.
        const char escaped = i + 1 < expression.size() ? expression[i + 1] : 'Q';
        if (is_class(escaped))
          run.end();
        else if (is_alphanumeric(escaped))
          return {};
        else
          run.add(escaped);
        i += 2;
        continue;
      }
      case '[':
      case '(':
        run.end();
        i = c == '[' ? behind_brackets(expression, i) : behind_group(expression, i);
        if (i == expression.npos) return {};
        continue;
      case '{':
        run.drop_last();
        i = std::min(expression.find('}', i), expression.size() - 1) + 1;
        continue;
      case '*':
      case '?':
        run.drop_last();
        break;
      case '+':
      case '.':
      case '^':
      case '$':
      case ')':
        run.end();
        break;
      default:
        run.add(c);
    }
    ++i;
  }
  return run.take();
}

}  // namespace trainwarden::rules
