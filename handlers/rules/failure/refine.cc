#include "handlers/rules/failure/refine.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "handlers/rules/failure/codes.h"
#include "handlers/rules/failure/numbers.h"
#include "handlers/rules/failure/word_lists.h"
#include "handlers/rules/failure/wording.h"
#include "runtime/base/ascii.h"

namespace trainwarden::rules {
namespace {

class Refinement {
 public:
  explicit Refinement(const FailureText& text) : text_(text) {}

  void refine(Finding& found) const {
    const std::size_t line = text_.lines()[found.line].begin;
    if (found.label == FailureLabel::kHardware) doubt_a_read_only_disk(found);
    if (found.label == FailureLabel::kData && missed_its_removal(found.line))
      found.label = FailureLabel::kUserCode;
    if (found.label == FailureLabel::kUserCode && !found.specific && could_not_write(found.line))
      found.label = FailureLabel::kDisk;
    if (found.label == FailureLabel::kUserCode && failed_as_it_wrote(found.line))
      found.label = FailureLabel::kDisk;
    if (found.label == FailureLabel::kOomGpu && exhausted_a_disk(found.line))
      found.label = FailureLabel::kDisk;
    if (found.label == FailureLabel::kOomGpu &&
        device_memory_may_do(text_.lower().substr(line), before(found)))
      found.resume = RunAgain::kOnce;
    if (found.label == FailureLabel::kTimeout && waited_for_a_server(found))
      found.label = FailureLabel::kNetwork;
    if (found.label == FailureLabel::kNetwork && found.resume == RunAgain::kOnce &&
        (was_to_storage(found) || could_not_resolve(found)))
      found.resume = RunAgain::kYes;
    if (found.label == FailureLabel::kUserCode &&
        (checked_what_it_read(found.line) || asserted_that_a_file_is_there(found.line)))
      found.label = FailureLabel::kData;
    if (found.label == FailureLabel::kUserCode &&
        (asserted_of_a_setting(found.line) || validated_settings(found)))
      found.label = FailureLabel::kConfig;
    if (found.label == FailureLabel::kData && was_reading_settings(found.line))
      found.label = FailureLabel::kConfig;
    if (found.label == FailureLabel::kUserCode && is_a_panic_of_a_package(found)) {
      found.label = FailureLabel::kUnknown;
      found.resume = RunAgain::kOnce;
    }
    // The machines of a spot job may have been taken, too.
    if (found.text == "stopped - training job" &&
        text_.lower().contains("managed spot training savings"))
      found.resume = RunAgain::kOnce;
    if (found.label == FailureLabel::kQuota && limit_is_used_up_now(text_.lower(), line))
      found.resume = RunAgain::kOnce;
    if (found.label == FailureLabel::kService && found.resume == RunAgain::kYes &&
        answered_a_plain_500(found.line))
      found.resume = RunAgain::kOnce;
  }

 private:
  static bool is_of_exception(const Line& line) {
    return line.structure == Structure::kFrame || line.structure == Structure::kException;
  }

  // With what NCCL adds to an exception (`ncclUnhandledCudaError: …`, `Last error:`).
  static bool is_of_report(const Line& line) {
    return is_of_exception(line) || line.structure == Structure::kLibrary ||
           line.structure == Structure::kMessage || line.structure == Structure::kError;
  }

  // Where the lines of such a kind begin, of one process, that end with a line.
  std::size_t first_of(std::size_t line, bool (*belongs)(const Line&)) const {
    constexpr std::size_t kMost = 40;
    const std::span<const Line> lines = text_.lines();
    std::size_t first = line;
    while (first > 0 && line - first < kMost && belongs(lines[first - 1]) &&
           lines[first - 1].prefix.process == lines[line].prefix.process)
      --first;
    return first;
  }

  // The lines of the traceback that ends with a line, without it.
  std::string_view frames_above(std::size_t line) const {
    const std::size_t begin = text_.lines()[first_of(line, is_of_exception)].begin;
    return text_.lower().substr(begin, text_.lines()[line].begin - begin);
  }

  // Whether a connection that was closed was one to S3. What others say after it tells nothing.
  bool was_to_storage(const Finding& found) const {
    const std::span<const Line> lines = text_.lines();
    std::size_t last = found.line;
    while (last + 1 < lines.size() && goes_on_with(lines[last], lines[last + 1])) ++last;
    const std::size_t begin = lines[first_of(found.line, is_of_exception)].begin;
    const std::size_t at = lines[found.line].begin;
    return storage_hung_up(text_.lower().substr(begin, lines[last].end - begin), at - begin);
  }

