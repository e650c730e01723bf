#include "handlers/rules/failure/exceptions.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>

#include "handlers/rules/failure/characters.h"
#include "handlers/rules/failure/heads.h"
#include "handlers/rules/failure/line_words.h"
#include "handlers/rules/failure/word_lists.h"
#include "runtime/base/ascii.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

// TensorFlow's: `ResourceExhaustedError (see above for traceback): OOM when …`.
constexpr std::string_view kSeeAbove = " (see above for traceback): ";

constexpr auto kEndings = word_list("Error", "Exception", "Interrupt");

bool is_called_error(std::string_view name) {
  return ends_with_one(name, kEndings) && !is_one(name, kEndings);
}

// What Python itself raises, and every program may.
bool is_of_python(std::string_view name) {
  static constexpr auto kNames =
      word_list("Exception", "BaseException", "ArithmeticError", "AssertionError", "AttributeError",
                "BufferError", "EOFError", "FloatingPointError", "ImportError", "IndentationError",
                "IndexError", "KeyError", "LookupError", "ModuleNotFoundError", "NameError",
                "NotImplementedError", "OSError", "IOError", "EnvironmentError", "OverflowError",
                "RecursionError", "ReferenceError", "RuntimeError", "StopIteration",
                "StopAsyncIteration", "SyntaxError", "SystemError", "TabError", "TypeError",
                "UnboundLocalError", "UnicodeDecodeError", "UnicodeEncodeError", "UnicodeError",
                "ValueError", "ZeroDivisionError");
  return is_one(name, kNames);
}

bool in_lower_case_module(std::string_view module) {
  return module.size() > 2 && module.ends_with('.') && !is_capital(module[0]) && module[0] != '.' &&
         std::ranges::all_of(module, [](char c) { return is_word(c) || c == '.'; });
}

bool ends_line(std::string_view rest) { return rest.empty(); }

// `Exception: …` and `StopIteration`, where a traceback or a message ends with them.
bool is_bare_exception(std::string_view word, std::string_view before, std::string_view rest) {
  const bool begins = before.empty() || before.ends_with("]: ") || before.ends_with(" \"") ||
                      before.ends_with("rror: ");
  if (!begins) return false;
  if (word == "Exception") return rest.starts_with(": ");
  return (word == "StopIteration" || word == "StopAsyncIteration") &&
         (ends_line(rest) || rest.starts_with(": "));
}

// Of several words, as classes are called: `ContextOverflow`.
bool has_humps(std::string_view word) {
  bool small = false;
  for (const char c : word) {
    if (small && is_capital(c)) return true;
    small = is_small(c);
  }
  return false;
}

// Whether what follows the name makes it the announcement of an exception: `: …`, `('…')`, or
// nothing; or the name of a cause in a wrapper's: `RayTaskError(KeyError): …`.
bool announces(std::string_view rest) {
  return rest.starts_with(kSeeAbove) || rest.starts_with("):") || rest.starts_with(":") ||
         rest.starts_with("('") || rest.starts_with("(\"") || rest.starts_with("(f'") ||
         rest.starts_with("(f\"") || rest.empty();
}

// What an exception says, and no more than a sentence or two; rest begins behind its name.
std::string_view message(std::string_view rest) {
  constexpr std::size_t kMost = 500;
  rest = rest.substr(0, kMost);
  while (rest.starts_with(':') || rest.starts_with(' ')) rest.remove_prefix(1);
  while (rest.ends_with('.') || rest.ends_with(' ')) rest.remove_suffix(1);
  return rest;
}

// Whether the words that stand in a message from at to end are some of its own, with blanks or
// marks of a sentence around.
bool speaks_of(std::string_view message, std::size_t at, std::size_t end) {
  constexpr std::string_view kAround = " .,:;!?()'\"`";
  if (at > 0 && !kAround.contains(message[at - 1])) return false;
  const std::string_view after = message.substr(end);
  // `config.json` is a name.
  return after.empty() || (kAround.contains(after[0]) &&
                           (after.size() < 2 || after[0] == ' ' || kAround.contains(after[1])));
}

// Whether it names an option of a command line: "`--fp16` can only be used …".
bool names_an_option(std::string_view message) {
  constexpr std::string_view kBefore = " `'\"(";
  for (std::size_t at = message.find("--"); at != std::string_view::npos;
       at = message.find("--", at + 2)) {
    if (at > 0 && !kBefore.contains(message[at - 1])) continue;
    if (at + 2 < message.size() && is_small(message[at + 2])) return true;
  }
  return false;
}

