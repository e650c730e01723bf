#include "awsapi/sns.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "awsapi/uri.h"
#include "awsapi/xml.h"
#include "runtime/json/json.h"
#include "runtime/json/utf8.h"

namespace trainwarden::aws {
namespace {

// Includes all parts of the attributes:
// https://docs.aws.amazon.com/sns/latest/api/API_MessageAttributeValue.html
constexpr std::size_t kMaxMessage = std::size_t{256} * 1024;
constexpr std::string_view kString = "String";
constexpr std::string_view kArray = "String.Array";

class Form {
 public:
  void add(std::string_view name, std::string_view value) {
    if (!text_.empty()) text_ += '&';
    text_.append(uri_encode(name, KeepSlash::kNo))
        .append("=")
        .append(uri_encode(value, KeepSlash::kNo));
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

struct Attribute {
  std::string_view name;
  std::string_view type;
  std::string value;
};

std::string array_of(const std::vector<std::string>& values) {
  json::Writer out;
  out.begin_array();
  for (const std::string& value : values) out.string(value);
  out.end_array();
  return out.take();
}

// The attributes that have a value.
std::vector<Attribute> attributes_of(const Publication& publication) {
  std::vector<Attribute> out;
  out.reserve(publication.attributes.size() + publication.lists.size());
  for (const auto& [name, value] : publication.attributes) out.push_back({name, kString, value});
  for (const auto& [name, values] : publication.lists) {
    if (values.size() == 1) out.push_back({name, kString, values.front()});
    if (values.size() > 1) out.push_back({name, kArray, array_of(values)});
  }
  std::erase_if(out, [](const Attribute& one) { return one.value.empty(); });
  return out;
}

std::size_t room_beside(const std::vector<Attribute>& attributes) {
  std::size_t taken = 0;
  for (const auto& [name, type, value] : attributes)
    taken += name.size() + type.size() + value.size();
  return kMaxMessage - std::min(taken, kMaxMessage);
}

}  // namespace

std::string sns_subject(std::string_view text) {
  constexpr std::size_t kMax = 99;
  std::string out;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) continue;  // inside a character
    if (out.size() == kMax) break;
    const bool control = static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    const bool ascii = static_cast<unsigned char>(c) < 0x80;
    if (control)
      out += ' ';
    else
      out += ascii ? c : '?';
  }
  // It must begin with a letter, a number or a punctuation mark.
  const std::size_t begin = out.find_first_not_of(' ');
  return begin == std::string::npos ? "Trainwarden" : out.substr(begin);
}

Result<std::string> Sns::publish(const Publication& publication, const CallContext& context) const {
  Form form;
  form.add("Action", "Publish");
  form.add("Version", kSns.target_prefix);
  form.add("TopicArn", publication.topic_arn);
  form.add("Subject", sns_subject(publication.subject));
  const std::string_view message = publication.message;
  const std::vector<Attribute> attributes = attributes_of(publication);
  form.add("Message", message.substr(0, json::utf8_boundary(message, room_beside(attributes))));
  int entry = 0;
  for (const auto& [name, type, value] : attributes) {
    const std::string prefix = fmt::format("MessageAttributes.entry.{}", ++entry);
    form.add(prefix + ".Name", name);
    form.add(prefix + ".Value.DataType", type);
    form.add(prefix + ".Value.StringValue", value);
  }
  const std::string& arn = publication.topic_arn;
  const Call call{.service = &kSns,
                  .operation = "Publish",
                  .body = form.take(),
                  .target = arn.substr(arn.rfind(':') + 1)};
  auto answers = client_.send_all(std::span(&call, 1), context);
  TRY(const std::string answer, std::move(answers.front()));
  if (auto id = element_text(answer, "MessageId")) return *std::move(id);
  return fail(ErrorCode::kBadResponse, "Publish: expected XML with a MessageId in the answer");
}

}  // namespace trainwarden::aws
