// JSON, checked: a Document owns a parsed text, a Value points into it and is valid while it lives.
// Parsing refuses what many parsers accept: more than 128 levels, a member twice in one object,
// invalid UTF-8, numbers beyond a double, and more values than the caller allows, since each takes
// 32 bytes while it is read. Every error names the path. RapidJSON is hidden in
// json.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "runtime/base/result.h"

namespace trainwarden::json {

inline constexpr int kMaxDepth = 128;
inline constexpr std::size_t kAnyNumber = SIZE_MAX;  // of values

enum class Type : std::uint8_t { kNull, kBoolean, kNumber, kString, kArray, kObject };

// "null", "a boolean", "a number", "a string", "an array", "an object"
std::string_view describe(Type type);

class Elements;
class Members;

// A pointer to one value of a Document. Cheap to copy. The is_/as_ pairs do not check: as_X may be
// called only where is_X holds (asserted). For input from outside use the Result getters.
class Value {
 public:
  Type type() const;
  bool is_null() const { return type() == Type::kNull; }
  bool is_boolean() const { return type() == Type::kBoolean; }
  bool is_number() const { return type() == Type::kNumber; }
  bool is_string() const { return type() == Type::kString; }
  bool is_array() const { return type() == Type::kArray; }
  bool is_object() const { return type() == Type::kObject; }

  bool as_boolean() const;
  double as_number() const;
  std::string_view as_string() const;
  // A number without a fraction that fits the integer type, with or without an exponent: 3, 3.0 and
  // 3e0.
  std::optional<std::int64_t> as_integer() const;

  // Number of elements or members; 0 for all other types.
  std::size_t size() const;
  Elements elements() const;  // empty unless an array
  Members members() const;    // empty unless an object
  // The member of that name; nullopt if this is not an object or lacks it.
  std::optional<Value> find(std::string_view name) const;
  // As find, but a null member counts as missing: in AWS's events the two are the same (policy.md
  // F2).
  std::optional<Value> find_present(std::string_view name) const;

  // Checked getters for input: the error names `where` (the path of this value), what was expected
  // and what was found.
  Result<std::string_view> string(std::string_view where) const;
  Result<double> number(std::string_view where) const;
  Result<std::int64_t> integer(std::string_view where) const;
  Result<bool> boolean(std::string_view where) const;
  Result<Value> object(std::string_view where) const;
  Result<Value> array(std::string_view where) const;
  // The named member of an object, with the member's path in errors. Missing is an error.
  Result<Value> member(std::string_view name, std::string_view where) const;

  // For error messages: the value as JSON, cut to about 60 characters.
  std::string excerpt() const;

 private:
  friend class Document;
  friend class Elements;
  friend class Members;
  explicit Value(const void* node) : node_(node) {}
  const void* node_;
};

// Two values are equal as JSON: numbers by value, objects without regard to order.
bool equal(Value a, Value b);

// Range of an array's elements.
class Elements {
 public:
  class Iterator {
   public:
    Value operator*() const { return Value(at_); }
    Iterator& operator++();
    bool operator==(const Iterator&) const = default;

   private:
    friend class Elements;
    explicit Iterator(const void* at) : at_(at) {}
    const void* at_;
  };
  Iterator begin() const { return Iterator(begin_); }
  Iterator end() const { return Iterator(end_); }

 private:
  friend class Value;
  Elements(const void* begin, const void* end) : begin_(begin), end_(end) {}
  const void* begin_;
  const void* end_;
};

struct Member {
  std::string_view name;
  Value value;
};

// Range of an object's members, in the order of the text.
class Members {
 public:
  class Iterator {
   public:
    Member operator*() const;
    Iterator& operator++();
    bool operator==(const Iterator&) const = default;

   private:
    friend class Members;
    explicit Iterator(const void* at) : at_(at) {}
    const void* at_;
  };
  Iterator begin() const { return Iterator(begin_); }
  Iterator end() const { return Iterator(end_); }

 private:
  friend class Value;
  Members(const void* begin, const void* end) : begin_(begin), end_(end) {}
  const void* begin_;
  const void* end_;
};

enum class Syntax : std::uint8_t {
  kStrict,   // RFC 8259
  kRelaxed,  // comments and trailing commas allowed: policies
};

class Sink;

class Document {
 public:
  // kInvalidInput: the position of the error (line and column) and what was expected.
  // most_values: names of members count as well.
  static Result<Document> parse(std::string_view text, Syntax syntax = Syntax::kStrict,
                                std::size_t most_values = kAnyNumber);

  // A document made in place: `fill` writes exactly one value into the Sink.
  static Document build(const std::function<void(Sink&)>& fill);

  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  ~Document();

  Value root() const;

 private:
  struct Impl;
  explicit Document(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// What a Writer (JSON text) and Document::build share: one value is written after the other;
// members as key, then value. Balancing is the caller's duty, and asserted. Strings must be UTF-8;
// invalid bytes are replaced by U+FFFD.
class Sink {
 public:
  virtual ~Sink() = default;

  virtual Sink& begin_object() = 0;
  virtual Sink& end_object() = 0;
  virtual Sink& begin_array() = 0;
  virtual Sink& end_array() = 0;
  virtual Sink& key(std::string_view name) = 0;
  virtual Sink& string(std::string_view text) = 0;
  virtual Sink& integer(std::int64_t number) = 0;
  virtual Sink& number(double number) = 0;  // shortest form that reads back the same; finite
  virtual Sink& boolean(bool value) = 0;
  virtual Sink& null() = 0;
  Sink& value(Value copied);  // a whole value of a Document

  // Shorthands for members.
  Sink& member(std::string_view name, std::string_view text) { return key(name).string(text); }
  Sink& member(std::string_view name, const char* text) { return key(name).string(text); }
  Sink& member(std::string_view name, bool value) { return key(name).boolean(value); }
  template <class Integer>
    requires(std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>)
  Sink& member(std::string_view name, Integer n) {
    return key(name).integer(static_cast<std::int64_t>(n));
  }
  Sink& member(std::string_view name, double n) { return key(name).number(n); }
  Sink& member(std::string_view name, Value copied) { return key(name).value(copied); }
};

// Writes compact JSON text.
class Writer final : public Sink {
 public:
  Writer();

  Sink& begin_object() override { return open('{'); }
  Sink& end_object() override { return close('}'); }
  Sink& begin_array() override { return open('['); }
  Sink& end_array() override { return close(']'); }
  Sink& key(std::string_view name) override;
  Sink& string(std::string_view text) override;
  Sink& integer(std::int64_t number) override;
  Sink& number(double number) override;
  Sink& boolean(bool value) override { return raw(value ? "true" : "false"); }
  Sink& null() override { return raw("null"); }
  // A value that is JSON text already.
  Sink& raw(std::string_view json);

  // The text written so far, which must be one whole value. Call once, at the end.
  std::string take();

 private:
  Sink& open(char bracket);
  Sink& close(char bracket);
  void begin_value();

  std::string text_;
  bool needs_comma_ = false;  // before the next member or element
  int depth_ = 0;
};

std::string to_text(Value value);

}  // namespace trainwarden::json
