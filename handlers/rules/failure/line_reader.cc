#include "handlers/rules/failure/line_reader.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "handlers/rules/failure/codes.h"
#include "handlers/rules/failure/credibility.h"
#include "handlers/rules/failure/exceptions.h"
#include "handlers/rules/failure/raised_by.h"
#include "handlers/rules/failure/signature_match.h"
#include "handlers/rules/failure/signatures.h"
#include "handlers/rules/failure/word_lists.h"
#include "handlers/rules/failure/wording.h"

namespace trainwarden::rules {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

// Whether a line only warns, in the words of a logger, that somebody takes the machine: so
// schedulers and their agents say it.
bool warns_of_the_end(const Signature& row, const Line& line) {
  return row.verdict.label == FailureLabel::kInterrupted && row.verdict.resume == RunAgain::kYes &&
         (line.prefix.level == Level::kWarning || line.structure == Structure::kScheduler);
}

class LineReader {
 public:
  // from: where to begin in what was said.
  LineReader(const FailureText& text, std::size_t index, Tier tier, std::vector<Finding>& out,
             std::size_t from = 0)
      : text_(text),
        tier_(tier),
        index_(index),
        line_(text.lines()[index]),
        from_(from),
        said_(text.said(line_).substr(from)),
        lower_(text.lower(line_).substr(from)),
        words_(from == 0 ? line_.words : line_words(lower_)),
        credibility_(text, index, said_, lower_, words_, exceptions_),
        out_(out) {}

  void read(std::span<const OwnSignature> own) {
    for (const OwnSignature& signature : own) {
      const std::size_t at = find_text(signature.text, said_, lower_);
      if (at == kNowhere) continue;
      Finding found = finding(By::kOwn, Rank::kMachine, signature.label, signature.resume, at);
      found.own = &signature;
      found.specific = true;
      out_.push_back(found);
    }
    hits_ = find_signatures(said_, lower_, tier_ == Tier::kDistant);
    if (tier_ == Tier::kDistant && hits_.empty()) return;
    if (std::ranges::any_of(hits_, [](const SignatureHit& hit) {
          return kTables.signatures[hit.signature].rank == Rank::kHarmless;
        }))
      return;
    std::erase_if(hits_, [this](const SignatureHit& hit) {
      return !bears(kTables.signatures[hit.signature], hit.text);
    });
    const ShellWord end = (words_ & kEndWord) != 0 ? shell_word(lower_) : ShellWord::kNone;
    if (tier_ == Tier::kDistant && hits_.empty() && end == ShellWord::kNone) return;
    if (settings(lower_, words_) || harmless(words_)) return;
    exceptions_ = find_exceptions(said_, line_.structure == Structure::kException);
    if ((words_ & kShellWord) != 0) command_ = command_in(lower_);
    if ((words_ & kCommandWord) != 0) arguments_ = quoted_command_in(lower_);
    // A driver's library tells of nothing that is still ahead.
    const LineWords told = (words_ & kLibraryWord) != 0 ? words_ & ~kAheadWord : words_;
    less_ = tells_less(lower_, told) || line_.structure == Structure::kWarning;
    read_signatures();
    read_codes();
    read_exceptions();
    read_end(end);
  }

 private:
  Finding finding(By by, Rank rank, FailureLabel label, RunAgain resume, std::size_t at) const {
    Finding out;
    out.by = by;
    out.rank = rank;
    out.label = label;
    out.resume = resume;
    out.line = index_;
    out.order = kTables.signatures.size();
    out.at = line_.body + from_ + at;
    out.tier = tier_;
    return out;
  }

  // What a shell says of how a command ended. A script may itself end what it started, and go on.
  void read_end(ShellWord end) {
    constexpr std::size_t kLast = 3;  // lines
    if (end == ShellWord::kNone) return;
    const bool killed = end == ShellWord::kKilled;
    if (!killed && index_ + kLast < text_.lines().size()) return;
    const FailureLabel label = killed ? FailureLabel::kOomHost : FailureLabel::kInterrupted;
    Finding found =
        finding(killed ? By::kKilled : By::kTerminated, Rank::kSymptom, label, RunAgain::kOnce, 0);
    found.specific = true;
    out_.push_back(found);
  }

  // Whether what ends there is only something that might have happened, and no sentence between
  // says what is.
  bool guessed(std::size_t end) {
    if ((words_ & kGuessWord) == 0) return false;
    if (guess_end_ == 0) guess_end_ = guess_end(lower_);
    return guess_end_ < end && !lower_.substr(guess_end_, end - guess_end_).contains(". the ");
  }

