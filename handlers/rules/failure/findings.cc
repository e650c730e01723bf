#include "handlers/rules/failure/findings.h"

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>
#include <utility>

#include "handlers/rules/failure/line_reader.h"
#include "handlers/rules/failure/numbers.h"
#include "handlers/rules/failure/word_lists.h"
#include "handlers/rules/failure/wording.h"

namespace trainwarden::rules {
namespace {

bool is_report(Structure structure) {
  switch (structure) {
    case Structure::kException:
    case Structure::kNative:
    case Structure::kKernel:
    case Structure::kScheduler:
    case Structure::kLibrary:
    case Structure::kError:
    case Structure::kReason:
      return true;
    default:
      return false;
  }
}

class Causes {
 public:
  Causes(const FailureText& text, std::span<const OwnSignature> own) : text_(text), own_(own) {}

  std::vector<Finding> find() {
    const std::span<const Line> lines = text_.lines();
    // An ordinary line bears a verdict only near the end.
    constexpr std::size_t kLast = 12;
    std::array<std::size_t, 64> seen{};  // of the lines read last
    std::size_t next = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const Structure structure = lines[i].structure;
      if (structure == Structure::kSilent || structure == Structure::kFrame) continue;
      const bool near_the_end = i + kLast >= lines.size();
      Tier tier = Tier::kDistant;
      if (is_report(structure) || structure == Structure::kMessage) {
        tier = Tier::kReport;
      } else if (near_the_end) {
        tier = Tier::kOrdinary;
      }
      // What was said before tells no more the second time: of two alike the first counts.
      const std::size_t said = std::hash<std::string_view>{}(text_.lower(lines[i]));
      if (std::ranges::find(seen, said) != seen.end()) continue;
      seen[next++ % seen.size()] = said;
      read_line(text_, i, tier, own_, findings_);
      if (tier == Tier::kDistant) continue;
      reports_ += text_.lower(lines[i]);
      reports_ += '\n';
    }
    read_xids();
    if (findings_.empty()) read_what_was_raised();
    weigh();
    const auto best = std::ranges::min_element(findings_, outranks);
    if (best == findings_.end()) return {};
    Finding first = *best;
    refine(first);
    std::ranges::move_backward(findings_.begin(), best, best + 1);
    findings_.front() = first;
    return std::move(findings_);
  }

 private:
  // Of a log that breaks off in a traceback, what its last line was about to raise.
  void read_what_was_raised() {
    const std::span<const Line> lines = text_.lines();
    if (lines.empty() || lines.back().structure != Structure::kFrame) return;
    constexpr std::string_view kRaise = "raise ";
    if (!text_.said(lines.back()).starts_with(kRaise)) return;
    read_line(text_, lines.size() - 1, Tier::kReport, own_, findings_, kRaise.size());
  }

  void read_xids() {
    // Of lines that may bear a verdict only.
    std::string words;
    std::vector<std::pair<std::size_t, std::size_t>> begins;  // in words, of lines
    for (std::size_t i = 0; i < text_.lines().size(); ++i) {
      const Line& line = text_.lines()[i];
      if (line.structure == Structure::kSilent || !text_.lower(line).contains("xid")) continue;
      begins.emplace_back(words.size(), i);
      words += text_.lower(line);
      words += '\n';
    }
    const auto xid = meaning_of_xids(words);
    if (!xid) return;
    std::pair<std::size_t, std::size_t> of;
    for (const auto& begin : begins)
      if (begin.first <= xid->at) of = begin;
    Finding found;
    found.rank = xid->rank;
    found.label = xid->label;
    found.resume = xid->resume;
    found.by = By::kXid;
    found.line = of.second;
    found.at = text_.lines()[found.line].body + (xid->at - of.first);
    found.specific = true;
    findings_.push_back(found);
  }

