#include "handlers/rules/failure/exceptions.h"

#include <algorithm>
#include <array>

#include "handlers/rules/failure/exception_meanings.h"

namespace trainwarden::rules {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_word(char c) {
  return is_upper(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

// The name that ends at `end`.
std::string_view module_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

// `queue.Empty: …` at the begin of a line, as a traceback ends: a class of a module.
bool in_lower_case_module(std::string_view before) {
  const std::size_t line = before.rfind('\n') + 1;
  const std::string_view module = before.substr(line);
  return module.size() > 2 && module.ends_with('.') && !is_upper(module[0]) && module[0] != '.' &&
         std::ranges::all_of(module, [](char c) { return is_word(c) || c == '.'; });
}

bool ends_line(std::string_view rest) { return rest.empty() || rest[0] == '\n'; }

// `Exception: …` and `StopIteration`, where a traceback or a message ends with them.
bool is_bare_exception(std::string_view word, std::string_view before, std::string_view rest) {
  const bool begins = before.empty() || before.ends_with('\n') || before.ends_with("]: ") ||
                      before.ends_with(" \"");
  if (!begins) return false;
  if (word == "Exception") return rest.starts_with(": ");
  return (word == "StopIteration" || word == "StopAsyncIteration") &&
         (ends_line(rest) || rest.starts_with(": "));
}

// `AlgorithmError: ContextOverflow: …`, and where the frames of a traceback end: not all classes
// are called errors. Of several words, and a message follows.
bool ends_a_traceback(std::string_view word, std::string_view before, std::string_view rest) {
  if (!rest.starts_with(": ") || word.contains('_') || word == "SystemExit" ||
      word.ends_with("Warning"))
    return false;
  bool small = false;
  bool several = false;
  for (const char c : word) {
    several = several || (small && is_upper(c));
    small = !is_upper(c);
  }
  if (!several) return false;
  if (before.ends_with("AlgorithmError: ") || before.ends_with("ErrorMessage \"")) return true;
  if (!before.ends_with('\n')) return false;
  // A frame, its code, and perhaps marks under that.
  constexpr int kMostLines = 3;
  for (int n = 0; n < kMostLines && !before.empty(); ++n) {
    before.remove_suffix(1);
    const std::size_t begin = before.rfind('\n') + 1;
    const std::string_view line = before.substr(begin);
    if (line.contains("File \"") && line.contains("\", line ") && line.contains(", in "))
      return true;
    before = before.substr(0, begin);
  }
  return false;
}

// Whether what follows the name makes it the announcement of an exception: `: …`, `('…')`, or
// nothing; or the name of a cause in a wrapper's: `RayTaskError(KeyError): …`.
bool announces(std::string_view rest) {
  return rest.starts_with("):") || rest.starts_with(":") || rest.starts_with("('") ||
         rest.starts_with("(\"") || rest.empty() || rest[0] == '\n';
}

// What an exception says, to the end of its line, and no more than a sentence or two; rest begins
// behind its name.
std::string_view message(std::string_view rest) {
  constexpr std::size_t kMost = 500;
  rest = rest.substr(0, std::min(rest.find('\n'), kMost));
  while (rest.starts_with(':') || rest.starts_with(' ')) rest.remove_prefix(1);
  while (rest.ends_with('.') || rest.ends_with(' ')) rest.remove_suffix(1);
  return rest;
}

}  // namespace

std::vector<FoundException> find_exceptions(std::string_view text) {
  constexpr std::array<std::string_view, 3> kEndings = {"Error", "Exception", "Interrupt"};
  constexpr int kMostOfALine = 32;  // what they say is read of each
  std::vector<FoundException> out;
  int of_line = 0;
  std::size_t i = 0;
  while (i < text.size()) {
    if (!is_word(text[i])) {
      if (text[i] == '\n') of_line = 0;
      ++i;
      continue;
    }
    // What a C++ exception says as it ends the program.
    if (constexpr std::string_view kWhat = "what(): "; text.substr(i).starts_with(kWhat)) {
      out.push_back({i, Rank::kException, "user_code", "no"});
      i += kWhat.size();
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && is_word(text[i])) ++i;
    const std::string_view word = text.substr(begin, i - begin);
    if ((word == "error" || word == "Error") && text.substr(0, begin).ends_with('.') &&
        text.substr(i).starts_with(": ")) {
      const std::string_view module = module_before(text, begin - 1);
      if (!module.empty())
        out.push_back(
            {begin, Rank::kException, means_malformed_input(module) ? "data" : "user_code", "no"});
      continue;
    }
    const std::size_t first = word.find_first_not_of('_');
    if (first == std::string_view::npos || !is_upper(word[first])) continue;
    const std::string_view before = text.substr(0, begin);
    const bool named =
        std::ranges::any_of(kEndings,
                            [word](std::string_view ending) {
                              return word.size() > ending.size() && word.ends_with(ending);
                            }) ||
        is_bare_exception(word, before, text.substr(i)) ||
        ends_a_traceback(word, before, text.substr(i));
    // `urllib3.exceptions.URLSchemeUnknown: …`: not all are called errors.
    const bool in_module = before.ends_with("exceptions.") || before.ends_with("errors.") ||
                           before.ends_with("errorfactory.") || before.ends_with(".exc.") ||
                           ((text.substr(i).starts_with(": ") || ends_line(text.substr(i))) &&
                            in_lower_case_module(before));
    if (!(named || in_module) || !announces(text.substr(i)) || before.ends_with("raise ") ||
        before.ends_with("except ") || before.ends_with("'") || before.ends_with("/"))
      continue;
    if (++of_line > kMostOfALine) continue;
    ExceptionMeaning means = meaning_of(word, message(text.substr(i)));
    // Classes of that name in a module are not SageMaker's words.
    if (word == "InternalServerError" && before.ends_with('.'))
      means = {Rank::kSymptom, "service", "once"};
    if (word == "CapacityError" && before.ends_with('.'))
      means = {Rank::kException, "user_code", "no"};
    out.push_back(
        {begin, means.rank, means.label, means.resume, means.about_names, means.about_values});
  }
  return out;
}

}  // namespace trainwarden::rules
