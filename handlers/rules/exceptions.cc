#include "handlers/rules/exceptions.h"

#include <algorithm>
#include <array>
#include <optional>

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
    {"CastError", Rank::kException, "data", "no"},
    {"EOFError", Rank::kException, "data", "no"},
    {"ParserError", Rank::kException, "data", "no"},
    {"ParseError", Rank::kException, "data", "no"},
    {"DecodeError", Rank::kException, "data", "no"},
    {"DtypeWarning", Rank::kWrapper, "unknown", "once"},
    {"NoRegionError", Rank::kException, "config", "no"},
    {"ProfileNotFound", Rank::kException, "config", "no"},
    {"UnknownServiceError", Rank::kException, "config", "no"},
    {"CreateContainerConfigError", Rank::kException, "config", "no"},
    {"CreateContainerError", Rank::kException, "config", "no"},
    {"CannotCreateContainerError", Rank::kException, "config", "no"},
    {"CannotStartContainerError", Rank::kException, "config", "no"},
    {"MissingCUDAException", Rank::kException, "config", "no"},
    {"ObjectStoreFullError", Rank::kException, "oom_host", "no"},
    {"OutOfDiskError", Rank::kException, "disk", "no"},
    {"InvalidArgumentError", Rank::kException, "user_code", "no"},
});

// What a part of a name means, where the whole name is not known. The first that fits counts.
struct Family {
  std::string_view part;
  Rank rank;
  std::string_view label;
  std::string_view resume;
};
constexpr auto kFamilies = std::to_array<Family>({
    {"ConnectTimeout", Rank::kSymptom, "network", "once"},
    {"ReadTimeout", Rank::kSymptom, "network", "once"},
    {"SocketTimeout", Rank::kSymptom, "network", "once"},
    {"GatewayTimeout", Rank::kCause, "service", "yes"},
    {"Timeout", Rank::kSymptom, "timeout", "once"},
    {"TimedOut", Rank::kSymptom, "timeout", "once"},
    {"DeadlineExceeded", Rank::kSymptom, "timeout", "once"},
    {"Connection", Rank::kSymptom, "network", "once"},
    {"CommClosed", Rank::kSymptom, "network", "once"},
    {"Disconnect", Rank::kSymptom, "network", "once"},
    {"Unreachable", Rank::kSymptom, "network", "once"},
    {"NetworkError", Rank::kSymptom, "network", "once"},
    {"SocketException", Rank::kSymptom, "network", "once"},
    {"OfflineMode", Rank::kSymptom, "network", "once"},
    {"AccessDenied", Rank::kException, "permission", "no"},
    {"PermissionDenied", Rank::kException, "permission", "no"},
    {"Unauthorized", Rank::kException, "permission", "no"},
    {"NotAuthorized", Rank::kException, "permission", "no"},
    {"Authentication", Rank::kException, "permission", "no"},
    {"Authorization", Rank::kException, "permission", "no"},
    {"Forbidden", Rank::kException, "permission", "no"},
    {"Credential", Rank::kException, "permission", "no"},
    {"Throttl", Rank::kCause, "service", "yes"},
    {"RateLimit", Rank::kCause, "service", "yes"},
    {"TooManyRequests", Rank::kCause, "service", "yes"},
    {"ServiceUnavailable", Rank::kCause, "service", "yes"},
    {"UnavailableError", Rank::kSymptom, "network", "once"},
    {"QuotaExceeded", Rank::kException, "quota", "no"},
    {"Corrupt", Rank::kException, "data", "no"},
    {"Truncated", Rank::kException, "data", "no"},
    {"Checksum", Rank::kException, "data", "no"},
    {"SplitsSizes", Rank::kException, "data", "no"},
    {"BadZip", Rank::kException, "data", "no"},
    {"DataFiles", Rank::kException, "data", "no"},
    {"DataNotFound", Rank::kException, "data", "no"},
    {"FileNotFound", Rank::kException, "data", "no"},
    {"NoSuchFile", Rank::kException, "data", "no"},
    {"Deserializ", Rank::kException, "data", "no"},
    {"ConfigError", Rank::kException, "config", "no"},
    {"ConfigException", Rank::kException, "config", "no"},
    {"Configuration", Rank::kException, "config", "no"},
    {"ValidationError", Rank::kException, "config", "no"},
    {"ValidationException", Rank::kException, "config", "no"},
    {"VersionMismatch", Rank::kException, "config", "no"},
    {"UsageError", Rank::kException, "config", "no"},
    {"ArgumentError", Rank::kException, "config", "no"},
    {"ClassNotFound", Rank::kException, "config", "no"},
    {"CannotPull", Rank::kException, "config", "no"},
    {"CannotStart", Rank::kException, "config", "no"},
    {"CannotCreate", Rank::kException, "config", "no"},
    {"ImagePull", Rank::kException, "config", "no"},
    {"ResourceInitialization", Rank::kException, "config", "no"},
    {"InvalidParameter", Rank::kException, "config", "no"},
    {"MissingParameter", Rank::kException, "config", "no"},
    // What the loss or the end of another process is called.
    {"KilledWorker", Rank::kWrapper, "unknown", "once"},
    {"WorkerCrash", Rank::kWrapper, "unknown", "once"},
    {"WorkerLost", Rank::kWrapper, "unknown", "once"},
    {"ActorUnavailable", Rank::kWrapper, "unknown", "once"},
    {"JobFailed", Rank::kWrapper, "unknown", "once"},
    {"TaskFailed", Rank::kWrapper, "unknown", "once"},
    {"TrainingFailed", Rank::kWrapper, "unknown", "once"},
    {"ProcessFailed", Rank::kWrapper, "unknown", "once"},
    {"SubprocessError", Rank::kWrapper, "unknown", "once"},
    {"Cancelled", Rank::kWrapper, "unknown", "once"},
    {"Aborted", Rank::kWrapper, "unknown", "once"},
});

