#include "handlers/rules/failure/prefix.h"

#include <algorithm>
#include <array>
#include <optional>

#include "handlers/rules/failure/characters.h"
#include "handlers/rules/failure/logger_fields.h"
#include "handlers/rules/failure/process_names.h"
#include "handlers/rules/failure/progress_bar.h"
#include "handlers/rules/failure/time_marks.h"
#include "handlers/rules/failure/word_lists.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view line) : line_(line), rest_(line) {}

  Prefix read() {
    // A dozen pieces are more than any logger puts there.
    for (int pieces = 0; pieces < 12; ++pieces) {
      if (rest_.starts_with("  ")) out_.indented = true;
      skip_blanks();
      if (!(group() || time() || bar() || bracket() || worker() || container() || task() ||
            glog() || level() || named() || keys() || field() || quotation()))
        break;
      out_.indented = false;
    }
    out_.length = line_.size() - rest_.size();
    return out_;
  }

 private:
  void skip_blanks() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }

  // `  | `, `    | `, `  + `: the exceptions of a group, as Python draws them.
  bool group() { return out_.indented && (take("| ") || take("+ ")); }

  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  void speaks(std::string_view who) {
    constexpr std::uint32_t kPrime = 16777619;
    if (out_.process == 0) out_.process = 2166136261U;
    for (const char c : who) out_.process = (out_.process ^ static_cast<unsigned char>(c)) * kPrime;
  }

  // Of several loggers the one that stands nearest to what was said passed nothing on.
  void says(Level level) {
    out_.level = level;
    told_ = true;
  }

  // `2024-03-22 15:18:20,466`, `09/11/2023 17:25:09 -`, `17:25:09.133`, `2024-05-01T…Z`,
  // `Mar 22 15:18:20 host` and `Fri Mar 22 15:18:20 2024`.
  bool time() {
    const TimeDigits found = time_digits(rest_);
    const auto& [at, digits, marks, month] = found;
    if (at == 0) return false;
    from_time_ = rest_;
    constexpr std::size_t kMillis = 13;  // since 1970
    if (digits == kMillis && at == kMillis && line_.size() == rest_.size() && at < rest_.size() &&
        rest_[at] == ' ') {
      rest_.remove_prefix(at);
      out_.timed = true;
      return true;
    }
    if (digits < 6 || marks < 2) return false;
    const std::string_view text = rest_.substr(0, at);
    if (!text.contains(':') && !text.contains('-') && !text.contains('/')) return false;
    if (at < rest_.size() && is_letter(rest_[at]) && rest_[at] != 'Z') return false;
    rest_.remove_prefix(at);
    take("Z");
    take(":");
    // As Kubernetes writes its containers' logs: indentation begins behind that.
    if (rest_.starts_with(" std"))
      for (const std::string_view stream : {" stderr F ", " stdout F ", " stderr P ", " stdout P "})
        if (take(stream)) {
          out_.timed = true;
          return true;
        }
    skip_blanks();
    take("- ");
    if (!take("stderr ")) take("stdout ");
    out_.timed = true;
    if (!month && stream()) return true;
    if (month) {  // syslog: the host, and who speaks there
      constexpr std::size_t kLongestHost = 64;
      const std::size_t host = rest_.find(' ');
      if (host < kLongestHost) rest_.remove_prefix(host + 1);
      program();
    }
    logger();
    return true;
  }

  // `python3[4711]: `: one that says nothing by its name.
  void program() {
    static constexpr auto kPrograms =
        word_list("python", "train", "docker", "run", "bash", "torchrun");
    const std::size_t end = rest_.substr(0, 48).find("]: ");
    if (end == std::string_view::npos || rest_.find(' ') < end ||
        !starts_with_one(rest_, kPrograms))
      return;
    speaks(rest_.substr(0, end));
    rest_.remove_prefix(end + 2);
  }

  // `algo-1-1714557600 `, `train-job/algo-1-1714557600 `: a log stream's name, as the ends of
  // several are shown together.
  bool stream() {
    const std::size_t end = rest_.find(' ');
    constexpr std::size_t kLongest = 128;
    const std::string_view name = rest_.substr(0, end);
    if (end > kLongest || !(is_host(name) || is_host(name.substr(name.find('/') + 1))) ||
        !std::ranges::all_of(name, [](char c) { return is_word(c) || c == '-' || c == '/'; }))
      return false;
    speaks(name);
    rest_.remove_prefix(end + 1);
    return true;
  }

  // `sagemaker-training-toolkit ERROR   …`, `easyeditor.editors - INFO - …`: a level that follows
  // the time after one name.
  void logger() {
    skip_blanks();
    std::string_view rest = rest_;
    for (int words = 0; words < 3; ++words) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      std::string_view word = rest.substr(0, end);
      while (word.ends_with(':') || word.ends_with(']')) word.remove_suffix(1);
      while (word.starts_with('[')) word.remove_prefix(1);
      const bool capitals = word.size() > 3 && is_capital(word[0]) && is_capital(word[1]);
      const auto level = capitals ? level_of(word) : std::nullopt;
      if (level) {
        says(*level);
        rest_ = rest.substr(end);
        skip_blanks();
        take("- ");
        take(": ");
        return;
      }
      rest.remove_prefix(end);
      while (rest.starts_with(' ')) rest.remove_prefix(1);
      if (rest.starts_with("- ")) rest.remove_prefix(2);
    }
  }

  bool bar() {
    const std::size_t length = may_have_bar_ ? bar_length(rest_) : 0;
    if (length == 0) return false;
    rest_.remove_prefix(length);
    says_nothing_yet();
    return true;
  }

  void says_nothing_yet() { out_.level = Level::kNone; }

  // `[kubeflow][worker-2] `: the job's name, or its namespace, before the process.
  bool precedes_a_process(std::string_view inside, std::size_t close) const {
    return rest_.substr(close).starts_with("][") && names_a_process(rest_.substr(close + 2)) &&
           std::ranges::all_of(inside,
                               [](char c) { return is_small(c) || is_digit(c) || c == '-'; });
  }

  // `[98]` and a tab: a round of XGBoost or LightGBM, and no process.
  bool counts_a_round(std::string_view inside, std::size_t close) const {
    return rest_.substr(close + 1).starts_with("  ") && std::ranges::all_of(inside, is_digit);
  }

  bool is_transport(std::string_view inside) {
    if (inside.empty() || inside.size() > 160) return false;
    if (names_a_process(inside)) return true;
    if (is_time(inside)) {
      // `[12345.678901]`, but not `[1714557600.123]`
      constexpr std::size_t kMicros = 6;
      constexpr std::size_t kLongestUptime = 8;
      const std::size_t dot = inside.find('.');
      out_.kernel = out_.kernel || (dot <= kLongestUptime && inside.size() == dot + 1 + kMicros &&
                                    line_.size() == rest_.size());
      out_.timed = out_.timed || inside.contains('.');
      out_.timed = out_.timed || inside.contains(':');
      return true;
    }
    // `[09c561ee-a44c-4795-967c-7183a83b3160]`
    if (inside.size() >= 8 && std::ranges::all_of(inside, [](char c) {
          return is_digit(c) || (c >= 'a' && c <= 'f') || c == '-';
        }))
      return true;
    // `[2021-05-29 00:01:14.133 algo-2:225 INFO state_store.py:77]`, `[INFO|trainer.py:2926]`,
    // `[1,mpirank:6,algo-1]`
    if (is_digit(inside[0])) return inside.contains(':') || inside.contains(',');
    return false;
  }

  bool bracket() {
    if (!rest_.starts_with('[')) return false;
    const std::size_t close = rest_.substr(0, 200).find(']');
    if (close == std::string_view::npos) return false;
    const std::string_view inside = rest_.substr(1, close - 1);
    const std::optional<Level> level = level_in_bracket(inside);
    // `[2024-05-01 10:00:00,123][__main__][ERROR] - `: a logger's name between others.
    const bool names_a_logger = out_.timed && !level && rest_.size() > close + 1 &&
                                (rest_[close + 1] == '[' || out_.level != Level::kNone) &&
                                !inside.empty() && (is_letter_or_(inside[0]) || inside[0] == '/') &&
                                std::ranges::all_of(inside, is_of_a_logger_s_name);
    const bool names_a_place = told_ && is_place(inside);
    if (level) {
      says(*level);
    } else if (names_a_logger || names_a_place) {
      rest_.remove_prefix(close + 1);
      if (!take(" - ")) take(":");
      return true;
    } else if (!is_transport(inside) && !precedes_a_process(inside, close)) {
      return false;
    } else if (!counts_a_round(inside, close) && (!out_.timed || !inside.contains(':') ||
                                                  (inside.contains(',') && !is_time(inside)))) {
      speaks(inside);
    }
    rest_.remove_prefix(close + 1);
    take("<stdout>");
    take("<stderr>");
    take(":");
    if (level) take(" - ");
    return true;
  }

  // `(RayTrainWorker pid=1234, ip=10.0.0.1)`, `(raylet)`; behind a level, `(2024-05-01 10:00:00)`
  bool worker() {
    if (!rest_.starts_with('(')) return false;
    const std::size_t close = rest_.substr(0, 160).find(')');
    if (close == std::string_view::npos) return false;
    if (told_ && is_time(rest_.substr(1, close - 1))) {
      out_.timed = true;
      rest_.remove_prefix(close + 1);
      take(" - ");
      return true;
    }
    if (!rest_.substr(0, close).contains("pid=") && !rest_.starts_with("(raylet")) return false;
    speaks(rest_.substr(0, close));
    rest_.remove_prefix(close + 1);
    return true;
  }

  // `ks8vyunflx-algo-1-xezda | `, `trainer_1 | `, `train_00 stderr | `, `trainer/3 `, `trainer-0:
  // 3: `, `ip-10-0-0-1: `, `10.0.3.1: `
  bool container() {
    if (line_.find_first_not_of(' ') != line_.size() - rest_.size()) return false;
    std::size_t end = 0;
    while (end < rest_.size() && end < 80 &&
           (is_word(rest_[end]) || rest_[end] == '-' || (rest_[end] == '.' && is_digit(rest_[0]))))
      ++end;
    if (end == 0) return false;
    std::string_view after = rest_.substr(end);
    const std::string_view name = rest_.substr(0, end);
    if (after.starts_with(": ") && std::ranges::all_of(name, is_digit) && end <= 4) {
      speaks(name);
      rest_ = after.substr(2);
      return true;
    }
    if (after.starts_with(": ") && is_host(name)) {
      speaks(name);
      rest_ = after.substr(1);
      return true;
    }
    if (after.starts_with('/') && is_role(name)) {
      const std::size_t number = after.find_first_not_of("0123456789", 1);
      if (number == 1 || number == after.npos || after[number] != ' ') return false;
      speaks(rest_.substr(0, end + number));
      rest_ = after.substr(number);
      return true;
    }
    while (after.starts_with(' ')) after.remove_prefix(1);
    if (after.starts_with("stderr | ") || after.starts_with("stdout | ")) after.remove_prefix(7);
    const bool numbered = name.contains('_') && is_digit(name.back());
    if (!after.starts_with("| ") || !(name.contains('-') || numbered)) return false;
    speaks(name);
    rest_ = after.substr(1);
    return true;
  }

  bool task() {
    if (rest_.size() != line_.size()) return false;
    const TaskMark mark = task_mark(rest_);
    if (mark.length == 0) return false;
    if (const auto level = level_of(mark.level)) says(*level);
    speaks(mark.task);
    out_.timed = true;
    rest_.remove_prefix(mark.length);
    return true;
  }

  // `E0401 12:00:00.123456 1234 file.cc:77] `
  bool glog() {
    if (rest_.size() < 12) return false;
    // `2024-05-01 10:00:00.123456: E tensorflow/core/x.cc:131] `
    const bool alone = out_.timed && !told_ && rest_[1] == ' ';
    if (!alone && (!is_digit(rest_[1]) || !is_digit(rest_[2]))) return false;
    const auto level = level_of_letter(rest_[0]);
    const std::size_t close = rest_.substr(0, 160).find("] ");
    if (!level || close == std::string_view::npos || !rest_.substr(0, close).contains(':'))
      return false;
    says(*level);
    rest_.remove_prefix(close + 1);
    return true;
  }

  // `ERROR:root:`, `INFO - `, `WARNING: `, `log4j:WARN `, `2022-… F external/…:131] `
  bool level() {
    take("log4j:");
    if (rest_.size() < 4 || !is_capital(rest_[0]) || !is_capital(rest_[1])) return false;
    const std::string_view word = word_at(rest_);
    if (word.size() < 4) return false;
    const auto level = level_of(word);
    if (!level) return false;
    const std::string_view after = rest_.substr(word.size());
    if (!after.starts_with(':') && !after.starts_with(' ') && !after.starts_with('|') &&
        !after.starts_with(']'))
      return false;
    says(*level);
    rest_ = after.substr(1);
    skip_blanks();
    // `ERROR:root:message`, `ERROR:my.trainer:message`
    constexpr std::size_t kLongestName = 64;
    if (after.starts_with(':')) {
      const std::string_view name = rest_.substr(0, rest_.find(':'));
      if (!name.empty() && name.size() <= kLongestName &&
          std::ranges::all_of(name, [](char c) { return is_word(c) || c == '.'; }) &&
          rest_.substr(name.size()).starts_with(':') && !name.ends_with("Error") &&
          !rest_.substr(name.size()).starts_with(": "))
        rest_.remove_prefix(name.size() + 1);
    }
    take("- ");
    return true;
  }

  // `my.trainer - ` before `ERROR - `
  bool named() {
    const std::size_t length = name_before_level(rest_);
    rest_.remove_prefix(length);
    return length > 0;
  }

  // `time="…" level=error msg="`
  bool keys() {
    std::string_view name;
    const std::size_t length = told_ ? 0 : keys_before_message(rest_, name);
    if (length == 0) return false;
    if (const auto level = level_of(name)) says(*level);
    rest_.remove_prefix(length);
    out_.timed = out_.quoted = true;
    return true;
  }

  // What stands between the level and the message.
  bool field() {
    if (!told_) return false;
    const std::size_t begin = line_.size() - rest_.size();
    const std::string_view before = line_.substr(0, begin);
    const std::size_t length =
        is_of_spark(from_time_)
            ? spark_s_class(rest_)
            : field_after_level(rest_, before.ends_with("- ") || before.ends_with("| "));
    rest_.remove_prefix(length);
    // A tab, as two blanks.
    if (length > 0 && take(" ")) take(" ");
    return length > 0;
  }

  // `__main__`, `/app/train.py`
  static bool is_of_a_logger_s_name(char c) {
    return is_word(c) || c == '.' || c == '/' || c == '-';
  }
  static bool is_letter_or_(char c) { return is_letter(c) || c == '_'; }

  // What the training toolkit quotes of the end of the log; ` ---> `, an inner exception of .NET.
  bool quotation() {
    constexpr std::string_view kInner = "---> ";
    if (rest_.size() > kInner.size() && is_capital(rest_[kInner.size()]) && take(kInner))
      return true;
    if (!take("ErrorMessage \"")) return false;
    if (out_.level == Level::kNone) says(Level::kError);
    return true;
  }

  std::string_view line_;
  std::string_view rest_;
  std::string_view from_time_;  // the line from the last time on
  bool told_ = false;           // a level
  bool may_have_bar_ = may_have_bar(line_);
  Prefix out_;
};

}  // namespace

Prefix prefix_of(std::string_view line) { return Reader(line).read(); }

}  // namespace trainwarden::rules
