#include "tests/localaws/service/patterns.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "runtime/base/ascii.h"

namespace trainwarden::localaws::patterns {
namespace {

template <class Predicate>
bool all(std::string_view text, Predicate predicate) {
  return std::all_of(text.begin(), text.end(), predicate);
}

bool one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

// Takes the field up to the next colon, which must be there.
bool take_field(std::string_view& text, std::string_view& field) {
  const auto end = text.find(':');
  if (end == std::string_view::npos) return false;
  field = text.substr(0, end);
  text.remove_prefix(end + 1);
  return true;
}

bool partition(std::string_view text) {
  return text.starts_with("aws") &&
         all(text.substr(3), [](char c) { return is_lower(c) || c == '-'; });
}

bool account(std::string_view text) { return text.size() == 12 && all(text, is_digit); }

// No dash at either end; the model's {0,62} bounds the length, which has a message of its own.
bool job_name(std::string_view text) {
  return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         all(text, [](char c) { return is_alphanumeric(c) || c == '-'; });
}

bool name_contains(std::string_view text) {
  return !text.empty() && all(text, [](char c) { return is_alphanumeric(c) || c == '-'; });
}

// Beyond ASCII, blocks stand in for the Unicode classes L, Z and N: symbols, punctuation, emoji,
// private use and unassigned planes are refused; a few marks within letter blocks pass wrongly.
bool letter_space_or_number(char32_t c) {
  if (c < 0xC0)
    return c == 0xA0 || c == 0xAA || c == 0xB2 || c == 0xB3 || c == 0xB5 || c == 0xB9 ||
           c == 0xBA || (c >= 0xBC && c <= 0xBE);
  if (c == 0xD7 || c == 0xF7) return false;
  if (c >= 0x2010 && c < 0x2070) return c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F;
  if (c >= 0x20A0 && c < 0x2100) return false;
  if (c >= 0x2190 && c < 0x2460) return false;
  if (c >= 0x2500 && c < 0x2776) return false;
  if (c >= 0x2794 && c < 0x2C00) return false;
  if (c == 0x3001 || c == 0x3002 || (c >= 0x3008 && c <= 0x3020)) return false;
  if (c >= 0xD800 && c < 0xF900) return false;
  if (c >= 0xFF01 && c < 0xFF10) return false;
  if (c >= 0x1F000 && c < 0x20000) return false;
  return c < 0x323B0;
}

bool tag(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      if (!is_alphanumeric(text[i]) && !one_of(text[i], " _.:/=+-@")) return false;
      ++i;
      continue;
    }
    const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    auto c = static_cast<char32_t>(lead & (0x3FU >> more));
    for (std::size_t k = 1; k <= more; ++k)
      c = (c << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3FU);  // JSON was valid UTF-8
    if (!letter_space_or_number(c)) return false;
    i += more + 1;
  }
  return true;
}

bool role_arn(std::string_view text) {
  std::string_view field;
  if (!take_field(text, field) || field != "arn") return false;
  if (!take_field(text, field) || !partition(field)) return false;
  if (!take_field(text, field) || field != "iam") return false;
  if (!take_field(text, field) || !field.empty()) return false;
  if (!take_field(text, field) || !account(field)) return false;
  if (!text.starts_with("role")) return false;
  text.remove_prefix(4);
  return !text.empty() && text != "/" &&
         all(text, [](char c) { return is_alphanumeric(c) || one_of(c, "_+=,.@-/"); });
}

bool resource_arn(std::string_view text) {
  std::string_view field;
  if (!take_field(text, field) || field != "arn") return false;
  if (!take_field(text, field) || !partition(field)) return false;
  if (!take_field(text, field) || field != "sagemaker") return false;
  if (!take_field(text, field) ||
      !all(field, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; }))
    return false;
  if (!take_field(text, field) || !account(field)) return false;
  return !text.empty();
}

bool s3_uri(std::string_view text) {
  for (const std::string_view scheme : {"https://", "s3://"})
    if (text.starts_with(scheme)) return text.size() > scheme.size() && text[scheme.size()] != '/';
  return false;
}

bool channel_name(std::string_view text) {
  return !text.empty() && all(text, [](char c) { return is_alphanumeric(c) || one_of(c, ".-_"); });
}

bool kms_key(std::string_view text) {
  return all(text, [](char c) { return is_alphanumeric(c) || one_of(c, ":/_-"); });
}

bool vpc_id(std::string_view text) {
  return !text.empty() && all(text, [](char c) { return is_alphanumeric(c) || c == '-'; });
}

bool environment_key(std::string_view text) {
  return !text.empty() && !is_digit(text.front()) &&
         all(text, [](char c) { return is_alphanumeric(c) || c == '_'; });
}

// The model lists all types; here the form decides, so that a new type needs no new list.
bool instance_type(std::string_view text) {
  if (!text.starts_with("ml.")) return false;
  text.remove_prefix(3);
  const auto dot = text.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == text.size()) return false;
  return all(text, [](char c) { return is_lower(c) || is_digit(c) || c == '-' || c == '.'; });
}

bool metric_namespace(std::string_view text) { return text.empty() || text.front() != ':'; }

bool log_group(std::string_view text) {
  return all(text, [](char c) { return is_alphanumeric(c) || one_of(c, ".-_/#"); });
}

bool log_stream(std::string_view text) {
  return all(text, [](char c) { return !one_of(c, ":*"); });
}

}  // namespace

const Pattern kTrainingJobName{"^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}", job_name};
const Pattern kNameContains{"[a-zA-Z0-9\\-]+", name_contains};
const Pattern kTag{"^([\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*)$", tag};
const Pattern kRoleArn{"^arn:aws[a-z\\-]*:iam::\\d{12}:role/?[a-zA-Z_0-9+=,.@\\-_/]+$", role_arn};
const Pattern kResourceArn{"arn:aws[a-z-]*:sagemaker:[a-z0-9-]*:[0-9]{12}:.+", resource_arn};
const Pattern kS3Uri{"^(https|s3)://([^/]+)/?(.*)$", s3_uri};
const Pattern kChannelName{"[A-Za-z0-9\\.\\-_]+", channel_name};
const Pattern kKmsKeyId{"[a-zA-Z0-9:/_-]*", kms_key};
const Pattern kVpcId{"[-0-9a-zA-Z]+", vpc_id};
const Pattern kEnvironmentKey{"[a-zA-Z_][a-zA-Z0-9_]*", environment_key};
const Pattern kInstanceType{"ml\\.[a-z0-9-]+\\.[a-z0-9-]+", instance_type};
const Pattern kNamespace{"[^:].*", metric_namespace};
const Pattern kLogGroup{"[\\.\\-_/#A-Za-z0-9]+", log_group};
const Pattern kLogStream{"[^:*]*", log_stream};

}  // namespace trainwarden::localaws::patterns