  // Whether torch reached none of a host's addresses, and warned before of its name.
  bool could_not_resolve(const Finding& found) const {
    if (!text_.lower(text_.lines()[found.line]).contains("to any network address of")) return false;
    const std::string_view warned = before(found);
    return warned.contains("ipv4 network addresses of") && warned.contains("(gai error: ");
  }

  // `(Caused by …)`, `hostname: '…'`: what belongs to the line before it.
  bool goes_on_with(const Line& line, const Line& next) const {
    const std::string_view said = text_.lower(next);
    const std::size_t colon = said.find(": '");
    return next.prefix.process == line.prefix.process && next.prefix.timed <= line.prefix.timed &&
           (said.starts_with('(') || said.starts_with("caused by") ||
            (colon != said.npos && !said.substr(0, colon).contains(' ')));
  }

  // What was said right before a failure.
  std::string_view before(const Finding& found) const {
    constexpr std::size_t kLines = 3;
    const std::size_t line = first_of(found.line, is_of_report);
    const std::size_t first = line - std::min(line, kLines);
    const std::size_t begin = text_.lines()[first].begin;
    return text_.lower().substr(begin, text_.lines()[found.line].begin - begin);
  }

  // Whether it was the answer of a server that did not come in time. Who waits for the other
  // processes of the job says so in words of its own.
  bool waited_for_a_server(const Finding& found) const {
    static constexpr auto kWords =
        word_list("timed out", "operation timed out", "timeout:", "timeouterror", "deadline");
    static constexpr auto kServers =
        word_list("://", "curl", "dial tcp", "endpoint", "host=", "http", "socket", "server ");
    return (found.by == By::kException || is_one(found.text, kWords)) &&
           (has_one(text_.lower(text_.lines()[found.line]), kServers) ||
            was_connecting(found.line));
  }

  // Whether the frames of the exception on a line are those of a client of HTTP.
  bool was_connecting(std::size_t line) const {
    static constexpr auto kClients =
        word_list("/urllib3/", "/urllib/request.py", "/http/client.py", "/requests/", "/httpx/",
                  "/httpcore/", "/aiohttp/", "/botocore/");
    if (text_.lines()[line].structure != Structure::kException) return false;
    return has_one(frames_above(line), kClients);
  }

  // Whether an application answered 500, which may be about what it was asked. AWS and the stores
  // mean by it that they failed themselves.
  bool answered_a_plain_500(std::size_t line) const {
    static constexpr auto kStores =
        word_list("amazonaws.com", "//s3.", "s3://", ".googleapis.com", "huggingface.co", "hf.co/");
    const std::string_view said = text_.lower(text_.lines()[line]);
    return !has_one(said, kStores) &&
           std::ranges::any_of(find_codes(said), [](const FoundCode& code) {
             return code.label == FailureLabel::kService && code.resume == RunAgain::kOnce &&
                    !code.of_process && code.rank == Rank::kCause;
           });
  }

  // Whether a library's check failed in the part of it that reads files, as the name of its source
  // tells: `src/io/dataset.cpp:33: Check failed: …`.
  bool checked_what_it_read(std::size_t line) const {
    static constexpr auto kSources =
        word_list("/data/", "/io/", "/reader", "_reader.", "loader.", "parser.", "dataset.");
    const std::string_view said = text_.lower(text_.lines()[line]);
    return said.contains("check failed: ") && has_one(said, kSources);
  }

  // Whether the assertion that failed was that a file is there, as its source tells.
  bool asserted_that_a_file_is_there(std::size_t line) const {
    static constexpr auto kTests =
        word_list("path.exists(", "path.isfile(", "path.isdir(", ".exists()", ".is_file()");
    if (line == 0 || !text_.lower(text_.lines()[line]).starts_with("assertionerror")) return false;
    const std::string_view source = text_.lower(text_.lines()[line - 1]);
    return source.starts_with("assert ") && !source.starts_with("assert not ") &&
           has_one(source, kTests);
  }

  // Whether the assertion that failed, and says nothing itself, was one about the job's settings:
  // `assert args.batch_size % len(devices) == 0`.
  bool asserted_of_a_setting(std::size_t line) const {
    static constexpr auto kSettings =
        word_list("args.", "opt.", "opts.", "cfg.", "config.", "hparams.", "hparam.", "flags.");
    if (line == 0 || text_.lower(text_.lines()[line]) != "assertionerror") return false;
    const std::string_view source = text_.lower(text_.lines()[line - 1]);
    return source.starts_with("assert ") && has_one(source, kSettings);
  }

  // Whether SageMaker's toolkit raised it as it looked through the hyperparameters.
  bool validated_settings(const Finding& found) const {
    if (found.specific || text_.lines()[found.line].structure != Structure::kException)
      return false;
    return frames_above(found.line).contains("/hyperparameter_validation.py");
  }