  void read_signatures() {
    // Far from the end only what happened counts.
    if (tier_ == Tier::kDistant && less_) return;
    for (const SignatureHit& hit : hits_) {
      const Signature& row = kTables.signatures[hit.signature];
      const std::size_t at = hit.at;
      if (guessed(at + hit.text.size()) || guessed_in_a_list(text_.lower(), line_.body) ||
          at >= command_ || (arguments_.hold(at) && !hit.text.contains("exit status")))
        continue;
      if (in_code(lower_, at, words_)) continue;
      const auto resume =
          credibility_.credible(row.verdict.label, row.verdict.resume, at, hit.text);
      if (!resume) continue;
      if (row.rank == Rank::kHint && !(announces_failure(words_) && plain_word(lower_, at)))
        continue;
      // A communication library speaks of memory and of records as others do of bytes.
      if (row.rank == Rank::kHint && line_.structure == Structure::kLibrary &&
          (row.verdict.label == FailureLabel::kOomHost || row.verdict.label == FailureLabel::kData))
        continue;
      // "Exception during training:", and what it was has been cut off or follows.
      if (row.rank == Rank::kSymptom && row.verdict.label == FailureLabel::kUserCode &&
          lower_.ends_with(':') && only_announces())
        continue;
      if (row.rank == Rank::kConsequence) {
        consequences_.push_back(at);
      } else if (row.rank < Rank::kHint) {
        explained_ = true;
      }
      Rank rank = row.rank;
      // What may be the program's own words explains no exception of it.
      const bool doubtful = row.verdict.resume == RunAgain::kYes && *resume == RunAgain::kOnce;
      if ((less_ && !warns_of_the_end(row, line_)) || doubtful)
        rank = std::max(rank, Rank::kSymptom);
      // Nothing ends by what a script's `rm` does not find; a mount that is gone may tell of the
      // end.
      const bool of_a_tool = of_a_shell_s_tools(lower_);
      if (of_a_tool && *resume == RunAgain::kNo) continue;
      if (rank < Rank::kHint && (of_a_tool || in_the_name_of_a_cause(at))) rank = Rank::kHint;
      Finding found = finding(By::kSignature, rank, row.verdict.label, *resume, at);
      found.order = hit.signature;
      found.text = hit.text;
      found.specific = true;
      // What is said of a machine at the end counts whoever says it, unless it is a row of a table.
      constexpr std::size_t kMany = 10;
      if (row.rank == Rank::kMachine && tier_ == Tier::kOrdinary && hit.text.size() >= kMany &&
          (announces_failure(words_) || !lower_.contains(" : ")))
        found.tier = Tier::kReport;
      out_.push_back(found);
    }
  }

  // Whether a line that ends with a colon is followed by a traceback or an exception, or by nothing
  // of its own: R indents what an error says below `Error in fit(x, y) :`.
  bool only_announces() const {
    const bool is_of_r = lower_.ends_with(") :");
    if (index_ + 1 == text_.lines().size()) return is_of_r;
    const Line& next = text_.lines()[index_ + 1];
    return text_.lower(next).starts_with("traceback") || next.structure == Structure::kException ||
           (is_of_r && !next.prefix.indented);
  }

  // `RayTaskError(OutOfMemoryError): …`: whose memory it was stands where the traceback ends.
  bool in_the_name_of_a_cause(std::size_t at) const {
    const std::string_view before = lower_.substr(0, at);
    const std::size_t open = before.rfind('(');
    return open != kNowhere && before.substr(0, open).ends_with("taskerror") &&
           !before.substr(open).contains(')');
  }

  // Whether a line of this tier bears what was found there: the less it is known to report a
  // failure, the more words that takes.
  bool bears(const Signature& row, std::string_view text) const {
    const std::size_t size = text.size();
    constexpr std::size_t kFew = 8;
    constexpr std::size_t kMany = 14;
    if (line_.structure == Structure::kMessage) return size >= kMany && row.rank <= Rank::kSymptom;
    // Who warns goes on: of a machine or a service it may be the end nevertheless.
    if (line_.structure == Structure::kWarning)
      return tier_ == Tier::kOrdinary && size >= kMany && row.rank <= Rank::kSymptom &&
             row.verdict.label != FailureLabel::kUserCode &&
             row.verdict.label != FailureLabel::kData && row.verdict.label != FailureLabel::kConfig;
    switch (tier_) {
      case Tier::kReport:
        return true;
      case Tier::kOrdinary:
        return row.rank < Rank::kHint &&
               (size >= kMany || (size >= kFew && (text.contains(' ') || text.contains('_'))) ||
                announces_failure(words_));
      case Tier::kDistant:
        return row.anywhere && size >= kFarText;
    }
    return false;
  }

  void read_codes() {
    if ((words_ & kNumberWord) == 0) return;
    constexpr int kMost = 16;  // more are a table
    int count = 0;
    for (const FoundCode& code : find_codes(lower_)) {
      if (++count > kMost) break;
      if (guessed(code.at + 1) || arguments_.hold(code.at)) continue;
      if (tier_ != Tier::kReport && !announces_failure(words_)) continue;
      if (tier_ == Tier::kDistant) continue;
      const auto resume = credibility_.credible(code.label, code.resume, code.at, {});
      if (!resume || credibility_.quoted_by_the_program(code.at)) continue;
      // What a program reports of its own exceptions has codes of its own.
      if (code.label == FailureLabel::kService && lower_.contains("\"exceptiontype\"")) continue;
      // `"code": 429,` on a line of its own: the message beside it says more.
      Rank rank = less_ ? std::max(code.rank, Rank::kSymptom) : code.rank;
      if (lower_.starts_with("\"code\"")) rank = Rank::kConsequence;
      if (code.of_process) consequences_.push_back(code.at);
      const bool here = resume == RunAgain::kYes && on_this_host(words_);
      Finding found = finding(code.of_process ? By::kProcessCode : By::kAnswerCode, rank,
                              code.label, here ? RunAgain::kOnce : *resume, code.at);
      found.specific = true;
      out_.push_back(found);
    }
  }

