#include "handlers/rules/failure/failure_reason.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "handlers/rules/failure/characters.h"
#include "handlers/rules/failure/leading_number.h"
#include "handlers/rules/failure/word_lists.h"
#include "handlers/rules/failure/wording.h"
#include "runtime/base/ascii.h"

namespace trainwarden::rules {

std::string_view failure_kind(std::string_view reason) {
  const std::size_t colon = reason.find(':');
  const std::string_view word = reason.substr(0, colon);
  if (word.empty() || !is_letter(word[0])) return {};
  const bool one_word =
      std::ranges::all_of(word, [](char c) { return is_letter(c) || is_digit(c); });
  return one_word ? word : std::string_view();
}

std::optional<int> exit_code(std::string_view reason) {
  const std::string text = lower_case(reason);
  for (std::size_t at = text.find("exit"); at != std::string::npos;
       at = text.find("exit", at + 1)) {
    std::size_t i = at + 4;
    const auto skip = [&](std::string_view what) {
      while (i < text.size() && what.find(text[i]) != std::string_view::npos) ++i;
    };
    skip(" _");
    if (text.compare(i, 4, "code") != 0) continue;
    i += 4;
    skip(" :=");
    if (const auto code = leading_number(std::string_view(text).substr(i))) return code->value;
  }
  return std::nullopt;
}

namespace {

// "ClientError: See job logs for more information": where to look, and nothing of why.
bool only_a_place_to_look(std::string_view reason) {
  static constexpr auto kWords =
      word_list("See job logs", "see job logs", "See the job logs", "See logs", "see logs",
                "heck job logs", "heck the job logs", "heck the logs", "heck logs",
                "heck CloudWatch", "See CloudWatch", "ontact support", "ontact AWS");
  constexpr std::size_t kShort = 120;
  return reason.size() < kShort && has_one(reason, kWords);
}

Finding by_the_platform(Rank rank, FailureLabel label, RunAgain resume) {
  Finding out;
  out.rank = rank;
  out.label = label;
  out.resume = resume;
  out.by = By::kPlatform;
  out.specific = true;
  return out;
}

}  // namespace

std::optional<Finding> by_kind(std::string_view reason, const std::optional<Finding>& found) {
  // The SDK says "Error for Training job …: Failed. Reason: InternalServerError: …".
  constexpr std::string_view kReason = "Reason: ";
  const std::size_t quoted = reason.starts_with("Error for") ? reason.find(kReason) : reason.npos;
  const std::string_view kind =
      failure_kind(quoted == reason.npos ? reason : reason.substr(quoted + kReason.size()));
  const bool tells = found && found->rank < Rank::kConsequence;
  // The platform's word, unless it goes on to name a cause.
  if (kind == "InternalServerError" && (!tells || found->rank > Rank::kCause))
    return by_the_platform(Rank::kCause, FailureLabel::kService, RunAgain::kYes);
  // Anything of the definition that SageMaker did not like.
  if (kind == "ClientError" && !tells && !only_a_place_to_look(reason))
    return by_the_platform(Rank::kException, FailureLabel::kConfig, RunAgain::kNo);
  return found;
}

bool only_the_platforms_word(std::string_view reason, const std::optional<Finding>& found) {
  return found && found->label == FailureLabel::kService &&
         failure_kind(reason) == "InternalServerError";
}

}  // namespace trainwarden::rules
