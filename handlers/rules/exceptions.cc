#include "handlers/rules/exceptions.h"

#include <algorithm>
#include <array>

namespace trainwarden::rules {
namespace {

struct Meaning {
  std::string_view name;
  Rank rank;
  std::string_view label;
  std::string_view resume;
};

// All others are the program's own.
constexpr auto kMeanings = std::to_array<Meaning>({
    {"FileNotFoundError", Rank::kException, "data", "no"},
    {"NotADirectoryError", Rank::kException, "data", "no"},
    {"IsADirectoryError", Rank::kException, "data", "no"},
    {"EmptyDataError", Rank::kException, "data", "no"},
    {"ResourceExhaustedError", Rank::kException, "oom_gpu", "no"},
    {"DataLossError", Rank::kException, "data", "no"},
    {"NotFoundError", Rank::kException, "data", "no"},
    {"DatasetGenerationError", Rank::kException, "data", "no"},
    {"DatasetNotFoundError", Rank::kException, "data", "no"},
    {"EntryNotFoundError", Rank::kException, "data", "no"},
    {"PermissionError", Rank::kException, "permission", "no"},
    {"UsageError", Rank::kException, "config", "no"},
    {"ConfigError", Rank::kException, "config", "no"},
    {"ConfigurationError", Rank::kException, "config", "no"},
    {"ValidationError", Rank::kException, "config", "no"},
    {"ParamValidationError", Rank::kException, "config", "no"},
    {"ArgumentError", Rank::kException, "config", "no"},
    {"SMPConfigError", Rank::kException, "config", "no"},
    {"SMPValidationError", Rank::kException, "config", "no"},
    {"SMDDPNotSupportedError", Rank::kException, "config", "no"},
    {"ConfigAttributeError", Rank::kException, "config", "no"},
    {"ConfigCompositionException", Rank::kException, "config", "no"},
    {"MissingConfigException", Rank::kException, "config", "no"},
    {"OverrideParseException", Rank::kException, "config", "no"},
    {"ScannerError", Rank::kException, "config", "no"},
    {"ConfigKeyError", Rank::kException, "config", "no"},
    {"MissingMandatoryValue", Rank::kException, "config", "no"},
    {"RepositoryNotFoundError", Rank::kException, "config", "no"},
    {"NoSuchBucket", Rank::kException, "config", "no"},
    {"TimeoutError", Rank::kSymptom, "timeout", "once"},
    {"TimeoutExpired", Rank::kSymptom, "timeout", "once"},
    {"ConnectionError", Rank::kSymptom, "network", "once"},
    {"APIConnectionError", Rank::kSymptom, "network", "once"},
    {"LocalEntryNotFoundError", Rank::kSymptom, "network", "once"},
    {"CommError", Rank::kCause, "service", "once"},
    {"HTTPError", Rank::kSymptom, "service", "once"},
    {"ServiceError", Rank::kSymptom, "service", "once"},
});

// They say that something else failed.
constexpr auto kWrappers = std::to_array<std::string_view>({
    "ChildFailedError",
    "CalledProcessError",
    "ExecuteUserScriptError",
    "AlgorithmError",
    "UnexpectedStatusException",
    "SignalException",
    "ProcessRaisedException",
    "ProcessExitedException",
    "RayTaskError",
    "RayActorError",
    "ActorDiedError",
    "TuneError",
    "TrainingFailedError",
    "HorovodInternalError",
    "DistBackendError",
    "InternalServerError",
    "ClientError",
    "WorkerCrashedError",
    "CustomerError",
    "CapacityError",
    "JobFailedError",
    "WaiterError",
    "MultiProcessingError",
    "TrialError",
    "BrokenProcessPool",
    "RemoteError",
    "ExitCodeError",
    "InstallModuleError",
    "InstallRequirementsError",
    "ImportModuleError",
    "UserCodeException",
    "ErrorMessage",
});

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_word(char c) {
  return is_upper(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

// Modules whose exception is called `error`, and means malformed input.
constexpr auto kDataModules =
    std::to_array<std::string_view>({"struct", "zlib", "binascii", "cv2"});

// The name that ends at `end`.
std::string_view module_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

// Whether what follows the name makes it the announcement of an exception: `: …`, `('…')`, or
// nothing.
bool announces(std::string_view rest) {
  return rest.starts_with(":") || rest.starts_with("('") || rest.starts_with("(\"") ||
         rest.empty() || rest[0] == '\n';
}

}  // namespace

std::vector<FoundException> find_exceptions(std::string_view text) {
  constexpr std::array<std::string_view, 3> kEndings = {"Error", "Exception", "Interrupt"};
  std::vector<FoundException> out;
  std::size_t i = 0;
  while (i < text.size()) {
    if (!is_word(text[i])) {
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
      if (std::ranges::find(kDataModules, module) != kDataModules.end())
        out.push_back({begin, Rank::kException, "data", "no"});
      else if (!module.empty())
        out.push_back({begin, Rank::kException, "user_code", "no"});
      continue;
    }
    if (!is_upper(word[0])) continue;
    const bool named = std::ranges::any_of(kEndings, [word](std::string_view ending) {
      return word.size() > ending.size() && word.ends_with(ending);
    });
    const std::string_view before = text.substr(0, begin);
    // `urllib3.exceptions.URLSchemeUnknown: …`: not all are called errors.
    const bool in_module = before.ends_with("exceptions.") || before.ends_with("errors.") ||
                           before.ends_with("errorfactory.") || before.ends_with(".exc.");
    if (!(named || in_module) || !announces(text.substr(i)) || before.ends_with("raise ") ||
        before.ends_with("except ") || before.ends_with("'"))
      continue;
    if (std::ranges::find(kWrappers, word) != kWrappers.end()) {
      out.push_back({begin, Rank::kWrapper, "unknown", "once"});
      continue;
    }
    const auto meaning = std::ranges::find(kMeanings, word, &Meaning::name);
    if (meaning == kMeanings.end()) {
      out.push_back({begin, Rank::kException, "user_code", "no"});
    } else {
      out.push_back({begin, meaning->rank, meaning->label, meaning->resume});
    }
  }
  return out;
}

}  // namespace trainwarden::rules
