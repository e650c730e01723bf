#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "runtime/json/json.h"
#include "runtime/json/rapid.h"
#include "runtime/json/utf8.h"

namespace trainwarden::json {
namespace {

// Fills a document that is being populated.
class DocumentSink final : public Sink {
 public:
  explicit DocumentSink(rapidjson::Document& document) : document_(document) {}

  Sink& begin_object() override {
    began();
    document_.StartObject();
    return *this;
  }
  Sink& end_object() override {
    document_.EndObject(ended());
    return *this;
  }
  Sink& begin_array() override {
    began();
    document_.StartArray();
    return *this;
  }
  Sink& end_array() override {
    document_.EndArray(ended());
    return *this;
  }
  Sink& key(std::string_view name) override {
    const std::string mended = mend_utf8(name);
    const std::string_view text = valid(name, mended);
    document_.Key(text.data(), length(text), true);
    in_member_ = true;
    return *this;
  }
  Sink& string(std::string_view text) override {
    count();
    const std::string mended = mend_utf8(text);
    text = valid(text, mended);
    document_.String(text.data(), length(text), true);
    return *this;
  }
  Sink& integer(std::int64_t number) override {
    count();
    document_.Int64(number);
    return *this;
  }
  Sink& number(double number) override {
    count();
    assert(std::isfinite(number));
    document_.Double(number);
    return *this;
  }
  Sink& boolean(bool value) override {
    count();
    document_.Bool(value);
    return *this;
  }
  Sink& null() override {
    count();
    document_.Null();
    return *this;
  }

 private:
  // RapidJSON copies from data() even where there is nothing to copy.
  static std::string_view valid(std::string_view text, const std::string& mended) {
    if (!mended.empty()) return mended;
    return text.empty() ? std::string_view("") : text;
  }

  // Each level counts its members or elements; a member's value is counted once, with its key.
  void count() {
    in_member_ = false;
    if (!counts_.empty()) ++counts_.back();
  }
  void began() {
    count();
    counts_.push_back(0);
  }
  rapidjson::SizeType ended() {
    assert(!counts_.empty() && !in_member_);
    const rapidjson::SizeType n = counts_.back();
    counts_.pop_back();
    return n;
  }

