#include "handlers/rules/failure/code_forms.h"

#include <algorithm>
#include <array>

#include "handlers/rules/failure/word_lists.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_word(char c) { return is_digit(c) || is_small(c) || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

bool is_traceback_frame(std::string_view said) {
  if (said.starts_with("File \"")) return said.contains(", line ");
  // IPython's: `File ~/x.py:37, in f(a)` and `--> 37 f()`.
  return (said.starts_with("File ") && said.contains(", in ")) || said.starts_with("--> ") ||
         said.starts_with("---> ") || said.starts_with("----> ");
}

bool is_drawn(std::string_view said) {
  static constexpr auto kBoxes = word_list("│", "╭", "╰", "❱", "┃", "┏");
  return starts_with_one(said, kBoxes);
}

bool is_underline(std::string_view said) {
  return !said.empty() && said.contains('^') && said.find_first_not_of("^~ ") == said.npos;
}

bool is_code(std::string_view said) {
  static constexpr auto kStatements = word_list(
      "raise ", "except ", "return ", "assert ", "with ", "def ", "import ", "if ", "elif ", "for ",
      "while ", "self.", "warnings.warn(", "logger.", "logging.", "print(");
  if (said.starts_with("raise ") || said.starts_with("self.") || said.starts_with("def "))
    return !said.starts_with("self.") || said.ends_with(')') || said.ends_with('(');
  if (said.starts_with("from ") && said.contains(" import ")) return true;
  if (!starts_with_one(said, kStatements)) return false;
  return said.ends_with(')') || said.ends_with(':') || said.ends_with('(') ||
         (said.starts_with("import ") && std::ranges::count(said, ' ') == 1) ||
         (said.starts_with("assert ") && said.contains(" == "));
}

bool is_command(std::string_view said) {
  static constexpr auto kHeads = word_list(
      "Command \"", "Command '", "command: ", "Command: ", "cmd: ", "CMD: ", "Invoking script",
      "Running command", "running command", "Executing ", "+ ", "++ ", "$ ", "mpirun -",
      "mpirun --", "/usr/bin/python", "/opt/conda/bin/python", "/miniconda3/bin/python", "python ",
      "python3 ", "torchrun ", "accelerate launch ", "deepspeed --", "bash ",
      "usage:", "Training Env", "Environment variables", "Namespace(",
      "Arguments:", "TrainingArguments(", "Reading default configuration",
      "Merging with provided configuration", "Final configuration", "Loaded hyperparameters",
      "hyperparameters:", "Hyperparameters:", "Requirement already", "Collecting ", "Downloading ",
      "Installing ", "Successfully ", "Using cached ", "Building wheel", "Created wheel",
      "Stored in directory", "Obtaining ", "Preparing metadata", "Attempting uninstall",
      "Found existing installation", "Uninstalling", "Looking in ");
  if (starts_with_one(said, kHeads)) return !said.contains("' returned non-zero exit status");
  // `SM_HPS={…}`, `NCCL_DEBUG=INFO`, `export X=1`
  std::size_t name = 0;
  while (name < said.size() &&
         (is_digit(said[name]) || said[name] == '_' || (said[name] >= 'A' && said[name] <= 'Z')))
    ++name;
  if (name > 3 && name < said.size() && said[name] == '=') return true;
  // `[--mp_parameters MP_PARAMETERS]`, of a usage
  return said.starts_with("[--") || said.starts_with("[-h]");
}

bool is_dump(std::string_view said, std::string_view lower, const Bigrams& pairs) {
  static constexpr auto kNews = word_list(
      "error", "exception", "fail", "\"reason\"", "\"message\"", "\"msg\"", "\"action\"",
      "\"status\"", "\"code\"", "'code'", "'status'", "'message'", "instance-action", "signal");
  if (said.empty()) return false;
  const bool opens = said[0] == '{' || said[0] == '"' || said[0] == '\'' ||
                     (said[0] == 'u' && said.starts_with("u'"));
  const bool has_pairs =
      said.contains("\": ") || said.contains("\":") || said.contains("': ") || said.contains("=>");
  if (opens && has_pairs) return !has_one(lower, pairs, kNews);
  // `… configuration …: {'epochs': 1, 'mini_batch_size': '1000'}`
  const std::size_t brace = said.find('{');
  if (brace == std::string_view::npos) return false;
  return std::ranges::count(said.substr(brace), ':') >= 4 &&
         std::ranges::count(said.substr(brace), ',') >= 3 && !has_one(lower, pairs, kNews);
}

bool warns(std::string_view said) {
  constexpr std::string_view kWarning = "Warning: ";
  const std::size_t at = said.substr(0, 300).find(kWarning);
  if (at == std::string_view::npos) return false;
  if (at == 0) return true;
  return is_word(said[at - 1]) || said[at - 1] == ' ' || said[at - 1] == ']';
}

bool ignores(std::string_view said) {
  return said.starts_with("Exception ignored in") || said.starts_with("Exception ignored on");
}

}  // namespace trainwarden::rules