  void read_exceptions() {
    // What only tells of another's end hints at nothing.
    if (!consequences_.empty())
      std::erase_if(out_,
                    [this](const Finding& f) { return f.line == index_ && f.rank == Rank::kHint; });
    if (tier_ == Tier::kDistant || line_.structure == Structure::kWarning) return;
    for (std::size_t i = 0; i < exceptions_.size(); ++i) {
      const FoundException& found = exceptions_[i];
      if (arguments_.hold(found.at)) continue;
      // What words explain is not told by the type alone, unless the type names a cause.
      if (explained_ && found.meaning.rank > Rank::kCause) continue;
      // "RuntimeError: the process exited with code 1": its own message says that it only wraps.
      const std::size_t end = i + 1 < exceptions_.size() ? exceptions_[i + 1].at : lower_.size();
      const bool wraps = std::ranges::any_of(
          consequences_, [&found, end](std::size_t at) { return found.at <= at && at < end; });
      if (wraps) continue;
      const MessageVerdict said = verdict_of_message(found);
      const Rank rank = less_ || said.of_others ? std::max(found.meaning.rank, Rank::kSymptom)
                                                : found.meaning.rank;
      Finding result = finding(By::kException, rank, said.label, said.resume, found.at);
      // A program may call its own exceptions as services call theirs.
      if (result.resume == RunAgain::kYes && credibility_.perhaps_of_the_program(found.at, {}))
        result.resume = RunAgain::kOnce;
      out_.push_back(result);
    }
  }

  struct MessageVerdict {
    FailureLabel label;
    RunAgain resume;
    bool of_others = false;  // something outside of the program failed
  };

  // Where the type of an exception does not tell: by what it says, and then by who raised it.
  MessageVerdict verdict_of_message(const FoundException& found) const {
    const ExceptionMeaning& meaning = found.meaning;
    const std::string_view name = name_of(found);
    if (meaning.label != FailureLabel::kUserCode) return {meaning.label, meaning.resume};
    if (is_of_a_client(text_, index_, name)) return {FailureLabel::kUnknown, RunAgain::kOnce, true};
    if (const auto code = find_code_of_aws_in_cpp(lower_of(found.message)))
      return {code->label, code->resume};
    const FailureLabel label = meaning.by_message ? label_of(found.message, lower_of(found.message),
                                                             (words_ & kMissingWord) != 0)
                                                  : meaning.label;
    if (label == FailureLabel::kUserCode) {
      if (is_of_a_transport(name)) return {FailureLabel::kNetwork, RunAgain::kOnce, true};
      if (is_of_a_reader(text_, index_, name)) return {FailureLabel::kData, meaning.resume};
      // `Exception: HfHubHTTPError`: the name of another that says nothing, as a report shows it.
      if (found.at > 0 && meaning.by_message && found.message.empty() && !found.python_s_own &&
          is_called(name) && !ends_a_traceback(text_, index_))
        return {FailureLabel::kUnknown, RunAgain::kOnce, true};
      // `OrchestrateJobError: …` without a traceback: a class that neither Python has, nor a
      // program of which a frame is there.
      if (found.at == 0 && meaning.by_message && !found.python_s_own && is_called(name) &&
          !ends_a_traceback(text_, index_))
        return {FailureLabel::kUnknown, RunAgain::kOnce, true};
    }
    return {label, meaning.resume};
  }

  // Whether it is a class without its module, and not `what(): `.
  static bool is_called(std::string_view name) { return name.find_first_of(".(") == kNowhere; }

  // In lower case what stands in the line as it is shown.
  std::string_view lower_of(std::string_view shown) const {
    return shown.empty()
               ? shown
               : lower_.substr(static_cast<std::size_t>(shown.data() - said_.data()), shown.size());
  }

  std::string_view name_of(const FoundException& found) const {
    return said_.substr(found.at, found.name);
  }

  const FailureText& text_;
  Tier tier_;
  std::size_t index_;
  const Line& line_;
  std::size_t from_;
  std::string_view said_;
  std::string_view lower_;
  LineWords words_;
  std::size_t guess_end_ = 0;  // 0: not looked for yet
  bool less_ = false;
  bool explained_ = false;
  std::size_t command_ = kNowhere;
  QuotedCommand arguments_;
  std::vector<SignatureHit> hits_;
  std::vector<FoundException> exceptions_;
  Credibility credibility_;
  std::vector<std::size_t> consequences_;
  std::vector<Finding>& out_;
};

}  // namespace

void read_line(const FailureText& text, std::size_t index, Tier tier,
               std::span<const OwnSignature> own, std::vector<Finding>& out, std::size_t from) {
  LineReader(text, index, tier, out, from).read(own);
}

}  // namespace trainwarden::rules
