#include "handlers/rules/facts/value_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "runtime/base/ascii.h"

namespace trainwarden::rules {
namespace {

constexpr std::size_t kLongestTagKey = 128;

struct Form {
  // Beside letters and digits of ASCII; empty with `any`.
  std::string_view characters = {};
  std::size_t longest = 2048;
  bool any = false;
  bool is_name = false;   // begins and ends with a letter or a digit
  bool is_world = false;  // letters of all languages
  // What it begins with: `~` stands for letters, digits and `-`, `#` for an account.
  std::string_view begin = {};
  std::string_view example = {};  // of the beginning
};

constexpr std::string_view kOfArn = "-:/";
constexpr Form kName{.characters = "-", .longest = 63, .is_name = true};
constexpr Form kLongName{.characters = "-", .longest = 120, .is_name = true};
constexpr Form kKey{.characters = "-:/_"};
constexpr Form kNetworkId{.characters = "-", .longest = 32};
constexpr Form kWord{.characters = "-._", .longest = 128};
constexpr Form kTagValue{.characters = " _.:/=+-@", .longest = 256, .is_world = true};
constexpr Form kRole{.characters = "+=,.@-_/:",
                     .begin = "arn:aws~:iam::#:role",
                     .example = "arn:aws:iam::111122223333:role/"};
constexpr Form kUri{.any = true, .begin = "s3://", .example = "s3://"};

// One of SageMaker's own ARNs. kind: "training-job/".
constexpr Form arn(std::string_view begin, std::string_view example, bool any = true) {
  return {.characters = kOfArn, .any = any, .begin = begin, .example = example};
}

struct Row {
  Group group;
  std::string_view path;
  Form form;
};

constexpr std::array kRows = {
    Row{Group::kEvent, "region", {.characters = "-", .longest = 63}},
    Row{Group::kJob,
        "AlgorithmSpecification.AlgorithmName",
        {.characters = kOfArn, .longest = 170}},
    Row{Group::kJob, "AlgorithmSpecification.TrainingInputMode", kWord},
    Row{Group::kJob, "AutoMLJobArn",
        arn("arn:aws~:sagemaker:~:#:automl-job/",
            "arn:aws:sagemaker:us-east-1:111122223333:automl-job/")},
    Row{Group::kJob, "CheckpointConfig.S3Uri", kUri},
    Row{Group::kJob, "DebugHookConfig.S3OutputPath", kUri},
    Row{Group::kJob, "DebugRuleConfigurations.InstanceType", kWord},
    Row{Group::kJob, "DebugRuleConfigurations.S3OutputPath", kUri},
    Row{Group::kJob, "ExperimentConfig.ExperimentName", kLongName},
    Row{Group::kJob, "ExperimentConfig.RunName", kLongName},
    Row{Group::kJob, "ExperimentConfig.TrialComponentDisplayName", kLongName},
    Row{Group::kJob, "ExperimentConfig.TrialName", kLongName},
    Row{Group::kJob, "InputDataConfig.ChannelName", {.characters = ".-_", .longest = 64}},
    Row{Group::kJob, "InputDataConfig.CompressionType", kWord},
    Row{Group::kJob,
        "InputDataConfig.DataSource.FileSystemDataSource.FileSystemId",
        {.characters = "-", .longest = 21, .begin = "fs-", .example = "fs-"}},
    Row{Group::kJob, "InputDataConfig.DataSource.S3DataSource.S3DataType", kWord},
    Row{Group::kJob, "InputDataConfig.DataSource.S3DataSource.S3Uri", kUri},
    Row{Group::kJob, "InputDataConfig.InputMode", kWord},
    Row{Group::kJob, "LabelingJobArn",
        arn("arn:aws~:sagemaker:~:#:labeling-job/",
            "arn:aws:sagemaker:us-east-1:111122223333:labeling-job/")},
    Row{Group::kJob, "ModelArtifacts.S3ModelArtifacts", kUri},
    Row{Group::kJob, "OutputDataConfig.CompressionType", kWord},
    Row{Group::kJob, "OutputDataConfig.KmsKeyId", kKey},
    Row{Group::kJob, "OutputDataConfig.S3OutputPath", kUri},
    Row{Group::kJob, "ProfilerConfig.S3OutputPath", kUri},
    Row{Group::kJob, "ProfilerRuleConfigurations.InstanceType", kWord},
    Row{Group::kJob, "ProfilerRuleConfigurations.S3OutputPath", kUri},
    Row{Group::kJob, "ResourceConfig.InstanceGroups.InstanceType", kWord},
    Row{Group::kJob, "ResourceConfig.InstancePreferences.InstanceType", kWord},
    Row{Group::kJob, "ResourceConfig.InstanceType", kWord},
    Row{Group::kJob, "ResourceConfig.SelectedInstanceType", kWord},
    Row{Group::kJob, "ResourceConfig.TrainingPlanArn",
        arn("arn:aws~:sagemaker:~:#:training-plan/",
            "arn:aws:sagemaker:us-east-1:111122223333:training-plan/")},
    Row{Group::kJob, "ResourceConfig.VolumeKmsKeyId", kKey},
    Row{Group::kJob, "RoleArn", kRole},
    Row{Group::kJob, "SecondaryStatus", kWord},
    Row{Group::kJob, "SecondaryStatusTransitions.Status", kWord},
    Row{Group::kJob, "TensorBoardOutputConfig.S3OutputPath", kUri},
    Row{Group::kJob, "TrainingJobArn",
        arn("arn:aws~:sagemaker:~:#:training-job/",
            "arn:aws:sagemaker:us-east-1:111122223333:training-job/", /*any=*/false)},
    Row{Group::kJob, "TrainingJobName", kName},
    Row{Group::kJob, "TrainingJobStatus", kWord},
    Row{Group::kJob, "TuningJobArn",
        arn("arn:aws~:sagemaker:~:#:hyper-parameter-tuning-job/",
            "arn:aws:sagemaker:us-east-1:111122223333:hyper-parameter-tuning-job/")},
    Row{Group::kJob, "VpcConfig.SecurityGroupIds", kNetworkId},
    Row{Group::kJob, "VpcConfig.Subnets", kNetworkId},
    Row{Group::kJob, "WarmPoolStatus.ReusedByJob", kName},
    Row{Group::kJob, "WarmPoolStatus.Status", kWord},
    Row{Group::kMachines, "instance_types", kWord},
    Row{Group::kLineage, "parent", kTagValue},
    Row{Group::kLineage, "root", kTagValue},
};

const Form* find_form(const FactPath& fact) {
  if (fact.group == Group::kTags) return &kTagValue;
  const auto at = std::ranges::find_if(
      kRows, [&fact](const Row& row) { return row.group == fact.group && row.path == fact.path; });
  return at == kRows.end() ? nullptr : &at->form;
}

bool allows(const Form& form, char c) {
  constexpr auto kAscii = 0x80U;
  if (form.any) return true;
  if (static_cast<unsigned char>(c) >= kAscii) return form.is_world;
  return is_alphanumeric(c) || form.characters.contains(c);
}

// Whether a text that begins so can begin like the form, as far as both go. An `s3://` may be an
// `https://` as well.
bool begins_like(std::string_view text, std::string_view begin) {
  if (begin == kUri.begin && text.starts_with('h')) return begins_like(text, "https://");
  constexpr std::size_t kDigits = 12;
  for (const char sign : begin) {
    if (text.empty()) return true;
    std::size_t taken = 1;
    if (sign == '~') {
      while (taken <= text.size() && (is_alphanumeric(text[taken - 1]) || text[taken - 1] == '-'))
        ++taken;
      --taken;
    } else if (sign == '#') {
      taken = std::min(text.find_first_not_of("0123456789"), text.size());
      if (taken > kDigits || (taken < kDigits && taken < text.size())) return false;
    } else if (to_lower(text.front()) != sign) {
      return false;
    }
    text.remove_prefix(taken);
  }
  return true;
}

// The texts of one test, each in the same role.
struct Asked {
  Test::Kind kind;  // kText, kPrefix, …; what anything-but excludes
  std::span<const std::string> texts;
  bool excludes;
};

Asked asked_by(const Test& test) {
  if (test.kind == Test::Kind::kAnythingBut) return {test.form, test.texts, true};
  return {test.kind, {&test.text, 1}, false};
}

bool is_whole(Test::Kind kind) {
  return kind == Test::Kind::kText || kind == Test::Kind::kIgnoreCase;
}
bool is_prefix(Test::Kind kind) {
  return kind == Test::Kind::kPrefix || kind == Test::Kind::kPrefixIgnoreCase;
}
bool is_suffix(Test::Kind kind) {
  return kind == Test::Kind::kSuffix || kind == Test::Kind::kSuffixIgnoreCase;
}
bool ignores_case(Test::Kind kind) {
  return kind == Test::Kind::kIgnoreCase || kind == Test::Kind::kPrefixIgnoreCase ||
         kind == Test::Kind::kSuffixIgnoreCase;
}

// What stands still in a text: of a wildcard what is no star, and its beginning up to the first.
struct Fixed {
  std::string all;
  std::string head;
  bool open_begin = false;
  bool open_end = false;
};

Fixed fixed_of(Test::Kind kind, std::string_view text) {
  if (kind != Test::Kind::kWildcard)
    return {std::string(text), is_suffix(kind) ? std::string() : std::string(text), is_suffix(kind),
            is_prefix(kind)};
  Fixed out;
  out.open_begin = text.starts_with('*');
  bool is_head = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out.open_end = text[i] == '*';
    if (out.open_end) {
      is_head = false;
      continue;
    }
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    out.all += text[i];
    if (is_head) out.head += text[i];
  }
  return out;
}

// Why no value has such a text: "which has only letters, digits and `-`"; empty where one may.
std::string why_not(const Form& form, Test::Kind kind, std::string_view text) {
  if (text.empty()) return {};
  const Fixed fixed = fixed_of(kind, text);
  if (!std::ranges::all_of(fixed.all, [&form](char c) { return allows(form, c); })) {
    const bool blank = form.characters.starts_with(' ');
    const std::string_view signs = form.characters.substr(blank ? 1 : 0);
    return fmt::format("which has only letters{}{}", blank ? ", blanks" : "",
                       signs.empty() ? " and digits" : fmt::format(", digits and `{}`", signs));
  }
  if (fixed.all.size() > form.longest && !form.is_world)
    return fmt::format("which has at most {} characters", form.longest);
  if (!form.begin.empty() && !begins_like(fixed.head, form.begin))
    return fmt::format("which begins like `{}`", form.example);
  if (form.is_name && !fixed.all.empty() &&
      ((!fixed.open_begin && !is_alphanumeric(fixed.all.front())) ||
       (!fixed.open_end && !is_alphanumeric(fixed.all.back()))))
    return "which begins and ends with a letter or a digit";
  return {};
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  std::string out;
  std::size_t begin = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, begin)) {
    out.append(text, begin, at - begin).append(with);
    begin = at + what.size();
  }
  text = out.append(text, begin);
}

