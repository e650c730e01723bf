#include "handlers/rules/failure/findings.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

#include "handlers/rules/failure/line_reader.h"
#include "handlers/rules/failure/numbers.h"
#include "handlers/rules/failure/refine.h"
#include "handlers/rules/failure/speaker.h"
#include "handlers/rules/failure/weighing.h"
#include "handlers/rules/failure/word_lists.h"
#include "handlers/rules/failure/wording.h"

namespace trainwarden::rules {
namespace {

// What weighs before the place in the text. What was got over counts as what leaves no trace of its
// own, and stays before it.
auto class_of(const Finding& f) {
  return std::tuple(f.own == nullptr, f.tier,
                    f.got_over ? std::max(f.rank, Rank::kSymptom) : f.rank, !f.of_root, f.rank);
}

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

// Whether the Xid that stands at the offset of a line is one that was looked for, or would be.
bool only_speaks_of_xids(std::string_view lower, std::size_t at) {
  static constexpr auto kNone = word_list("no xid", " if ", "checking for ", "monitoring ");
  constexpr std::size_t kXid = 3;
  return passes_a_check(lower, at) || only_possible(lower.substr(0, at)) ||
         has_one(lower.substr(0, at + kXid), kNone);
}

class Causes {
 public:
  Causes(const FailureText& text, std::span<const OwnSignature> own) : text_(text), own_(own) {}

  std::vector<Finding> find() {
    const std::span<const Line> lines = text_.lines();
    std::array<std::pair<std::size_t, std::size_t>, 256> seen{};  // lines read last: hash and index
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const Structure structure = lines[i].structure;
      if (structure == Structure::kSilent || structure == Structure::kFrame) continue;
      // What was said before tells no more the second time: of two alike the first counts.
      const std::size_t said = std::hash<std::string_view>{}(text_.lower(lines[i]));
      auto& slot = seen[said % seen.size()];
      if (slot.first == said) {
        repeated_.push_back(slot.second);
        continue;
      }
      slot = {said, i};
      read_line(text_, i, tier_of(i), own_, findings_);
    }
    read_xids();
    if (findings_.empty()) read_what_was_raised();
    weigh(text_, repeated_, findings_);
    const auto best = the_first();
    if (best == findings_.end()) return {};
    Finding first = *best;
    // Where a line shows how full the memory was, a second run is killed as well.
    if (first.own == nullptr && first.label == FailureLabel::kOomHost && tells_of_memory())
      first.resume = RunAgain::kNo;
    refine(first, text_);
    std::ranges::move_backward(findings_.begin(), best, best + 1);
    findings_.front() = first;
    return std::move(findings_);
  }

 private:
  Tier tier_of(std::size_t line) const {
    const Structure structure = text_.lines()[line].structure;
    if (is_report(structure) || structure == Structure::kMessage) return Tier::kReport;
    return line >= end_ ? Tier::kOrdinary : Tier::kDistant;
  }

  // Whether a line that may bear a verdict shows how full the host's memory was.
  bool tells_of_memory() const {
    for (std::size_t i = 0; i < text_.lines().size(); ++i) {
      const Line& line = text_.lines()[i];
      if (line.structure != Structure::kSilent && line.structure != Structure::kFrame &&
          tier_of(i) != Tier::kDistant && names_memory(text_.lower(line)))
        return true;
    }
    return false;
  }

  // Where the last dozen lines begin, frames and tables not counted. An ordinary line bears a
  // verdict only there.
  static std::size_t near_the_end(std::span<const Line> lines) {
    int most = 12;
    std::size_t at = lines.size();
    for (; at > 0 && most > 0; --at)
      if (lines[at - 1].structure != Structure::kFrame) --most;
    return at;
  }

  // Of a log that breaks off in a traceback, what its last line was about to raise.
  void read_what_was_raised() {
    const std::span<const Line> lines = text_.lines();
    if (lines.empty() || lines.back().structure != Structure::kFrame) return;
    constexpr std::string_view kRaise = "raise ";
    if (!text_.said(lines.back()).starts_with(kRaise)) return;
    read_line(text_, lines.size() - 1, Tier::kReport, own_, findings_, kRaise.size());
  }

  // Of lines that may bear a verdict only: in an exception's words, and in what a traceback shows
  // of the source, it is somebody's data.
  void read_xids() {
    std::optional<XidMeaning> xid;
    Finding found;
    for (std::size_t i = 0; i < text_.lines().size(); ++i) {
      const Line& line = text_.lines()[i];
      if (line.structure == Structure::kSilent || line.structure == Structure::kException ||
          line.structure == Structure::kFrame || (line.words & kXidWord) == 0)
        continue;
      const std::string_view lower = text_.lower(line);
      const auto next = meaning_of_xids(lower);
      // Whoever is no driver may say that there was none, or what would be done.
      if (next && line.structure != Structure::kKernel && only_speaks_of_xids(lower, next->at))
        continue;
      if (!next || (xid && !outweighs(*next, *xid))) continue;
      xid = next;
      found.line = i;
      found.at = line.body + next->at;
    }
    if (!xid) return;
    found.rank = xid->rank;
    found.label = xid->label;
    found.resume = xid->resume;
    found.by = By::kXid;
    found.specific = true;
    findings_.push_back(found);
  }

  // The time that a line tells, or the line before it that its process said with one.
  std::optional<std::uint64_t> moment_at(std::size_t line) const {
    constexpr std::size_t kFar = 60;
    const std::uint32_t process = text_.lines()[line].prefix.process;
    for (std::size_t i = line + 1; i > 0 && line + 1 - i < kFar; --i) {
      const Line& one = text_.lines()[i - 1];
      if (one.prefix.process != process) continue;
      if (const auto when = moment_of(text_.shown().substr(one.begin, one.body - one.begin)))
        return when;
    }
    return std::nullopt;
  }

  // The weightiest. Of several the first by the clock, where all tell the time: hosts come out of a
  // pipe in any order.
  std::vector<Finding>::iterator the_first() {
    constexpr int kMost = 32;
    const auto best = std::ranges::min_element(findings_, outranks);
    auto earliest = best;
    std::optional<std::uint64_t> least;
    int alike = 0;
    for (auto at = findings_.begin(); at != findings_.end(); ++at) {
      if (class_of(*at) != class_of(*best)) continue;
      const auto when = moment_at(at->line);
      if (!when || ++alike > kMost) return best;
      if (!least || *when < *least || (*when == *least && outranks(*at, *earliest))) {
        least = when;
        earliest = at;
      }
    }
    return earliest;
  }

  const FailureText& text_;
  std::span<const OwnSignature> own_;
  std::vector<std::size_t> repeated_;  // lines that were said again
  std::vector<Finding> findings_;
  std::size_t end_ = near_the_end(text_.lines());
};

}  // namespace

bool tells_no_kind(const FailureText& text, const Finding& finding) {
  static constexpr auto kAnything = word_list("exception", "runtimeerror", "systemerror");
  return starts_with_one(text.lower().substr(finding.at), kAnything);
}

bool outranks(const Finding& a, const Finding& b) {
  const auto weight = [](const Finding& f) {
    return std::tuple(class_of(f), f.line, f.order, f.at);
  };
  return weight(a) < weight(b);
}

std::vector<Finding> find_causes(const FailureText& text, std::span<const OwnSignature> own) {
  return Causes(text, own).find();
}

}  // namespace trainwarden::rules
