#include "handlers/actions/context/bounded.h"

#include "runtime/json/utf8.h"

namespace trainwarden::actions {
namespace {

// Counts the bytes that would be written.
class Counter final : public json::Sink {
 public:
  json::Sink& begin_object() override { return add(2); }
  json::Sink& end_object() override { return add(1); }
  json::Sink& begin_array() override { return add(2); }
  json::Sink& end_array() override { return add(1); }
  json::Sink& key(std::string_view name) override { return text(name).add(1); }
  json::Sink& string(std::string_view value) override { return text(value); }
  json::Sink& integer(std::int64_t /*number*/) override { return add(kNumber); }
  json::Sink& number(double /*number*/) override { return add(kNumber); }
  json::Sink& boolean(bool /*value*/) override { return add(kNumber); }
  json::Sink& null() override { return add(kNumber); }

  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kNumber = 26;  // with the comma

  Counter& add(std::size_t bytes) {
    size_ += bytes;
    return *this;
  }
  // An escape takes six bytes, and stands for a character of one, two or three.
  Counter& text(std::string_view value) {
    std::size_t bytes = 3;  // quotes, and a comma
    for (const char c : value) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < ' ' || byte == 0x7F)
        bytes += 6;
      else if (byte >= 0x80)
        bytes += 3;
      else
        bytes += c == '"' || c == '\\' ? 2 : 1;
    }
    return add(bytes);
  }

  std::size_t size_ = 0;
};

}  // namespace

std::string shown(std::string_view text) {
  if (text.size() <= kLongestShown) return std::string(text);
  return std::string(text.substr(0, json::utf8_boundary(text, kLongestShown))) + "…";
}

std::size_t size_in_line(const std::function<void(json::Sink&)>& fill) {
  Counter counter;
  fill(counter);
  return counter.size();
}

}  // namespace trainwarden::actions