// The wildcard that a regular expression, a text with stars, or an incomplete ARN probably meant;
// empty where that cannot be told.
std::string wildcard_of(const Form& form, const FactPath& fact, Test::Kind kind,
                        std::string_view text) {
  std::string out(text);
  const bool from_begin = out.starts_with('^');
  const bool to_end = out.ends_with('$');
  if (from_begin) out.erase(0, 1);
  if (to_end && !out.empty()) out.pop_back();
  const bool names_machine = fact.path.ends_with("InstanceType") || fact.path == "instance_types";
  if (!names_machine) replace_all(out, ".*", "*");
  for (const std::string_view any : {".+", "\\d+", "[0-9]+", "[a-z]+", "\\w+", "%"})
    replace_all(out, any, "*");
  replace_all(out, "\\.", ".");
  if (is_suffix(kind) || (to_end && !from_begin)) out.insert(0, "*");
  if (is_prefix(kind) || (from_begin && !to_end)) out += '*';
  if (names_machine && !out.starts_with('*') && !out.starts_with("ml.")) out.insert(0, "ml.");
  const std::string_view head = std::string_view(out).substr(0, out.find('*'));
  if (head.starts_with("arn:") && !begins_like(head, form.begin)) return {};
  if (!form.begin.empty() && !head.empty() && !begins_like(head, form.begin))
    out.insert(0, form.begin == kUri.begin ? "s3://" : head.starts_with("role/") ? "*:" : "*/");
  while (out.contains("**")) replace_all(out, "**", "*");
  const bool says_something = out.contains('*') && out != "*" && !out.contains('"') &&
                              !out.contains('\\') &&
                              why_not(form, Test::Kind::kWildcard, out).empty();
  return says_something ? out : std::string();
}