// An index of lists of kTables: each in a bit, by its place.
template <typename Lists, typename Block>
WordIndex index_of(const Lists& lists, Block block) {
  WordIndex out(3);
  std::uint64_t bit = 1;
  for (const auto& list : lists) {
    for (std::string_view words = block(list); !words.empty();) out.add(bit, take_text(words));
    bit <<= 1U;
  }
  return out;
}

// The label of what a message is about. lower: the message in lower case.
std::optional<FailureLabel> about(std::string_view message, std::string_view lower) {
  static const WordIndex kIndex =
      index_of(kTables.subjects, [](const Subjects& subjects) { return subjects.words; });
  if (names_an_option(message)) return FailureLabel::kConfig;
  std::uint64_t found = 0;
  kIndex.each(lower, [&](std::uint64_t bit, std::size_t at, std::size_t size) {
    if (speaks_of(lower, at, at + size)) found |= bit;
  });
  if (found == 0) return std::nullopt;
  return kTables.subjects[static_cast<std::size_t>(std::countr_zero(found))].label;
}

// "XGBoostModel training failed": that something failed, in a few words, and nothing of why.
bool only_that_it_failed(std::string_view message) {
  constexpr std::ptrdiff_t kFewBlanks = 4;
  return message.ends_with(" failed") && std::ranges::count(message, ' ') <= kFewBlanks;
}

// Whether a message only says where to read on: it ends with a place in the sources of a library
// in C++, `pair.cc:538]`, or counts or calls what stands below.
bool points_elsewhere(std::string_view message) {
  static constexpr auto kSources = word_list(".cc", ".cpp", ".cu", ".h", ".hpp");
  static constexpr auto kBelow =
      word_list("etails refer to ", " root error(s) found", "rror occurred while calling o");
  if (has_one(message, kBelow)) return true;
  if (message.ends_with(']')) message.remove_suffix(1);
  const std::size_t colon = message.rfind(':');
  return colon != message.npos && colon + 1 < message.size() &&
         std::ranges::all_of(message.substr(colon + 1), is_digit) &&
         ends_with_one(message.substr(0, colon), kSources);
}

// "Error for Training job …: Failed. Reason: CapacityError: …", as the SDK says it.
bool quotes_the_reason(std::string_view message) {
  return message.starts_with("Error ") && message.contains("Reason: ");
}

// Whether a word of a message names a file or a directory: by where it is, or by its ending; but
// not one of the program's own.
bool is_a_path(std::string_view word) {
  static constexpr auto kPrograms = word_list(".py", ".so", ".sh");
  constexpr std::string_view kAround = "'\"`,:;()[]<>";
  constexpr std::size_t kLongestEnding = 12;
  while (!word.empty() && kAround.contains(word.front())) word.remove_prefix(1);
  while (!word.empty() && (kAround.contains(word.back()) || word.back() == '.'))
    word.remove_suffix(1);
  if (has_one(word, kPrograms)) return false;
  const std::size_t slash = word.find('/');
  if (slash == std::string_view::npos) return false;
  const std::size_t dot = word.rfind('.');
  const bool has_ending = dot != std::string_view::npos && dot > word.rfind('/') + 1 &&
                          word.size() - dot <= kLongestEnding && word.size() - dot > 2 &&
                          is_small(to_lower(word[dot + 1]));
  return slash == 0 || word.starts_with("./") || word.starts_with("../") ||
         word.starts_with("s3://") || has_ending;
}

