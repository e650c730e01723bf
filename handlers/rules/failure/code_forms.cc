#include "handlers/rules/failure/code_forms.h"

#include <algorithm>
#include <cstdint>

#include "handlers/rules/failure/characters.h"
#include "handlers/rules/failure/word_lists.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

// By what lines of code, commands and the like begin.
enum Head : std::uint32_t {
  kFrame = 1U << 0U,
  kBox = 1U << 1U,
  kStatement = 1U << 2U,
  kImport = 1U << 3U,
  kCommand = 1U << 4U,
  kUsage = 1U << 5U,
  kIgnored = 1U << 6U,
};
constexpr auto kFrames = word_list("File ", "--> ", "---> ", "----> ");
constexpr auto kBoxes = word_list("│", "╭", "╰", "❱", "┃", "┏");
constexpr auto kStatements =
    word_list("raise ", "except ", "return ", "assert ", "with ", "def ", "import ", "if ", "elif ",
              "for ", "while ", "self.", "warnings.warn(", "logger.", "logging.", "print(");
constexpr auto kImports = word_list("from ");
constexpr auto kCommands = word_list(
    "Command \"", "Command '", "command: ", "Command: ", "cmd: ", "CMD: ", "Invoking script",
    "Running command", "running command", "Executing ",
    "Error executing job with overrides: ", "+ ", "++ ", "$ ", "mpirun -", "mpirun --",
    "/usr/bin/python", "/opt/conda/bin/python", "/miniconda3/bin/python", "python ", "python3 ",
    "torchrun ", "accelerate launch ", "deepspeed --", "bash ", "usage:", "Training Env",
    "Environment variables", "Namespace(", "Arguments:", "TrainingArguments(",
    "Reading default configuration", "Merging with provided configuration", "Final configuration",
    "Loaded hyperparameters", "hyperparameters:", "Hyperparameters:", "Requirement already",
    "Collecting ", "Downloading ", "Installing ", "Successfully ", "Using cached ",
    "Building wheel", "Created wheel", "Stored in directory", "Obtaining ", "Preparing metadata",
    "Attempting uninstall", "Found existing installation", "Uninstalling", "Looking in ");
// `[--mp_parameters MP_PARAMETERS]`
constexpr auto kUsages = word_list("[--", "[-h]");
constexpr auto kIgnores = word_list("--- Logging error ---", "Exception ignored in",
                                    "Exception ignored on", "Error in atexit");

}  // namespace

CodeHeads code_heads(std::string_view said) {
  static const WordIndex kIndex(1, {{kFrame, kFrames},
                                    {kBox, kBoxes},
                                    {kStatement, kStatements},
                                    {kImport, kImports},
                                    {kCommand, kCommands},
                                    {kUsage, kUsages},
                                    {kIgnored, kIgnores}});
  return {static_cast<std::uint32_t>(kIndex.at_begin(said))};
}

bool is_traceback_frame(std::string_view said, CodeHeads heads) {
  if ((heads.bits & kFrame) == 0) return false;
  if (said.starts_with("File \"")) return said.contains(", line ");
  // IPython's: `File ~/x.py:37, in f(a)` and `--> 37 f()`.
  return said.starts_with('-') || said.contains(", in ");
}

bool is_drawn(CodeHeads heads) { return (heads.bits & kBox) != 0; }

bool is_underline(std::string_view said) {
  return !said.empty() && said.contains('^') && said.find_first_not_of("^~ ") == said.npos;
}

bool is_rule(std::string_view lower) {
  constexpr std::size_t kShortest = 8;
  return lower.size() >= kShortest && (lower[0] == '=' || lower[0] == '-' || lower[0] == '*') &&
         lower.find_first_not_of(lower[0]) == lower.npos;
}

bool is_of_table(std::string_view lower) {
  static constexpr auto kTableHeads = word_list(
      "time :", "host :", "rank :", "error_file:", "failures:", "other failures:", "root cause (");
  // The first characters of these and of a rule: most lines have another.
  constexpr std::string_view kFirst = "threfo=-*";
  return !lower.empty() && kFirst.contains(lower[0]) &&
         (starts_with_one(lower, kTableHeads) || is_rule(lower));
}

bool is_code(std::string_view said, CodeHeads heads) {
  if ((heads.bits & (kStatement | kImport)) == 0) return false;
  if (said.starts_with("raise ") || said.starts_with("self.") || said.starts_with("def "))
    return !said.starts_with("self.") || said.ends_with(')') || said.ends_with('(');
  if ((heads.bits & kImport) != 0) return said.contains(" import ");
  return said.ends_with(')') || said.ends_with(':') || said.ends_with('(') ||
         (said.starts_with("import ") && std::ranges::count(said, ' ') == 1) ||
         (said.starts_with("assert ") && said.contains(" == "));
}

bool is_command(std::string_view said, CodeHeads heads) {
  // A program that speaks: `/usr/bin/python3: can't open file 'train.py'`
  if (said.starts_with('/') && said.substr(0, said.find(' ')).ends_with(':')) return false;
  // `usage: train.py [-h] … train.py: error: unrecognized arguments: --x`, on one line.
  if ((heads.bits & (kCommand | kUsage)) != 0 && said.contains(".py: error: ")) return false;
  if ((heads.bits & kCommand) != 0) return !said.contains("' returned non-zero exit status");
  // `SM_HPS={…}`, `NCCL_DEBUG=INFO`, `export X=1`
  std::size_t name = 0;
  while (name < said.size() &&
         (is_digit(said[name]) || said[name] == '_' || (said[name] >= 'A' && said[name] <= 'Z')))
    ++name;
  if (name > 3 && name < said.size() && said[name] == '=') return true;
  return (heads.bits & kUsage) != 0;
}

namespace {

// `"a": 1`, `'a': 1`, `a => 1`
bool has_keys(std::string_view said) {
  const char* const text = said.data();
  for (std::size_t i = 0; i + 1 < said.size(); ++i) {
    if (text[i + 1] == ':') {
      if (text[i] == '"' || (text[i] == '\'' && i + 2 < said.size() && text[i + 2] == ' '))
        return true;
    } else if (text[i] == '=' && text[i + 1] == '>') {
      return true;
    }
  }
  return false;
}

// Whether a character stands there so many times, or more.
bool has_many(std::string_view text, char c, int many) {
  std::size_t at = text.find(c);
  while (at != text.npos && --many > 0) at = text.find(c, at + 1);
  return at != text.npos;
}

}  // namespace

bool is_dump(std::string_view said, bool is_a_finding) {
  if (said.empty()) return false;
  const bool opens = said[0] == '{' || said[0] == '"' || said[0] == '\'' ||
                     (said[0] == 'u' && said.starts_with("u'"));
  if (opens && has_keys(said)) return !is_a_finding;
  // `… configuration …: {'epochs': 1, 'mini_batch_size': '1000'}`
  const std::size_t brace = said.find('{');
  if (brace == std::string_view::npos) return false;
  return has_many(said.substr(brace), ':', 4) && has_many(said.substr(brace), ',', 3) &&
         !is_a_finding;
}

bool warns(std::string_view said) {
  constexpr std::string_view kWarning = "Warning: ";
  const std::size_t at = said.substr(0, 300).find(kWarning);
  if (at == std::string_view::npos) return false;
  if (at == 0) return true;
  return is_word(said[at - 1]) || said[at - 1] == ' ' || said[at - 1] == ']';
}

bool ignores(CodeHeads heads) { return (heads.bits & kIgnored) != 0; }

}  // namespace trainwarden::rules