// What a message is about, where the class of the exception says nothing: plain words of it. The
// first of the list that is there counts.
struct Subject {
  std::string_view words;
  std::string_view label;
};
constexpr auto kSubjects = std::to_array<Subject>({
    {"hyperparameter", "config"},
    {"hyperparameters", "config"},
    {"environment variable", "config"},
    {"environment variables", "config"},
    {"configuration", "config"},
    {"configured", "config"},
    {"misconfigured", "config"},
    {"config", "config"},
    {"config file", "config"},
    {"cluster", "config"},
    {"tpu", "config"},
    {"driver", "config"},
    {"cuda version", "config"},
    {"python version", "config"},
    {"torch version", "config"},
    {"pytorch version", "config"},
    {"world size", "config"},
    {"tensor parallel", "config"},
    {"pipeline parallel", "config"},
    {"data parallel", "config"},
    {"parallel size", "config"},
    {"number of gpus", "config"},
    {"number of devices", "config"},
    {"number of processes", "config"},
    {"number of nodes", "config"},
    {"mpi processes", "config"},
    {"global batch size", "config"},
    {"micro batch size", "config"},
    {"command line", "config"},
    {"instance type", "config"},
    {"distributed training", "config"},
    {"multi-node", "config"},
    {"local rank", "config"},
    {"local-rank", "config"},
    {"device count", "config"},
    {"device-count", "config"},
    {"csv", "data"},
    {"parquet", "data"},
    {"json file", "data"},
    {"jsonl", "data"},
    {"tfrecord", "data"},
    {"tfrecords", "data"},
    {"data file", "data"},
    {"data files", "data"},
    {"image file", "data"},
    {"images found", "data"},
    {"annotation", "data"},
    {"annotations", "data"},
    {"dataset", "data"},
    {"training data", "data"},
    {"input data", "data"},
    {"checkpoint file", "data"},
    {"archive", "data"},
});

// Their messages tell of values in the program whatever words they use.
constexpr auto kOfTheProgram = std::to_array<std::string_view>(
    {"ZeroDivisionError", "FloatingPointError", "OverflowError", "RecursionError", "IndexError",
     "NotImplementedError", "BackendCompilerFailed", "LinAlgError"});

