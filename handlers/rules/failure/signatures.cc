#include "handlers/rules/failure/signatures.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "handlers/rules/failure/characters.h"
#include "handlers/rules/failure/heads.h"
#include "runtime/base/ascii.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

constexpr unsigned kAnchor = 3;

bool in_word(char c) { return is_letter(c) || is_digit(c); }

// A word may begin here: behind no letter or digit, or as the humps of a name do. A number begins
// behind no digit and no point of another.
bool begins_word(std::string_view said, std::size_t at) {
  if (at == 0 || !in_word(said[at])) return true;
  const char before = said[at - 1];
  if (is_digit(said[at]))
    return !in_word(before) && !(before == '.' && at > 1 && is_digit(said[at - 2]));
  return !in_word(before) || (is_capital(said[at]) && !is_capital(before)) || is_digit(before);
}

// A word may end here: before no letter or digit, before a hump, or with a plural's s.
bool ends_word(std::string_view said, std::size_t end) {
  if (end == 0 || end >= said.size() || !in_word(said[end - 1])) return true;
  const char next = said[end];
  if (is_digit(said[end - 1]))
    return !in_word(next) && !(next == '.' && end + 1 < said.size() && is_digit(said[end + 1]));
  if (!is_letter(next) || (is_capital(next) && !is_capital(said[end - 1]))) return true;
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

// What a character is where words begin: one bit, none for a blank, with which no text begins.
enum Kind : std::uint8_t { kBlank = 0, kOther = 1, kSmall = 2, kUpper = 4, kDigit = 8 };
constexpr std::uint8_t kWithin = 16;  // a text that may begin within a word begins so

Kind begin_kind(char c) {
  if (c == ' ') return kBlank;
  if (is_capital(c)) return kUpper;
  if (is_letter(c)) return kSmall;
  return is_digit(c) ? kDigit : kOther;
}

// Of which kinds a word's first character may be behind one of this kind, as begins_word() says it;
// what stands before the point before a number is left to that.
std::uint8_t may_follow(Kind kind) {
  switch (kind) {
    case kSmall:
      return kWithin | kOther | kUpper;
    case kUpper:
      return kWithin | kOther;
    case kDigit:
      return kWithin | kOther | kSmall | kUpper;
    default:
      return kWithin | kOther | kSmall | kUpper | kDigit;
  }
}

// One text of the tables, and the next that begins alike.
struct Text {
  std::uint64_t head;
  const char* parts;  // parted by `*`
  std::uint16_t next;
  std::uint16_t signature;
  std::uint8_t size;
  std::uint8_t heads;  // how many characters of its head count
  bool begins_anywhere;
  bool ends_anywhere;
};

// text: without its `~`.
bool counts_far(const Signature& signature, std::string_view text) {
  return signature.rank == Rank::kHarmless || (signature.anywhere && text.size() >= kFarText);
}

// All texts by their first three characters. A table of this would weigh more than the texts, and
// to make it costs little beside the reading of a log: it is made when the first line is read, not
// when the program starts.
class TextIndex {
 public:
  TextIndex() : buckets_{}, characters_{} {
    for (std::size_t c = 0; c < characters_.size(); ++c)
      characters_[c].follow = may_follow(begin_kind(static_cast<char>(c)));
    std::string_view rest = kTables.texts;
    for (std::size_t i = 0; i < kTables.signatures.size(); ++i)
      for (std::string_view text = take_text(rest); !text.empty(); text = take_text(rest))
        add(text, static_cast<std::uint16_t>(i));
  }

  // Calls found(text, at) for each text that may stand in the line, in its order; far: only for
  // those that count far from the end of a log.
  template <typename Found>
  void find(std::string_view said, std::string_view lower, bool far, Found found) const {
    if (lower.size() < kAnchor) return;
    const char* const end = said.data() + said.size() - kAnchor;
    unsigned follow = may_follow(kOther);
    for (const char* here = said.data(); here <= end; ++here) {
      const Character& c = characters_.data()[static_cast<unsigned char>(*here)];
      const bool begins = (c.begins & follow) != 0;
      follow = c.follow;
      if (begins) find_at(static_cast<std::size_t>(here - said.data()), said, lower, far, found);
    }
  }

 private:
  struct Chain {
    std::uint32_t fourths;  // the fourth characters of its texts, as bits
    std::uint16_t first;    // 0: none
  };
  struct Bucket {
    Chain far;  // of texts that count far from the end of a log
    Chain near;
  };
  struct Character {
    std::uint8_t begins;  // its kind, where a text begins with it
    std::uint8_t follow;
  };

  static std::uint32_t fourth_of(std::uint64_t head) { return 1U << (head >> 24U & 31U); }

  template <typename Found>
  void find_at(std::size_t at, std::string_view said, std::string_view lower, bool far,
               Found found) const {
    const std::uint64_t head = head_of(lower.data() + at, lower.size() - at);
    const Bucket& bucket = buckets_.data()[bucket_of(head, kAnchor)];
    if (((bucket.far.fourths | bucket.near.fourths) & fourth_of(head)) == 0) return;
    const bool begins_here = begins_word(said, at);
    for (const Chain* chain : {&bucket.far, &bucket.near}) {
      if ((chain->fourths & fourth_of(head)) != 0)
        for (std::uint16_t next = chain->first; next != 0; next = texts_.data()[next].next) {
          const Text& one = texts_.data()[next];
          if (alike(head, one.head, one.heads) && (begins_here || one.begins_anywhere))
            found(one, at);
        }
      if (far) return;
    }
  }

  void add(std::string_view text, std::uint16_t signature) {
    Text& one = texts_.at(++count_);
    one.begins_anywhere = text.front() == '~';
    if (one.begins_anywhere) text.remove_prefix(1);
    one.ends_anywhere = text.back() == '~';
    if (one.ends_anywhere) text.remove_suffix(1);
    one.parts = text.data();
    one.size = static_cast<std::uint8_t>(text.size());
    one.head = head_of(text.data(), text.size());
    one.heads = heads_before(one.head, '*');
    one.signature = signature;
    Bucket& bucket = buckets_[bucket_of(one.head, kAnchor)];
    Chain& chain = counts_far(kTables.signatures[signature], text) ? bucket.far : bucket.near;
    chain.fourths |= one.heads > kAnchor ? fourth_of(one.head) : ~std::uint32_t{0};
    one.next = chain.first;
    chain.first = count_;
    begins_with(text.front(), one.begins_anywhere);
    if (is_letter(text.front()))
      begins_with(static_cast<char>(text.front() - 'a' + 'A'), one.begins_anywhere);
  }

  void begins_with(char c, bool anywhere) {
    std::uint8_t& begins = characters_[static_cast<unsigned char>(c)].begins;
    begins |= begin_kind(c);
    if (anywhere) begins |= kWithin;
  }

  std::array<Bucket, kBuckets> buckets_;
  std::array<Character, 256> characters_;
  std::uint16_t count_ = 0;
  std::array<Text, kMostTexts + 1> texts_;  // as static storage has it; 0 is none
};

}  // namespace

