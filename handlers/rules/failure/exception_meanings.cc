#include "handlers/rules/failure/exception_meanings.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace trainwarden::rules {
namespace {

struct Meaning {
  std::string_view name;  // of a class, or a part of it
  Rank rank;
  std::string_view label;
  std::string_view resume;
};

// By the whole name. All others are the program's own.
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
constexpr auto kFamilies = std::to_array<Meaning>({
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
    {"Preempt", Rank::kCause, "interrupted", "yes"},
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

// Modules whose exception is called `error`, and means malformed input.
constexpr auto kDataModules =
    std::to_array<std::string_view>({"struct", "zlib", "binascii", "cv2", "_csv", "csv"});

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

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

// "Error for Training job …: Failed. Reason: CapacityError: …", as the SDK says it.
bool quotes_the_reason(std::string_view message) {
  return message.starts_with("Error ") && message.contains("Reason: ");
}

// Whether a word of a message names a file or a directory: by where it is, or by its ending; but
// not one of the program's own.
bool is_a_path(std::string_view word) {
  static constexpr auto kPrograms = std::to_array<std::string_view>({".py", ".so", ".sh"});
  constexpr std::string_view kAround = "'\"`,:;()[]<>";
  constexpr std::size_t kLongestEnding = 12;
  while (!word.empty() && kAround.contains(word.front())) word.remove_prefix(1);
  while (!word.empty() && (kAround.contains(word.back()) || word.back() == '.'))
    word.remove_suffix(1);
  if (std::ranges::any_of(kPrograms, [word](std::string_view p) { return word.contains(p); }))
    return false;
  const std::size_t slash = word.find('/');
  if (slash == std::string_view::npos) return false;
  const std::size_t dot = word.rfind('.');
  const bool has_ending = dot != std::string_view::npos && dot > word.rfind('/') + 1 &&
                          word.size() - dot <= kLongestEnding && word.size() - dot > 2 &&
                          lower_of(word[dot + 1]) >= 'a' && lower_of(word[dot + 1]) <= 'z';
  return slash == 0 || word.starts_with("./") || word.starts_with("../") ||
         word.starts_with("s3://") || has_ending;
}

// Whether it says that something at a path is not there.
bool misses_a_path(std::string_view message) {
  static constexpr auto kMissing = std::to_array<std::string_view>(
      {" not found", " not find ", "not exist", "n't exist", "n't find ", " no such ", " missing",
       "nothing found", " nothing at ", " not there", "does not contain", "not a file",
       "not a directory"});
  if (std::ranges::none_of(kMissing, [message](std::string_view m) { return message.contains(m); }))
    return false;
  while (!message.empty()) {
    const std::size_t end = std::min(message.find(' '), message.size());
    if (is_a_path(message.substr(0, end))) return true;
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  return false;
}

bool one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

ExceptionMeaning meaning_of(std::string_view name, std::string_view message) {
  constexpr ExceptionMeaning kWraps{Rank::kWrapper, "unknown", "once"};
  if (one_of(kWrappers, name)) return kWraps;
  const auto whole = std::ranges::find(kMeanings, name, &Meaning::name);
  if (whole != kMeanings.end()) return {whole->rank, whole->label, whole->resume};
  const auto part =
      std::ranges::find_if(kFamilies, [name](const Meaning& m) { return name.contains(m.name); });
  if (part != kFamilies.end()) return {part->rank, part->label, part->resume};
  if (only_that_it_failed(message) || quotes_the_reason(message)) return kWraps;
  // "Caught KeyError in DataLoader worker process 3.": what it was stands in the lines that follow.
  if (message.ends_with(':') || (message.starts_with("Caught ") && message.contains("Error in ")))
    return {Rank::kHint, "user_code", "no"};
  if (one_of(kAboutNames, name)) return {Rank::kException, "user_code", "no", true};
  if (one_of(kOfTheProgram, name)) return {Rank::kException, "user_code", "no"};
  const bool about_values = name == "ValueError" || name == "AssertionError";
  const std::string_view label =
      misses_a_path(message) ? "data" : about(message).value_or("user_code");
  return {Rank::kException, label, "no", false, about_values};
}

bool means_malformed_input(std::string_view module) { return one_of(kDataModules, module); }

}  // namespace trainwarden::rules