// They tell of names and types in the program: what such a message quotes did not happen.
constexpr auto kAboutNames = std::to_array<std::string_view>(
    {"AttributeError", "NameError", "KeyError", "ImportError", "ModuleNotFoundError", "TypeError",
     "SyntaxError", "IndexError", "UnboundLocalError", "IndentationError", "NotImplementedError"});

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
    "InternalError",
    "SMDDPError",
});

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_word(char c) {
  return is_upper(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

// Modules whose exception is called `error`, and means malformed input.
constexpr auto kDataModules =
    std::to_array<std::string_view>({"struct", "zlib", "binascii", "cv2", "_csv", "csv"});

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

// Whether what follows the name makes it the announcement of an exception: `: …`, `('…')`, or
// nothing; or the name of a cause in a wrapper's: `RayTaskError(KeyError): …`.
bool announces(std::string_view rest) {
  return rest.starts_with("):") || rest.starts_with(":") || rest.starts_with("('") ||
         rest.starts_with("(\"") || rest.empty() || rest[0] == '\n';
}

// What an exception says, to the end of its line; rest begins behind its name.
std::string_view message(std::string_view rest) {
  rest = rest.substr(0, rest.find('\n'));
  while (rest.starts_with(':') || rest.starts_with(' ')) rest.remove_prefix(1);
  while (rest.ends_with('.') || rest.ends_with(' ')) rest.remove_suffix(1);
  return rest;
}

char lower_of(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

// Whether the words stand in the message, in any case, with blanks or marks of a sentence around.
bool speaks_of(std::string_view message, std::string_view words) {
  constexpr std::string_view kAround = " .,:;!?()'\"`";
  const auto same = [](char a, char b) { return lower_of(a) == b; };
  for (std::size_t at = 0; at + words.size() <= message.size(); ++at) {
    if (at > 0 && !kAround.contains(message[at - 1])) continue;
    if (!std::ranges::equal(message.substr(at, words.size()), words, same)) continue;
    const std::string_view after = message.substr(at + words.size());
    // `config.json` is a name.
    if (after.empty() || (kAround.contains(after[0]) &&
                          (after.size() < 2 || after[0] == ' ' || kAround.contains(after[1]))))
      return true;
  }
  return false;
}

// Whether it names an option of a command line: "`--fp16` can only be used …".
bool names_an_option(std::string_view message) {
  constexpr std::string_view kBefore = " `'\"(";
  for (std::size_t at = message.find("--"); at != std::string_view::npos;
       at = message.find("--", at + 2)) {
    if (at > 0 && !kBefore.contains(message[at - 1])) continue;
    if (at + 2 < message.size() && message[at + 2] >= 'a' && message[at + 2] <= 'z') return true;
  }
  return false;
}

// The label of what a message is about.
std::optional<std::string_view> about(std::string_view message) {
  if (names_an_option(message)) return "config";
  const auto subject = std::ranges::find_if(
      kSubjects, [message](const Subject& s) { return speaks_of(message, s.words); });
  if (subject == kSubjects.end()) return std::nullopt;
  return subject->label;
}

// "XGBoostModel training failed": that something failed, in a few words, and nothing of why.
bool only_that_it_failed(std::string_view message) {
  constexpr std::ptrdiff_t kFewBlanks = 4;
  return message.ends_with(" failed") && std::ranges::count(message, ' ') <= kFewBlanks;
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
    const std::size_t first = word.find_first_not_of('_');
    if (first == std::string_view::npos || !is_upper(word[first])) continue;
    const bool named = std::ranges::any_of(kEndings, [word](std::string_view ending) {
      return word.size() > ending.size() && word.ends_with(ending);
    });
    const std::string_view before = text.substr(0, begin);
    // `urllib3.exceptions.URLSchemeUnknown: …`: not all are called errors.
    const bool in_module = before.ends_with("exceptions.") || before.ends_with("errors.") ||
                           before.ends_with("errorfactory.") || before.ends_with(".exc.") ||
                           (text.substr(i).starts_with(": ") && in_lower_case_module(before));
    if (!(named || in_module) || !announces(text.substr(i)) || before.ends_with("raise ") ||
        before.ends_with("except ") || before.ends_with("'") || before.ends_with("/"))
      continue;
    if (std::ranges::find(kWrappers, word) != kWrappers.end()) {
      out.push_back({begin, Rank::kWrapper, "unknown", "once"});
      continue;
    }
    const auto meaning = std::ranges::find(kMeanings, word, &Meaning::name);
    if (meaning != kMeanings.end()) {
      out.push_back({begin, meaning->rank, meaning->label, meaning->resume});
      continue;
    }
    const auto family =
        std::ranges::find_if(kFamilies, [word](const Family& f) { return word.contains(f.part); });
    if (family != kFamilies.end()) {
      out.push_back({begin, family->rank, family->label, family->resume});
      continue;
    }
    const std::string_view said = message(text.substr(i));
    if (only_that_it_failed(said)) {
      out.push_back({begin, Rank::kWrapper, "unknown", "once"});
      continue;
    }
    // What it is about stands in the lines that follow.
    if (said.ends_with(':')) {
      out.push_back({begin, Rank::kHint, "user_code", "no"});
      continue;
    }
    const std::string_view subject =
        about(said) && std::ranges::find(kOfTheProgram, word) == kOfTheProgram.end() ? *about(said)
                                                                                     : "user_code";
    const bool about_names = std::ranges::find(kAboutNames, word) != kAboutNames.end();
    out.push_back(
        {begin, Rank::kException, about_names ? "user_code" : subject, "no", about_names});
  }
  return out;
}

}  // namespace trainwarden::rules
