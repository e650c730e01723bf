#include "handlers/rules/failure/signatures.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

constexpr std::size_t kAnchor = 3;

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_upper(c) || (c >= 'a' && c <= 'z'); }
bool is_word(char c) { return is_letter(c) || is_digit(c); }

// A word may begin here: behind no letter or digit, or as the humps of a name do. A number begins
// behind no digit and no point of another.
bool begins_word(std::string_view said, std::size_t at) {
  if (at == 0 || !is_word(said[at])) return true;
  const char before = said[at - 1];
  if (is_digit(said[at]))
    return !is_word(before) && !(before == '.' && at > 1 && is_digit(said[at - 2]));
  return !is_word(before) || (is_upper(said[at]) && !is_upper(before)) || is_digit(before);
}

// A word may end here: before no letter or digit, before a hump, or with a plural's s.
bool ends_word(std::string_view said, std::size_t end) {
  if (end == 0 || end >= said.size() || !is_word(said[end - 1])) return true;
  const char next = said[end];
  if (is_digit(said[end - 1]))
    return !is_word(next) && !(next == '.' && end + 1 < said.size() && is_digit(said[end + 1]));
  if (!is_letter(next) || (is_upper(next) && !is_upper(said[end - 1]))) return true;
  return (next == 's' || next == 'S') && (end + 1 >= said.size() || !is_letter(said[end + 1]));
}

// Whether the parts of a text stand in lower from at on, each not far from the one before.
bool stands_at(std::string_view parts, bool ends_anywhere, std::string_view said,
               std::string_view lower, std::size_t at) {
  constexpr std::size_t kFar = 160;
  std::size_t star = std::min(parts.find('*'), parts.size());
  if (!lower.substr(at).starts_with(parts.substr(0, star))) return false;
  std::size_t end = at + star;
  while (star < parts.size()) {
    parts.remove_prefix(star + 1);
    star = std::min(parts.find('*'), parts.size());
    const std::string_view part = parts.substr(0, star);
    const bool last = star == parts.size();
    const std::size_t limit = end + kFar + part.size();
    std::size_t found = lower.substr(0, limit).find(part, end);
    while (last && !ends_anywhere && found != std::string_view::npos &&
           !ends_word(said, found + part.size()))
      found = lower.substr(0, limit).find(part, found + 1);
    if (found == std::string_view::npos) return false;
    end = found + part.size();
    if (last) return true;
  }
  return ends_anywhere || ends_word(said, end);
}

bool means_another_thing(std::string_view unless, std::string_view lower) {
  while (!unless.empty())
    if (lower.contains(take_text(unless))) return true;
  return false;
}

// What a character is where words begin. A text begins with no blank.
enum Kind : std::uint8_t { kBlank, kOther, kSmall, kUpper, kDigit, kKinds };

// Of which kinds a word's first character may be behind one of each kind, as bits: as begins_word()
// says it, but for what stands before the point before a number.
constexpr unsigned of_kinds(std::initializer_list<Kind> kinds) {
  unsigned out = 0;
  for (const Kind kind : kinds) out |= 1U << kind;
  return out;
}
constexpr std::array<unsigned, kKinds> kMayFollow = {
    of_kinds({kOther, kSmall, kUpper, kDigit}), of_kinds({kOther, kSmall, kUpper, kDigit}),
    of_kinds({kOther, kUpper}), of_kinds({kOther}), of_kinds({kOther, kSmall, kUpper})};

// One text of the tables, and the next that begins alike.
struct Text {
  std::uint64_t head;  // its first characters
  const char* parts;   // parted by `*`
  std::uint16_t next;
  std::uint16_t signature;
  std::uint8_t size;
  std::uint8_t heads;  // how many characters of its head count
  bool begins_anywhere;
  bool ends_anywhere;
};

static_assert(std::endian::native == std::endian::little, "a head's first character is its lowest");

std::uint64_t head_at(const char* text, std::size_t size) {
  std::uint64_t out = 0;
  if (size >= sizeof(out)) {
    std::memcpy(&out, text, sizeof(out));
  } else {
    for (std::size_t i = size; i > 0; --i)
      out = out << 8U | static_cast<unsigned char>(text[i - 1]);
  }
  return out;
}

// All texts by their first three characters. A table of this would weigh more than the texts, and
// to make it costs little beside the reading of a log: it is made when the first line is read, not
// when the program starts.
class TextIndex {
 public:
  TextIndex() {
    for (std::size_t c = 0; c < kinds_.size(); ++c) {
      const char character = static_cast<char>(c);
      kinds_[c] = character == ' '       ? kBlank
                  : is_upper(character)  ? kUpper
                  : is_letter(character) ? kSmall
                  : is_digit(character)  ? kDigit
                                         : kOther;
    }
    for (std::size_t i = 0; i < kTables.signatures.size(); ++i)
      for (std::string_view texts = kTables.signatures[i].texts; !texts.empty();)
        add(take_text(texts), static_cast<std::uint16_t>(i));
  }