  rapidjson::Document& document_;
  std::vector<rapidjson::SizeType> counts_;
  bool in_member_ = false;
};

}  // namespace

Document Document::build(const std::function<void(Sink&)>& fill) {
  auto impl = std::make_unique<Impl>();
  auto write = [&](rapidjson::Document& document) {
    DocumentSink sink(document);
    fill(sink);
    return true;
  };
  impl->document.Populate(write);
  return Document(std::move(impl));
}

Sink& Sink::value(Value copied) {
  switch (copied.type()) {
    case Type::kNull:
      return null();
    case Type::kBoolean:
      return boolean(copied.as_boolean());
    case Type::kNumber:
      if (const auto whole = copied.as_integer(); whole) return integer(*whole);
      return number(copied.as_number());
    case Type::kString:
      return string(copied.as_string());
    case Type::kArray:
      begin_array();
      for (const Value element : copied.elements()) value(element);
      return end_array();
    case Type::kObject:
      begin_object();
      for (const auto& [name, held] : copied.members()) key(name).value(held);
      return end_object();
  }
  return null();
}

namespace {

// Whether a JSON string writes the text as it is: ASCII without control characters, quotes and
// backslashes, as nearly all is. Eight bytes at once.
bool is_plain_string(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  const auto odd = [](std::uint64_t eight) {
    // The highest bit of a byte tells: of a blank less than one below it, of zero less one, or of
    // what is beyond ASCII. Only what is odd itself borrows from the byte above.
    const std::uint64_t quote = eight ^ kOnes * '"';
    const std::uint64_t backslash = eight ^ kOnes * '\\';
    return (eight - kOnes * ' ') | (quote - kOnes) | (backslash - kOnes) | eight;
  };
  std::uint64_t all = 0;
  std::uint64_t eight = 0;
  if (text.empty()) return true;
  if (text.size() < sizeof eight) {
    eight = kOnes * 'a';
    std::memcpy(&eight, text.data(), text.size());
    return (odd(eight) & kOnes * 0x80) == 0;
  }
  const auto take = [&](std::size_t at) {
    std::memcpy(&eight, text.data() + at, sizeof eight);
    all |= odd(eight);
  };
  for (std::size_t at = 0; at + sizeof eight < text.size(); at += sizeof eight) take(at);
  take(text.size() - sizeof eight);
  return (all & kOnes * 0x80) == 0;
}

// A text with what comes before and after its quotes (0 for nothing), written in one step, since
// nearly all writes are short texts.
struct Quoted {
  char before;
  std::string_view text;
  char behind;
};

void append_escaped(const Quoted& what, std::string& out) {
  constexpr std::string_view kNamed = "\"\\\b\f\n\r\t";
  constexpr std::string_view kNames = "\"\\bfnrt";
  if (what.before != 0) out += what.before;
  out += '"';
  for (const char c : what.text) {
    if (const std::size_t at = kNamed.find(c); at != std::string_view::npos)
      out.append(1, '\\').append(1, kNames[at]);
    else if (static_cast<unsigned char>(c) < 0x20)
      fmt::format_to(std::back_inserter(out), "\\u{:04X}", static_cast<unsigned>(c));
    else
      out += c;
  }
  out += '"';
  if (what.behind != 0) out += what.behind;
}

void append_plain(const Quoted& what, std::string& out) {
  const std::size_t had = out.size();
  const std::size_t most = had + what.text.size() + 4;
  out.resize_and_overwrite(most, [&](char* to, std::size_t) {
    char* at = to + had;
    if (what.before != 0) *at++ = what.before;
    *at++ = '"';
    if (!what.text.empty()) std::memcpy(at, what.text.data(), what.text.size());
    at += what.text.size();
    *at++ = '"';
    if (what.behind != 0) *at++ = what.behind;
    return static_cast<std::size_t>(at - to);
  });
}

// Appends a text that is valid UTF-8.
void append_string(const Quoted& what, std::string& out) {
  is_plain_string(what.text) ? append_plain(what, out) : append_escaped(what, out);
}

// Appends any text; bytes that are not UTF-8 are replaced.
void append_mended(const Quoted& what, std::string& out) {
  if (is_plain_string(what.text)) return append_plain(what, out);
  const std::string mended = mend_utf8(what.text);
  append_escaped({what.before, mended.empty() ? what.text : mended, what.behind}, out);
}

void append_integer(std::int64_t number, std::string& out) {
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
}

// The shortest text that reads back the same; std::to_chars would add 128 KB of tables.
void append_real(double number, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}", number);
}

// Writes what a Writer would, but without its checks: a document's strings are UTF-8 already, and
// its levels are closed.
void append_value(Value value, std::string& out) {
  switch (value.type()) {
    case Type::kNull:
      out += "null";
      return;
    case Type::kBoolean:
      out += value.as_boolean() ? "true" : "false";
      return;
    case Type::kNumber:
      if (const auto whole = value.as_integer()) return append_integer(*whole, out);
      return append_real(value.as_number(), out);
    case Type::kString:
      return append_string({0, value.as_string(), 0}, out);
    case Type::kArray: {
      out += '[';
      bool first = true;
      for (const Value element : value.elements()) {
        if (!std::exchange(first, false)) out += ',';
        append_value(element, out);
      }
      out += ']';
      return;
    }
    case Type::kObject: {
      out += '{';
      char before = 0;
      for (const auto& [name, held] : value.members()) {
        append_string({std::exchange(before, ','), name, ':'}, out);
        append_value(held, out);
      }
      out += '}';
      return;
    }
  }
}

}  // namespace

Writer::Writer() {
  constexpr std::size_t kMost = 1000;  // lines of the log
  text_.reserve(kMost);
}

void Writer::begin_value() {
  if (needs_comma_) text_ += ',';
  needs_comma_ = true;
}

Sink& Writer::open(char bracket) {
  begin_value();
  text_ += bracket;
  needs_comma_ = false;
  ++depth_;
  return *this;
}

Sink& Writer::close(char bracket) {
  assert(depth_ > 0);
  --depth_;
  text_ += bracket;
  needs_comma_ = true;
  return *this;
}

Sink& Writer::raw(std::string_view json) {
  begin_value();
  text_ += json;
  return *this;
}

Sink& Writer::key(std::string_view name) {
  append_mended({std::exchange(needs_comma_, false) ? ',' : '\0', name, ':'}, text_);
  return *this;
}

Sink& Writer::string(std::string_view text) {
  append_mended({std::exchange(needs_comma_, true) ? ',' : '\0', text, 0}, text_);
  return *this;
}

Sink& Writer::integer(std::int64_t number) {
  begin_value();
  append_integer(number, text_);
  return *this;
}

Sink& Writer::number(double number) {
  assert(std::isfinite(number));
  begin_value();
  append_real(number, text_);
  return *this;
}

std::string Writer::take() {
  assert(depth_ == 0 && needs_comma_);
  return std::move(text_);
}

std::string to_text(Value value) {
  constexpr std::size_t kMost = 500;  // rules, and whatever is shown
  std::string out;
  out.reserve(kMost);
  append_value(value, out);
  return out;
}

}  // namespace trainwarden::json