  // Whether the file that could not be read was one of settings, as the frames tell: `config =
  // json.load(f)`.
  bool was_reading_settings(std::size_t line) const {
    static constexpr auto kReaders = word_list("decodeerror", "parsererror", "scannererror");
    static constexpr auto kSettings =
        word_list("config = ", "cfg = ", "config_file", "load_config", "read_config",
                  "parse_config", "hparams = ", "/integrations/deepspeed.py");
    const std::string_view said = text_.lower(text_.lines()[line]);
    return has_one(said.substr(0, said.find(':')), kReaders) &&
           has_one(frames_above(line), kSettings);
  }

  // `OSError: [Errno 30] Read-only file system: '/mlflow'`, whoever says so but the kernel: only
  // what a job can write at first, and then no longer, is a disk that failed. Of most paths that
  // cannot be told.
  void doubt_a_read_only_disk(Finding& found) const {
    static constexpr auto kWritable =
        word_list("/opt/ml/checkpoints", "/opt/ml/model", "/opt/ml/output");
    static constexpr auto kVolumes =
        word_list("/fsx", "/efs", "/mnt/", "/lustre", "/scratch", "/gpfs", "/nfs", "/home/",
                  "/root/", "/data/", "/tmp/", "/var/", "/dev/shm");
    if (found.text != "read-only file system" ||
        text_.lines()[found.line].structure == Structure::kKernel)
      return;
    const std::string_view path = path_in(text_.lower(text_.lines()[found.line]));
    if (starts_with_one(path, kWritable)) return;
    found.resume = RunAgain::kOnce;
    if (path.empty() || starts_with_one(path, kVolumes)) return;
    found.label = FailureLabel::kConfig;
    found.resume = RunAgain::kNo;
  }

  // The last path of a line that begins at the root, with what follows it: who speaks may be one.
  static std::string_view path_in(std::string_view said) {
    for (std::size_t at = said.rfind('/'); at != said.npos && at > 0;
         at = said.rfind('/', at - 1)) {
      const char before = said[at - 1];
      const bool begins = !is_alphanumeric(before) && before != '/' && before != '.' &&
                          before != '-' && before != '_' && before != '~';
      if (begins) return said.substr(at);
      if (at == 1) break;
    }
    return said.starts_with('/') ? said : std::string_view();
  }

  // Whether a package written in Rust gave up, and not the program.
  bool is_a_panic_of_a_package(const Finding& found) const {
    return found.text == "panicked at" &&
           text_.lower(text_.lines()[found.line]).contains("/.cargo/");
  }

  // Whether a file was missing when it was to be removed or renamed: the program's other processes
  // were faster, and no input is missing.
  bool missed_its_removal(std::size_t line) const {
    static constexpr auto kCalls =
        word_list("rmtree(", "os.remove(", "os.unlink(", ".unlink(", "os.rmdir(", "os.rename(",
                  "os.replace(", "shutil.move(");
    if (line == 0 || !text_.lower(text_.lines()[line]).contains("filenotfounderror")) return false;
    return has_one(text_.lower(text_.lines()[line - 1]), kCalls);
  }

  // Whether what TensorFlow found exhausted was the disk that its event files are on.
  bool exhausted_a_disk(std::size_t line) const {
    if (!text_.lower(text_.lines()[line]).contains("resourceexhaustederror")) return false;
    return frames_above(line).contains("/tensorboard/");
  }

  // Whether a file that could not be opened was one to be written, as the last frames tell.
  bool could_not_write(std::size_t line) const {
    static constexpr auto kWriters = word_list("filewriter(", "zipfile_writer", "torch.save(");
    if (!text_.lower(text_.lines()[line]).contains("cannot be opened")) return false;
    const std::size_t first =
        std::min(first_of(line, is_of_exception), line - std::min<std::size_t>(line, 1));
    const std::size_t begin = text_.lines()[first].begin;
    return has_one(text_.lower().substr(begin, text_.lines()[line].begin - begin), kWriters);
  }

  // Whether a library's check failed as it wrote out a model, or as it wrote where somebody else
  // says that the disk is full.
  bool failed_as_it_wrote(std::size_t line) const {
    static constexpr auto kWriters = word_list("write", "flush", "ofstream");
    const std::string_view said = text_.lower(text_.lines()[line]);
    return said.contains("check failed: ") &&
           (said.contains("serializeto") ||
            (has_one(said, kWriters) && text_.lower().contains("no space left on device")));
  }

  const FailureText& text_;
};

}  // namespace

void refine(Finding& found, const FailureText& text) {
  if (found.own == nullptr) Refinement(text).refine(found);
}

}  // namespace trainwarden::rules