// Whether it says that something at a path is not there. lower: in lower case.
bool misses_a_path(std::string_view message, std::string_view lower) {
  if ((line_words(lower) & kMissingWord) == 0) return false;
  while (!message.empty()) {
    const std::size_t end = std::min(message.find(' '), message.size());
    if (is_a_path(message.substr(0, end))) return true;
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  return false;
}

// The first that has the name, or a part of it.
const ExceptionTypes* type_of(std::string_view name) {
  static const WordIndex kIndex =
      index_of(kTables.exceptions, [](const ExceptionTypes& types) { return types.names; });
  std::uint64_t found = 0;
  kIndex.each(name, [&](std::uint64_t bit, std::size_t, std::size_t size) {
    const auto at = static_cast<std::size_t>(std::countr_zero(bit));
    if (!kTables.exceptions[at].whole || size == name.size()) found |= bit;
  });
  if (found == 0) return nullptr;
  return &kTables.exceptions[static_cast<std::size_t>(std::countr_zero(found))];
}

// A name with its modules; where its last part begins.
struct Name {
  std::size_t begin;
  std::size_t end;
  std::size_t last;
};
Name name_at(std::string_view said, std::size_t at) {
  const char* const text = said.data();
  Name out{at, at, at};
  for (; out.end < said.size(); ++out.end) {
    if (is_word(text[out.end])) continue;
    if (text[out.end] != '.' || out.end + 1 == said.size() || !is_word(text[out.end + 1])) break;
    out.last = out.end + 1;
  }
  return out;
}

// Where the first `:`, `(` or `)` at or behind `from` stands; the size of a text that has none.
// Eight characters are looked at at a time.
std::size_t next_bracket_or_colon(std::string_view text, std::size_t from) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  static_assert((')' ^ '(') == 1);
  const char* const at = text.data();
  for (; from + sizeof(kEach) <= text.size(); from += sizeof(kEach)) {
    const std::uint64_t eight = head_of(at + from, sizeof(kEach));
    // Of each byte the highest bit: whether it is one. Those behind the first may lie.
    const std::uint64_t colon = eight ^ (kEach * ':');
    const std::uint64_t bracket = (eight & (kEach * 0xfe)) ^ (kEach * '(');
    const std::uint64_t found =
        (((colon - kEach) & ~colon) | ((bracket - kEach) & ~bracket)) & (kEach * 0x80);
    if (found != 0) return from + static_cast<std::size_t>(std::countr_zero(found)) / 8;
  }
  while (from < text.size() && at[from] != ':' && at[from] != '(' && at[from] != ')') ++from;
  return from;
}

// The first name at or behind `from` that what follows may make the announcement of an exception:
// `:`, a bracket, or the end. Most words are followed by something else, and are not looked at.
std::optional<Name> next_announced(std::string_view said, std::size_t from) {
  const char* const text = said.data();
  for (std::size_t i = from; i <= said.size(); ++i) {
    i = next_bracket_or_colon(said, i);
    Name out{i, i, i};
    if (i > from && i < said.size() && text[i] == '(' && text[i - 1] == ' ') --out.end;
    out.begin = out.end;
    bool in_module = false;
    while (out.begin > from) {
      const char before = text[out.begin - 1];
      const bool joins = before == '.' && out.begin < out.end && out.begin - 1 > from &&
                         is_word(text[out.begin - 2]);
      if (!is_word(before) && !joins) break;
      if (joins && !in_module) out.last = out.begin;
      in_module = in_module || joins;
      --out.begin;
    }
    if (out.begin == out.end) continue;
    if (!in_module) out.last = out.begin;
    return out;
  }
  return std::nullopt;
}

// Whether what follows the name of a class at the beginning of a line makes it an exception's.
bool announces_at_begin(std::string_view rest) {
  if (rest.empty() || rest[0] == '(') return true;
  if (rest[0] == ':')
    return rest.size() == 1 || rest[1] == ' ' || rest[1] == '[' || is_letter(rest[1]);
  return rest[0] == ' ' && rest.starts_with(kSeeAbove);
}

}  // namespace

ExceptionMeaning meaning_of(std::string_view name, std::string_view message) {
  constexpr ExceptionMeaning kWraps{Rank::kWrapper, FailureLabel::kUnknown, RunAgain::kOnce,
                                    About::kNothing};
  const ExceptionTypes* type = type_of(name);
  if (type != nullptr && type->verdict.label != FailureLabel::kUserCode)
    return {type->rank, type->verdict.label, type->verdict.resume, type->about};
  if (only_that_it_failed(message) || quotes_the_reason(message)) return kWraps;
  // "Caught KeyError in DataLoader worker process 3.": what it was stands in the lines that follow.
  if ((message.ends_with(':') && !message.starts_with("[Errno ")) || points_elsewhere(message) ||
      (message.starts_with("Caught ") && message.contains("Error in ")))
    return {Rank::kHint, FailureLabel::kUserCode, RunAgain::kNo, About::kNothing};
  if (type != nullptr) return {type->rank, type->verdict.label, type->verdict.resume, type->about};
  const About subject =
      name == "ValueError" || name == "AssertionError" ? About::kValues : About::kNothing;
  return {Rank::kException, FailureLabel::kUserCode, RunAgain::kNo, subject, true};
}

FailureLabel label_of(std::string_view message, std::string_view lower, bool may_miss) {
  if (may_miss && misses_a_path(message, lower)) return FailureLabel::kData;
  return about(message, lower).value_or(FailureLabel::kUserCode);
}

