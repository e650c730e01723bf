#include <fmt/core.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "runtime/base/leading_double.h"
#include "runtime/json/json.h"
#include "runtime/json/locate.h"
#include "runtime/json/rapid.h"
#include "runtime/json/utf8.h"

namespace trainwarden::json {
namespace {

constexpr std::size_t kShownDigits = 60;

// Between reader and document: limits depth and the number of values, and converts numbers.
// RapidJSON's own conversion is either inexact or undefined behaviour, so numbers arrive as text
// and go through our own.
class Filter {
 public:
  // has_escapes: whether there is a \u in the text, which alone can stand for half a character.
  Filter(rapidjson::Document& document, bool has_escapes, std::size_t most_values)
      : to_(document), has_escapes_(has_escapes), most_(most_values), left_(most_values) {}

  bool Null() { return count() && to_.Null(); }
  bool Bool(bool b) { return count() && to_.Bool(b); }
  bool Int(int i) { return to_.Int(i); }
  bool Uint(unsigned i) { return to_.Uint(i); }
  bool Int64(std::int64_t i) { return to_.Int64(i); }
  bool Uint64(std::uint64_t i) { return to_.Uint64(i); }
  bool Double(double d) { return to_.Double(d); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    return count() && number(std::string_view(text, size));
  }
  bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    return count() && whole(text, size) && to_.String(text, size, false);
  }
  bool Key(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    return count() && whole(text, size) && to_.Key(text, size, false);
  }
  bool StartObject() { return enter() && to_.StartObject(); }
  bool EndObject(rapidjson::SizeType members) {
    --depth_;
    return to_.EndObject(members);
  }
  bool StartArray() { return enter() && to_.StartArray(); }
  bool EndArray(rapidjson::SizeType elements) {
    --depth_;
    return to_.EndArray(elements);
  }

  // Why the filter ended the parse; empty if it did not.
  const std::string& refusal() const { return refusal_; }

 private:
  bool count() {
    if (left_-- > 0) return true;
    refusal_ = fmt::format("expected at most {} values, with the names of members", most_);
    return false;
  }

  bool enter() {
    if (!count()) return false;
    if (++depth_ <= kMaxDepth) return true;
    refusal_ = fmt::format("expected at most {} levels of nesting", kMaxDepth);
    return false;
  }

  // The text was valid before its escapes were read. The reader refuses the first half of an
  // escaped pair alone, but lets a second half alone (\udc00) pass; in UTF-8 it begins with 0xED.
  bool whole(const char* text, rapidjson::SizeType size) {
    if (!has_escapes_ || std::memchr(text, 0xED, size) == nullptr ||
        valid_utf8({text, size}) == size)
      return true;
    refusal_ = "expected both halves of a surrogate pair";
    return false;
  }

  bool number(std::string_view text) {
    const char* const end = text.data() + text.size();
    if (text.find_first_of(".eE") == std::string_view::npos) {
      std::int64_t integer = 0;
      if (const auto r = std::from_chars(text.data(), end, integer); r.ec == std::errc())
        return text == "-0" ? to_.Double(-0.0) : to_.Int64(integer);
      std::uint64_t natural = 0;
      if (const auto r = std::from_chars(text.data(), end, natural); r.ec == std::errc())
        return to_.Uint64(natural);
    }
    const double real = leading_double(text).value;
    if (std::isfinite(real)) return to_.Double(real);
    refusal_ = fmt::format("expected a number that fits a double, found `{}`",
                           text.substr(0, kShownDigits));
    return false;
  }

