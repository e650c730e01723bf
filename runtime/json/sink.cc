#include <fmt/format.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <array>
#include <cassert>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "runtime/json/json.h"
#include "runtime/json/rapid.h"
#include "runtime/json/utf8.h"

namespace trainwarden::json {
namespace {

// Feeds a rapidjson handler (a Writer, or a Document being populated).
template <class Handler>
class HandlerSink : public Sink {
 public:
  explicit HandlerSink(Handler& handler) : handler_(handler) {}

  Sink& begin_object() override {
    began();
    handler_.StartObject();
    return *this;
  }
  Sink& end_object() override {
    handler_.EndObject(ended());
    return *this;
  }
  Sink& begin_array() override {
    began();
    handler_.StartArray();
    return *this;
  }
  Sink& end_array() override {
    handler_.EndArray(ended());
    return *this;
  }
  Sink& key(std::string_view name) override {
    const std::string mended = mend_utf8(name);
    const std::string_view text = valid(name, mended);
    handler_.Key(text.data(), length(text), true);
    in_member_ = true;
    return *this;
  }
  Sink& string(std::string_view text) override {
    count();
    const std::string mended = mend_utf8(text);
    text = valid(text, mended);
    handler_.String(text.data(), length(text), true);
    return *this;
  }
  Sink& integer(std::int64_t number) override {
    count();
    handler_.Int64(number);
    return *this;
  }
  Sink& number(double number) override {
    count();
    assert(std::isfinite(number));
    write(handler_, number);
    return *this;
  }
  Sink& boolean(bool value) override {
    count();
    handler_.Bool(value);
    return *this;
  }
  Sink& null() override {
    count();
    handler_.Null();
    return *this;
  }

 private:
  // RapidJSON copies from data() even where there is nothing to copy.
  static std::string_view valid(std::string_view text, const std::string& mended) {
    if (!mended.empty()) return mended;
    return text.empty() ? std::string_view("") : text;
  }
  static void write(rapidjson::Document& document, double number) { document.Double(number); }
  static void write(rapidjson::Writer<rapidjson::StringBuffer>& writer, double number) {
    // fmt writes the shortest text that reads back the same; std::to_chars would add 128 KB of
    // tables.
    std::array<char, 32> text{};
    const auto end = fmt::format_to(text.data(), "{}", number);
    const auto size = static_cast<std::size_t>(end - text.data());
    writer.RawValue(text.data(), size, rapidjson::kNumberType);
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

  Handler& handler_;
  std::vector<rapidjson::SizeType> counts_;
  bool in_member_ = false;
};

}  // namespace

Document Document::build(const std::function<void(Sink&)>& fill) {
  auto impl = std::make_unique<Impl>();
  auto write = [&](rapidjson::Document& document) {
    HandlerSink<rapidjson::Document> sink(document);
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

struct Writer::Impl {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer{buffer};
  HandlerSink<rapidjson::Writer<rapidjson::StringBuffer>> sink{writer};
};

Writer::Writer() : impl_(std::make_unique<Impl>()) {}
Writer::~Writer() = default;

Sink& Writer::begin_object() { return impl_->sink.begin_object(), *this; }
Sink& Writer::end_object() { return impl_->sink.end_object(), *this; }
Sink& Writer::begin_array() { return impl_->sink.begin_array(), *this; }
Sink& Writer::end_array() { return impl_->sink.end_array(), *this; }
Sink& Writer::key(std::string_view name) { return impl_->sink.key(name), *this; }
Sink& Writer::string(std::string_view text) { return impl_->sink.string(text), *this; }
Sink& Writer::integer(std::int64_t number) { return impl_->sink.integer(number), *this; }
Sink& Writer::number(double number) { return impl_->sink.number(number), *this; }
Sink& Writer::boolean(bool value) { return impl_->sink.boolean(value), *this; }
Sink& Writer::null() { return impl_->sink.null(), *this; }

std::string Writer::take() const {
  assert(impl_->writer.IsComplete());
  return {impl_->buffer.GetString(), impl_->buffer.GetSize()};
}

namespace {

// Which bytes a JSON string has to write otherwise.
constexpr std::array<bool, 256> kEscaped = [] {
  std::array<bool, 256> out{};
  for (std::size_t control = 0; control < 0x20; ++control) out[control] = true;
  out['"'] = out['\\'] = true;
  return out;
}();

using Text = fmt::memory_buffer;

void append(std::string_view text, Text& out) {
  out.append(text.data(), text.data() + text.size());
}

void append_string(std::string_view text, Text& out) {
  const std::size_t begin = out.size();
  out.resize(begin + text.size() + 2);
  char* to = out.data() + begin;
  *to++ = '"';
  for (const char c : text) {
    if (kEscaped[static_cast<unsigned char>(c)]) {
      rapidjson::StringBuffer escaped;
      rapidjson::Writer<rapidjson::StringBuffer>(escaped).String(text.data(), length(text));
      out.resize(begin);
      return append({escaped.GetString(), escaped.GetSize()}, out);
    }
    *to++ = c;
  }
  *to = '"';
}

void append_number(Value value, Text& out) {
  if (const auto whole = value.as_integer())
    append(std::string_view(fmt::format_int(*whole).c_str()), out);
  else
    fmt::format_to(std::back_inserter(out), "{}", value.as_number());
}

// What a Writer would write, without its checks: a document's strings are UTF-8 already, and its
// levels are closed.
void append_value(Value value, Text& out) {
  switch (value.type()) {
    case Type::kNull:
      return append("null", out);
    case Type::kBoolean:
      return append(value.as_boolean() ? "true" : "false", out);
    case Type::kNumber:
      return append_number(value, out);
    case Type::kString:
      return append_string(value.as_string(), out);
    case Type::kArray: {
      out.push_back('[');
      bool first = true;
      for (const Value element : value.elements()) {
        if (!std::exchange(first, false)) out.push_back(',');
        append_value(element, out);
      }
      return out.push_back(']');
    }
    case Type::kObject: {
      out.push_back('{');
      bool first = true;
      for (const auto& [name, held] : value.members()) {
        if (!std::exchange(first, false)) out.push_back(',');
        append_string(name, out);
        out.push_back(':');
        append_value(held, out);
      }
      return out.push_back('}');
    }
  }
}

}  // namespace

std::string to_text(Value value) {
  Text out;
  append_value(value, out);
  return {out.data(), out.size()};
}

}  // namespace trainwarden::json