bool exception_at_begin(std::string_view said) {
  if (said.starts_with('E') && said.starts_with("E   ")) said.remove_prefix(4);
  if (said.starts_with('w') && said.starts_with("what(): ")) return true;
  const Name name = name_at(said, 0);
  const std::string_view word = said.substr(name.last, name.end - name.last);
  const std::string_view rest = said.substr(name.end);
  if (word.empty() || !announces_at_begin(rest)) return false;
  const std::size_t first = word.find_first_not_of('_');
  if (first == std::string_view::npos) return false;
  const bool in_module = name.last > 0 && in_lower_case_module(said.substr(0, name.last));
  if (!is_capital(word[first]))
    return in_module && (word.ends_with("error") || word == "timeout") && rest.starts_with(": ");
  if (is_called_error(word) || word == "Exception" || word == "StopIteration") return true;
  return in_module && !rest.starts_with("(") && name.last > 2 &&
         (said.substr(0, name.last).contains("rror") ||
          said.substr(0, name.last).contains("xception") || rest.starts_with(": "));
}

bool class_at_begin(std::string_view said) {
  const Name name = name_at(said, 0);
  const std::string_view word = said.substr(name.last, name.end - name.last);
  const std::string_view rest = said.substr(name.end);
  if (word.empty() || !is_capital(word[0]) || !(rest.empty() || rest.starts_with(": ")))
    return false;
  return has_humps(word) || (name.last > 0 && in_lower_case_module(said.substr(0, name.last)));
}

std::vector<FoundException> find_exceptions(std::string_view said, bool ends_traceback) {
  constexpr std::size_t kMostOfALine = 16;  // what they say is read of each
  static constexpr auto kDataModules =
      word_list("struct.", "zlib.", "binascii.", "cv2.", "_csv.", "csv.");
  std::vector<FoundException> out;
  std::size_t from = 0;
  while (const auto name_found = next_announced(said, from)) {
    if (out.size() >= kMostOfALine) break;
    const Name& name = *name_found;
    const std::size_t begin = name.begin;
    // What a C++ exception says as it ends the program.
    constexpr std::string_view kWhat = "what(): ";
    if (said[begin] == kWhat[0] && said.substr(begin).starts_with(kWhat)) {
      const FoundException what{begin, kWhat.size(), {}, false, {}};
      out.push_back(what);
      from = begin + kWhat.size();
      continue;
    }
    from = name.end;
    const std::string_view word = said.substr(name.last, name.end - name.last);
    const std::size_t first = word.find_first_not_of('_');
    if (first == std::string_view::npos || (!is_capital(word[first]) && word != "error")) continue;
    const std::string_view rest = said.substr(from);
    const std::string_view module = said.substr(begin, name.last - begin);
    if ((word == "error" || word == "Error") && !module.empty() && rest.starts_with(": ")) {
      const bool malformed = is_one(module, kDataModules);
      const FoundException found{
          begin,
          name.end - begin,
          {Rank::kException, malformed ? FailureLabel::kData : FailureLabel::kUnknown,
           malformed ? RunAgain::kNo : RunAgain::kOnce, About::kNothing},
          false,
          {}};
      out.push_back(found);
      continue;
    }
    if (word == "error" || word.ends_with("Warning")) continue;
    const std::string_view before = said.substr(0, begin);
    const bool begins =
        begin == 0 || before.ends_with("AlgorithmError: ") || before.ends_with("ErrorMessage \"");
    const bool of_traceback =
        (begin == 0 && ends_traceback && class_at_begin(said)) ||
        (begin > 0 && begins && rest.starts_with(": ") && has_humps(word) && !word.contains('_'));
    const bool in_module =
        !module.empty() &&
        (module.ends_with("exceptions.") || module.ends_with("errors.") ||
         module.ends_with("errorfactory.") || module.ends_with(".exc.") ||
         (begins && (rest.starts_with(": ") || rest.empty()) && in_lower_case_module(module)));
    const bool named = is_called_error(word) || is_bare_exception(word, before, rest) ||
                       (of_traceback && word != "SystemExit") || in_module;
    if (!named || !announces(rest) || before.ends_with("raise ") || before.ends_with("except ") ||
        before.ends_with("'") || before.ends_with("/"))
      continue;
    FoundException found{begin, name.end - begin, meaning_of(word, message(rest)),
                         module.empty() && is_of_python(word), message(rest)};
    // Classes of that name in a module are not SageMaker's words.
    if (word == "InternalServerError" && !module.empty())
      found.meaning = {Rank::kSymptom, FailureLabel::kService, RunAgain::kOnce, About::kNothing};
    if (word == "CapacityError" && !module.empty() && !module.starts_with("sagemaker."))
      found.meaning = {};
    out.push_back(found);
  }
  return out;
}

}  // namespace trainwarden::rules