  rapidjson::Document& to_;
  bool has_escapes_;
  std::size_t most_;
  std::size_t left_;
  int depth_ = 0;
  std::string refusal_;
};

// The path of the first object that has a member twice, and the member; all empty if none has.
struct Duplicate {
  std::string path;
  std::string pointer;
  std::string name;
};

std::string_view name_of(const Node::Member& member) {
  return {member.name.GetString(), member.name.GetStringLength()};
}

// The name that two of the object's members have, if any do.
std::optional<std::string_view> find_twin(const Node& object,
                                          std::vector<std::string_view>& names) {
  constexpr std::size_t kFew = 16;
  if (object.MemberCount() <= kFew) {  // of few, most differ in length, and need no order
    std::array<std::string_view, kFew> few;
    std::size_t count = 0;
    for (const auto& member : object.GetObject()) {
      const std::string_view name = name_of(member);
      for (std::size_t i = 0; i < count; ++i)
        if (few[i] == name) return name;
      few[count++] = name;
    }
    return std::nullopt;
  }
  names.clear();
  for (const auto& member : object.GetObject()) names.push_back(name_of(member));
  std::sort(names.begin(), names.end());
  const auto twin = std::adjacent_find(names.begin(), names.end());
  return twin == names.end() ? std::nullopt : std::optional(*twin);
}

bool find_duplicate(const Node& at, std::vector<std::string_view>& names, Duplicate& found) {
  if (at.IsArray()) {
    for (rapidjson::SizeType i = 0; i < at.Size(); ++i) {
      if (!find_duplicate(at[i], names, found)) continue;
      found.path.insert(0, fmt::format("[{}]", i));
      found.pointer.insert(0, fmt::format("/{}", i));
      return true;
    }
  }
  if (!at.IsObject()) return false;
  if (const auto twin = find_twin(at, names)) {
    found.name = *twin;
    return true;
  }
  for (const auto& member : at.GetObject()) {
    if (!find_duplicate(member.value, names, found)) continue;
    found.path.insert(0, fmt::format(".{}", member.name.GetString()));
    found.pointer.insert(0, pointer_step(name_of(member)));
    return true;
  }
  return false;
}

// A name of any length, as an error shows it.
std::string shortened(const std::string& name) {
  constexpr std::size_t kMost = 200;
  if (name.size() <= kMost) return name;
  return name.substr(0, utf8_boundary(name, kMost)) + "…";
}

// RapidJSON's texts are sentences with a full stop; ours are not.
std::string lower_case_phrase(const char* sentence) {
  std::string text(sentence);
  if (!text.empty() && text.back() == '.') text.pop_back();
  if (text.size() > 1 && text[1] >= 'a' && text[0] >= 'A' && text[0] <= 'Z')
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

// Why a text is no document: at that byte it is not JSON, or it has a member twice.
struct Refusal {
  std::size_t offset = 0;
  std::string what;
  std::optional<Duplicate> twin;
};

// Parses into the document, whose strings will point into `copy`.
std::optional<Refusal> read_into(std::string_view text, Syntax syntax, std::size_t most_values,
                                 std::string& copy, rapidjson::Document& into) {
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseInsituFlag |
                              rapidjson::kParseNumbersAsStringsFlag;
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  copy = text;
  const std::size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  rapidjson::Reader reader;
  rapidjson::InsituStringStream stream(copy.data() + begin);
  std::string refusal;
  rapidjson::ParseResult outcome;
  auto generate = [&](rapidjson::Document& document) {
    Filter filter(document, text.find("\\u") != std::string_view::npos, most_values);
    outcome = syntax == Syntax::kStrict
                  ? reader.Parse<kFlags>(stream, filter)
                  : reader.Parse < kFlags | rapidjson::kParseCommentsFlag |
                        rapidjson::kParseTrailingCommasFlag > (stream, filter);
    refusal = filter.refusal();
    return !outcome.IsError();
  };
  if (const std::size_t valid = valid_utf8(text); valid < text.size())
    outcome.Set(rapidjson::kParseErrorStringInvalidEncoding, valid - begin);
  else
    into.Populate(generate);
  // A reader takes a NUL byte for the end of the text; only the real end is one.
  if (!outcome.IsError() && begin + stream.Tell() < text.size())
    outcome.Set(rapidjson::kParseErrorDocumentRootNotSingular, stream.Tell());
  if (outcome.IsError()) {
    if (refusal.empty()) refusal = lower_case_phrase(rapidjson::GetParseError_En(outcome.Code()));
    return Refusal{begin + outcome.Offset(), std::move(refusal), {}};
  }
  std::vector<std::string_view> names;
  Duplicate twin;
  if (!find_duplicate(into, names, twin)) return std::nullopt;
  if (twin.path.starts_with('.')) twin.path.erase(0, 1);
  return Refusal{0, {}, std::move(twin)};
}

}  // namespace

Document::Document(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

Value Document::root() const { return Value(static_cast<const Node*>(&impl_->document)); }

Result<Document> Document::parse(std::string_view text, Syntax syntax, std::size_t most_values) {
  auto impl = std::make_unique<Impl>(text.size());
  const std::optional<Refusal> refusal =
      read_into(text, syntax, most_values, impl->text, impl->document);
  if (!refusal) return Document(std::move(impl));
  if (!refusal->twin) {
    const Position at = position_at(text, refusal->offset);
    return fail(ErrorCode::kInvalidInput, fmt::format("not valid JSON at line {}, column {}: {}",
                                                      at.line, at.column, refusal->what));
  }
  const auto& [path, pointer, name] = *refusal->twin;
  return fail(ErrorCode::kInvalidInput,
              path.empty() ? fmt::format("member `{}` is there twice", shortened(name))
                           : fmt::format("`{}`: member `{}` is there twice", shortened(path),
                                         shortened(name)));
}

std::optional<Fault> fault_of(std::string_view text, Syntax syntax) {
  std::string copy;
  rapidjson::Document document;
  std::optional<Refusal> refusal = read_into(text, syntax, kAnyNumber, copy, document);
  if (!refusal) return std::nullopt;
  if (refusal->twin)
    return Fault{
        {}, refusal->twin->pointer + pointer_step(refusal->twin->name), refusal->twin->name};
  return Fault{position_at(text, refusal->offset), {}, std::move(refusal->what)};
}

}  // namespace trainwarden::json