std::string meant(const Form& form, const FactPath& fact, const Asked& asked,
                  std::string_view text) {
  std::string wildcard = wildcard_of(form, fact, asked.kind, text);
  std::string test;
  if (!wildcard.empty() && (asked.kind != Test::Kind::kWildcard || wildcard != text)) {
    const std::string_view inner = std::string_view(wildcard).substr(0, wildcard.size() - 1);
    const bool only_last = wildcard.ends_with('*') && !inner.contains('*');
    if (ignores_case(asked.kind) && only_last)
      test = fmt::format(R"({{"prefix": {{"equals-ignore-case": "{}"}}}})", inner);
    else
      test = fmt::format(R"({{"wildcard": "{}"}})", wildcard);
  } else if (is_whole(asked.kind) && form.begin == kUri.begin) {
    test = fmt::format("\"s3://{}\"", text);
  }
  if (test.empty()) return {};
  return fmt::format("; did you mean `{}`?",
                     asked.excludes ? fmt::format(R"({{"anything-but": {}}})", test) : test);
}

}  // namespace

bool review_form(const FactPath& fact, const Test& test, const JsonPath& where,
                 Diagnostics& diagnostics) {
  const Form* const form = find_form(fact);
  const Asked asked = asked_by(test);
  const bool has_texts = is_whole(asked.kind) || is_prefix(asked.kind) || is_suffix(asked.kind) ||
                         asked.kind == Test::Kind::kWildcard;
  if (form == nullptr || !has_texts) return false;
  bool out = false;
  for (const std::string& text : asked.texts) {
    const std::string why = why_not(*form, asked.kind, text);
    if (why.empty()) continue;
    out = true;
    diagnostics.refusal(
        where, fmt::format("`{}` {} no {}.{}, {}: this {}{}", text,
                           is_whole(asked.kind) ? "is" : "is part of", name(fact.group), fact.path,
                           why, asked.excludes ? "excludes nothing" : "never matches",
                           meant(*form, fact, asked, text)));
  }
  return out;
}

void review_tag_key(std::string_view key, const JsonPath& where, Diagnostics& diagnostics) {
  const std::string why = why_not(kTagValue, Test::Kind::kText, key);
  if (!why.empty() || key.size() > kLongestTagKey * 4)
    diagnostics.refusal(where, fmt::format("`{}` is no key of a tag, {}", key,
                                           why.empty() ? "which has at most 128 characters" : why));
}

}  // namespace trainwarden::rules