namespace {

// Keeps the first hit of each signature, and the longest of its texts.
void add_hit(std::vector<SignatureHit>& hits, const SignatureHit& hit) {
  for (SignatureHit& known : hits)
    if (known.signature == hit.signature) {
      if (known.text.size() < hit.text.size()) known.text = hit.text;
      return;
    }
  hits.push_back(hit);
}

}  // namespace

std::vector<SignatureHit> find_signatures(std::string_view said, std::string_view lower, bool far) {
  static const TextIndex kIndex;
  std::vector<SignatureHit> hits;
  // What stands within a word tells where only if nothing of the same signature is a word.
  std::vector<SignatureHit> within;
  kIndex.find(said, lower, far, [&](const Text& one, std::size_t at) {
    const std::string_view parts(one.parts, one.size);
    if (stands_at(parts, one.ends_anywhere, said, lower, at))
      add_hit(one.begins_anywhere ? within : hits, {one.signature, at, parts});
  });
  for (const SignatureHit& hit : within) add_hit(hits, hit);
  std::erase_if(hits, [lower](const SignatureHit& hit) {
    return means_another_thing(kTables.signatures[hit.signature].unless, lower);
  });
  return hits;
}

std::string signature_text(std::string_view written) {
  std::string out;
  for (const char c : written) {
    if (c == '*')
      while (out.ends_with(' ')) out.pop_back();
    if (c == ' ' && (out.empty() || out.ends_with('*') || out.ends_with(' '))) continue;
    out += to_lower(c);
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