  // Calls found(text) for each text that may begin at `at`, or does so within a word.
  template <typename Found>
  void find(std::string_view said, std::string_view lower, Found found) const {
    const char* const text = lower.data();
    unsigned before = kOther;
    for (std::size_t at = 0; at + kAnchor <= lower.size(); ++at) {
      const unsigned char c = static_cast<unsigned char>(said.data()[at]);
      const unsigned kind = kinds_[c] & kKindBits;
      bool begins = (kMayFollow[before] >> kind & 1U) != 0;
      before = kind;
      if (!begins && kinds_[c] == kind) continue;
      const std::uint64_t head = head_at(text + at, lower.size() - at);
      std::uint16_t next = first_[bucket_of(head)];
      if (next == 0) continue;
      if (kind == kDigit) begins = begins_word(said, at);
      for (; next != 0; next = texts_[next].next) {
        const Text& one = texts_[next];
        if (((head ^ one.head) << (64U - 8U * one.heads)) == 0 && (begins || one.begins_anywhere))
          found(one, at);
      }
    }
  }

 private:
  static constexpr unsigned kKindBits = 7;
  static constexpr std::uint8_t kBeginsAText = 8;  // that may stand within a word

  static std::size_t bucket_of(std::uint64_t head) {
    constexpr std::uint32_t kFactor = 2654435761U;
    return (static_cast<std::uint32_t>(head) << 8U) * kFactor >> 20U;
  }

  void add(std::string_view text, std::uint16_t signature) {
    Text& one = texts_[++count_];
    one.begins_anywhere = text.front() == '~';
    if (one.begins_anywhere) text.remove_prefix(1);
    one.ends_anywhere = text.back() == '~';
    if (one.ends_anywhere) text.remove_suffix(1);
    one.parts = text.data();
    one.size = static_cast<std::uint8_t>(text.size());
    one.head = head_at(text.data(), text.size());
    one.heads = static_cast<std::uint8_t>(std::min(text.substr(0, sizeof(one.head)).find('*'),
                                                   std::min(text.size(), sizeof(one.head))));
    one.signature = signature;
    std::uint16_t& first = first_[bucket_of(one.head)];
    one.next = first;
    first = count_;
    if (!one.begins_anywhere) return;
    const char c = text.front();
    kinds_[static_cast<unsigned char>(c)] |= kBeginsAText;
    if (is_letter(c)) kinds_[static_cast<unsigned char>(c - 'a' + 'A')] |= kBeginsAText;
  }

  std::array<std::uint8_t, 256> kinds_{};
  std::array<std::uint16_t, 4096> first_{};  // 0: none
  std::array<Text, kMostTexts + 1> texts_{};
  std::uint16_t count_ = 0;
};

}  // namespace

std::vector<SignatureHit> find_signatures(std::string_view said, std::string_view lower) {
  static const TextIndex kIndex;
  std::vector<SignatureHit> hits;
  kIndex.find(said, lower, [&](const Text& one, std::size_t at) {
    const std::string_view parts(one.parts, one.size);
    if (!stands_at(parts, one.ends_anywhere, said, lower, at)) return;
    const auto known =
        std::ranges::find(hits, std::size_t{one.signature}, &SignatureHit::signature);
    if (known != hits.end()) {
      if (known->text.size() < parts.size()) known->text = parts;
    } else if (!means_another_thing(kTables.signatures[one.signature].unless, lower)) {
      hits.push_back({one.signature, at, parts});
    }
  });
  return hits;
}

std::string signature_text(std::string_view written) {
  std::string out;
  for (const char c : written) {
    if (c == '*')
      while (out.ends_with(' ')) out.pop_back();
    if (c == ' ' && (out.empty() || out.ends_with('*') || out.ends_with(' '))) continue;
    out += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

std::size_t find_text(std::string_view text, std::string_view said, std::string_view lower) {
  const bool begins_anywhere = text.starts_with('~');
  const bool ends_anywhere = text.ends_with('~');
  text = text.substr(begins_anywhere ? 1 : 0);
  if (ends_anywhere && !text.empty()) text.remove_suffix(1);
  for (std::size_t at = 0; at < lower.size(); ++at)
    if ((begins_anywhere || begins_word(said, at)) &&
        stands_at(text, ends_anywhere, said, lower, at))
      return at;
  return std::string_view::npos;
}

}  // namespace trainwarden::rules