  // Got over, and passing remarks.
  void weigh() {
    std::size_t died = 0;  // the line of the last failure of the program's own
    bool dies = false;
    for (const Finding& finding : findings_)
      if (finding.tier == Tier::kReport && finding.rank == Rank::kException &&
          finding.label == "user_code" && finding.resume == "no" &&
          text_.lines()[finding.line].structure == Structure::kException) {
        died = std::max(died, finding.line);
        dies = true;
      }
    for (Finding& finding : findings_) {
      const Line& line = text_.lines()[finding.line];
      if (line.superseded && finding.rank == Rank::kException && !finding.specific)
        finding.rank = Rank::kSymptom;
      // A trouble that passes by itself is told in a line that is no exception, and the program's
      // own exception follows: it got over the one, and died of the other.
      if (dies && died > finding.line && finding.rank <= Rank::kCause && finding.resume == "yes" &&
          finding.own == nullptr && line.structure != Structure::kException &&
          line.structure != Structure::kKernel &&
          (line.prefix.process == text_.lines()[died].prefix.process ||
           finding.tier != Tier::kReport))
        finding.rank = Rank::kSymptom;
    }
    // A machine that was not to be had may have come in the end, as Kubernetes tells of it.
    for (std::size_t i = 0; i < text_.lines().size(); ++i)
      if (text_.lower(text_.lines()[i]).contains("successfully assigned"))
        for (Finding& finding : findings_)
          if (finding.label == "capacity" && finding.line < i)
            finding.rank = std::max(finding.rank, Rank::kSymptom);
    // Ordinary lines count only where no report tells why.
    const bool told = std::ranges::any_of(findings_, [](const Finding& f) {
      return f.tier == Tier::kReport && f.rank <= Rank::kHint && f.label != "unknown";
    });
    if (!told)
      for (Finding& finding : findings_)
        if (finding.tier == Tier::kOrdinary) finding.tier = Tier::kReport;
  }

  // Where the traceback begins that ends with a line.
  std::size_t traceback_of(std::size_t line) const {
    constexpr std::size_t kMost = 40;
    std::size_t first = line;
    while (first > 0 && line - first < kMost &&
           (text_.lines()[first - 1].structure == Structure::kFrame ||
            text_.lines()[first - 1].structure == Structure::kException))
      --first;
    return first;
  }

  // Whether a connection that was closed was one to S3.
  bool was_to_storage(const Finding& found) const {
    constexpr std::size_t kAfter = 600;
    const std::size_t begin = text_.lines()[traceback_of(found.line)].begin;
    const std::size_t at = text_.lines()[found.line].begin;
    return storage_hung_up(text_.lower().substr(begin, at - begin + kAfter), at - begin);
  }

  // What was said right before a failure.
  std::string_view before(const Finding& found) const {
    constexpr std::size_t kLines = 3;
    const std::size_t line = traceback_of(found.line);
    const std::size_t first = line - std::min(line, kLines);
    const std::size_t begin = text_.lines()[first].begin;
    return text_.lower().substr(begin, text_.lines()[found.line].begin - begin);
  }

  void refine(Finding& found) const {
    if (found.own != nullptr) return;
    const std::size_t line = text_.lines()[found.line].begin;
    if (found.label == "data" && missed_its_removal(found.line)) found.label = "user_code";
    if (found.label == "user_code" && !found.specific && could_not_write(found.line))
      found.label = "disk";
    if (found.label == "oom_gpu" && device_memory_may_do(text_.lower().substr(line), before(found)))
      found.resume = "once";
    if (found.label == "oom_host" && memory_is_told(reports_)) found.resume = "no";
    if (found.label == "network" && found.resume == "once" && was_to_storage(found))
      found.resume = "yes";
    if (found.label == "quota" && limit_is_used_up_now(text_.lower(), line)) found.resume = "once";
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

  // Whether a file that could not be opened was one to be written, as the frame before tells.
  bool could_not_write(std::size_t line) const {
    return line > 0 && text_.lower(text_.lines()[line]).contains("cannot be opened") &&
           text_.lower(text_.lines()[line - 1]).contains("filewriter(");
  }

  const FailureText& text_;
  std::span<const OwnSignature> own_;
  std::vector<Finding> findings_;
  std::string reports_;  // the lines that may bear a verdict
};

}  // namespace

bool outranks(const Finding& a, const Finding& b) {
  const auto weight = [](const Finding& f) {
    return std::tuple(f.own == nullptr, f.tier, f.rank, f.line, f.order, f.at);
  };
  return weight(a) < weight(b);
}

std::vector<Finding> find_causes(const FailureText& text, std::span<const OwnSignature> own) {
  return Causes(text, own).find();
}

}  // namespace trainwarden::rules
