#include "handlers/rules/failure/signatures.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "handlers/rules/failure/bigrams.h"
#include "handlers/rules/failure/characters.h"
#include "handlers/rules/failure/heads.h"
#include "handlers/rules/failure/signature_match.h"
#include "runtime/base/ascii.h"

namespace trainwarden::rules {
namespace {

constexpr unsigned kAnchor = 3;

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

// One text of the tables, without its `~`.
struct Text {
  const char* parts;
  std::uint8_t size;
  std::uint8_t begin;   // how many characters stand before its first `*`
  std::uint8_t shared;  // how many of these the text before it begins with, too
  std::uint8_t signature;
  bool begins_anywhere;
  bool ends_anywhere;
  bool far;            // it counts far from the end of a log
  std::uint16_t star;  // of those that have a `*`, which it is
  std::uint16_t past;  // the next that shares less with the one before it

  std::string_view text() const { return {parts, size}; }
};
constexpr std::size_t kMostStars = 768;

// What is found in one line.
class Hits {
 public:
  Hits(std::string_view said, std::string_view lower) : said_(said), lower_(lower) {}

  // The text's characters before its first `*` stand at an offset.
  void may_be(const Text& text, std::size_t at) {
    // Of a signature the longest of its texts counts: what is no longer tells no more.
    Kept& kept = kept_.data()[text.signature];
    if ((text.begins_anywhere ? kept.within : kept.word) >= text.size) return;
    const std::size_t end = at + text.begin;
    const bool is_whole = text.begin == text.size;
    if (!(is_whole && text.ends_anywhere) && !ends_word(said_, end)) return;
    const bool stands = is_whole || others_stand(text, end);
    if (!stands) return;
    (text.begins_anywhere ? kept.within : kept.word) = text.size;
    add(text.begins_anywhere ? within_ : hits_, {text.signature, at, text.text()});
  }

  // What stands within a word tells where only if nothing of the same signature is a word.
  std::vector<SignatureHit> take() {
    for (const SignatureHit& hit : within_) add(hits_, hit);
    std::erase_if(hits_, [this](const SignatureHit& hit) {
      return means_another_thing(kTables.signatures[hit.signature].unless);
    });
    return std::move(hits_);
  }

 private:
  // The size of the longest of a signature's texts that were found.
  struct Kept {
    std::uint8_t word = 0;
    std::uint8_t within = 0;
  };

  // Keeps the first hit of each signature, and the longest of its texts.
  static void add(std::vector<SignatureHit>& hits, const SignatureHit& hit) {
    for (SignatureHit& known : hits)
      if (known.signature == hit.signature) {
        if (known.text.size() < hit.text.size()) known.text = hit.text;
        return;
      }
    hits.push_back(hit);
  }

  // Whether the parts behind a text's `*` follow. What lies behind one offset was looked through
  // for an earlier one: from_ remembers how far, so that a line is read once for each text.
  bool others_stand(const Text& text, std::size_t end) {
    const std::string_view parts = text.text().substr(std::size_t{text.begin} + 1);
    if (!from_) from_.emplace();
    std::uint32_t& from = from_->data()[text.star];
    if (from == 0 && !may_stand(parts)) from = kNever;
    if (from == kNever) return false;
    std::size_t earliest = from;
    const bool stands =
        parts_end(parts, text.ends_anywhere, said_, lower_, end, earliest) != parts.npos;
    from = static_cast<std::uint32_t>(std::max<std::size_t>(earliest, 1));
    return stands;
  }

  // Of a long line, whether its pairs of characters leave that open.
  bool may_stand(std::string_view parts) {
    while (lower_.size() > kLong) {
      const std::size_t star = parts.find('*');
      if (!pairs().may_have(parts.substr(0, star))) return false;
      if (star == parts.npos) return true;
      parts.remove_prefix(star + 1);
    }
    return true;
  }

  bool means_another_thing(std::string_view unless) {
    while (!unless.empty()) {
      const std::string_view words = take_text(unless);
      if (may_stand(words) && begins_somewhere(words, said_, lower_)) return true;
    }
    return false;
  }

  const Bigrams& pairs() {
    if (!pairs_) pairs_.emplace(lower_);
    return *pairs_;
  }

  static constexpr std::size_t kLong = 512;
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};
  std::string_view said_;
  std::string_view lower_;
  std::vector<SignatureHit> hits_;
  std::vector<SignatureHit> within_;
  std::array<Kept, 256> kept_{};
  std::optional<std::array<std::uint32_t, kMostStars>> from_;  // by Text::star; 0: not looked for
  std::optional<Bigrams> pairs_;
};

// All texts by their first four characters. A table of this would weigh more than the texts, and
// to make it costs little beside the reading of a log: it is made when the first line is read, not
// when the program starts.
class TextIndex {
 public:
  TextIndex() : slots_{}, characters_{} {
    for (std::size_t c = 0; c < characters_.size(); ++c)
      characters_[c].follow = may_follow(begin_kind(static_cast<char>(c)));
    const char* const end = kTables.texts.data() + kTables.texts.size();
    for (const char* coded = kTables.texts.data(); coded != end;) coded = add(coded, end);
    for (std::size_t i = count_; i > 0; --i) {
      std::size_t past = i;
      const std::uint8_t shared = texts_.data()[i - 1].shared;
      while (past < count_ && texts_.data()[past].shared >= shared) past = texts_.data()[past].past;
      texts_.data()[i - 1].past = static_cast<std::uint16_t>(past);
    }
  }

  // Finds the texts that stand in the line, in its order; far: only those that count far from the
  // end of a log.
  void find(std::string_view said, std::string_view lower, bool far, Hits& hits) const {
    if (lower.size() < kAnchor) return;
    const char* const end = said.data() + said.size() - kAnchor;
    unsigned follow = may_follow(kOther);
    for (const char* here = said.data(); here <= end; ++here) {
      const Character& c = characters_.data()[static_cast<unsigned char>(*here)];
      const bool begins = (c.begins & follow) != 0;
      follow = c.follow;
      if (!begins) continue;
      const auto at = static_cast<std::size_t>(here - said.data());
      if (may_begin(lower.data() + at)) find_at(at, said, lower, far, hits);
    }
  }

 private:
  // The texts that begin with four characters, or have three before their first `*`.
  struct Slot {
    std::uint32_t key;  // these; 0: none begins so
    std::uint16_t first;
    std::uint16_t end;
  };
  struct Character {
    std::uint8_t begins;  // its kind, where a text begins with it
    std::uint8_t follow;
  };

  static bool comes_before(char a, char b) {
    return static_cast<unsigned char>(a) < static_cast<unsigned char>(b);
  }

  static std::uint32_t few_of(std::uint32_t key) { return key & 0xffffffU; }

  // Of three characters, one of the bits that tell whether a text may begin with them.
  static std::uint32_t beginning(const char* text) {
    constexpr std::uint32_t kFactor = 2654435761U;
    const auto at = [text](std::size_t i) {
      return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
    };
    return (at(0) | at(1) << 8U | at(2) << 16U) * kFactor >> (32U - kBeginningBits);
  }

  bool may_begin(const char* text) const {
    const std::uint32_t bit = beginning(text);
    return (beginnings_.data()[bit / 64] >> (bit % 64) & 1U) != 0;
  }

  // Which slot is, or would be, that of what begins so.
  std::size_t slot_of(std::uint32_t key) const {
    std::size_t at = bucket_of(key, sizeof(key));
    while (slots_.data()[at].key != 0 && slots_.data()[at].key != key) at = (at + 1) % kBuckets;
    return at;
  }

  void find_at(std::size_t at, std::string_view said, std::string_view lower, bool far,
               Hits& hits) const {
    const auto key = static_cast<std::uint32_t>(head_of(lower.data() + at, lower.size() - at));
    const Slot& slot = slots_.data()[slot_of(key)];
    if (slot.key != 0) walk(slot, kAnchor + 1, at, said, lower, far, hits);
    const std::size_t few = bucket_of(key, kAnchor);
    if ((few_.data()[few / 64] >> (few % 64) & 1U) != 0)
      walk(slots_.data()[slot_of(few_of(key))], kAnchor, at, said, lower, far, hits);
  }

  // How many of the first characters of a text stand here, `most` at most. head: the first here.
  static std::size_t alike_in(const char* here, std::uint64_t head, const char* text,
                              std::size_t most) {
    const std::uint64_t differ = head ^ head_of(text, sizeof(head));  // block_ goes on behind it
    std::size_t alike = sizeof(head);
    if (differ != 0) return std::min(static_cast<std::size_t>(std::countr_zero(differ)) / 8, most);
    while (alike < most && here[alike] == text[alike]) ++alike;
    return std::min(alike, most);
  }

  // alike: how many characters stand here of the slot's texts.
  void walk(const Slot& slot, std::size_t alike, std::size_t at, std::string_view said,
            std::string_view lower, bool far, Hits& hits) const {
    const char* const here = lower.data() + at;
    const std::size_t left = lower.size() - at;
    const std::uint64_t head = head_of(here, left);
    // How many characters stand here of the text before: the next one, which stands where the
    // alphabet puts it, is compared from there on.
    for (std::size_t i = slot.first; i < slot.end;) {
      const Text& one = texts_.data()[i];
      if (one.shared > alike) {
        i = one.past;
        continue;
      }
      ++i;
      alike = alike_in(here, head, one.parts, std::min<std::size_t>(one.begin, left));
      if (alike == one.begin) {
        if ((one.far || !far) && (one.begins_anywhere || begins_word(said, at)))
          hits.may_be(one, at);
      } else if (alike == left || comes_before(here[alike], one.parts[alike])) {
        return;  // all that follow stand behind this one in the alphabet
      }
    }
  }

  // How many characters stand before the next head: eight are looked at at a time.
  static std::size_t until_head(const char* coded, const char* end) {
    constexpr std::uint64_t kEach = 0x0101010101010101;
    static_assert(kBeginsAnywhere == 0x1f, "heads are the control characters");
    const char* at = coded;
    for (; end - at >= 8; at += 8) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, at, 8);
      // Of each byte the highest bit: whether it is a head. Those behind the first may lie.
      const std::uint64_t heads = (eight - kEach * 0x20) & ~eight & (kEach * 0x80);
      if (heads != 0)
        return static_cast<std::size_t>(at - coded) +
               static_cast<std::size_t>(std::countr_zero(heads)) / 8;
    }
    while (at != end && static_cast<unsigned char>(*at) > kBeginsAnywhere) ++at;
    return static_cast<std::size_t>(at - coded);
  }

  // Adds the text that is coded there (tables.h); returns where the next one is.
  const char* add(const char* coded, const char* end) {
    const std::size_t index = count_++;
    Text& one = texts_.data()[index];
    one.begins_anywhere = *coded == kBeginsAnywhere;
    if (one.begins_anywhere) ++coded;
    char* const text = block_.data() + used_;
    const std::size_t shared = static_cast<unsigned char>(*coded++);
    std::size_t size = shared;
    if (size > 0) std::memcpy(text, texts_.data()[index - 1].parts, size);
    const std::size_t rest = until_head(coded, end);
    std::memcpy(text + size, coded, rest);
    size += rest;
    coded += rest;
    one.ends_anywhere = text[size - 1] == '~';
    used_ += size;
    if (one.ends_anywhere) --size;
    one.parts = text;
    one.size = static_cast<std::uint8_t>(size);
    one.begin = static_cast<std::uint8_t>(std::min(one.text().find('*'), size));
    one.signature = kTables.owners.data()[index];
    if (one.begin < one.size) one.star = stars_++;
    const Signature& signature = kTables.signatures.data()[one.signature];
    one.far = signature.rank == Rank::kHarmless || (signature.anywhere && one.size >= kFarText);
    const std::uint32_t bit = beginning(text);
    beginnings_.data()[bit / 64] |= std::uint64_t{1} << (bit % 64);
    auto key = static_cast<std::uint32_t>(head_of(text, one.size));
    if (one.begin <= kAnchor) {
      key = few_of(key);
      const std::size_t few = bucket_of(key, kAnchor);
      few_.data()[few / 64] |= std::uint64_t{1} << (few % 64);
    }
    Slot& slot = slots_.data()[slot_of(key)];
    if (slot.key == 0) {
      slot.key = key;
      slot.first = static_cast<std::uint16_t>(index);
    } else {
      const Text& before = texts_.data()[index - 1];
      const std::size_t most = std::min(one.begin, before.begin);
      one.shared = static_cast<std::uint8_t>(std::min(shared, most));
      while (one.shared < most && one.parts[one.shared] == before.parts[one.shared]) ++one.shared;
    }
    slot.end = static_cast<std::uint16_t>(index + 1);
    begins_with(*text, one.begins_anywhere);
    if (is_letter(*text)) begins_with(static_cast<char>(*text - 'a' + 'A'), one.begins_anywhere);
    return coded;
  }

  void begins_with(char c, bool anywhere) {
    std::uint8_t& begins = characters_[static_cast<unsigned char>(c)].begins;
    begins |= begin_kind(c);
    if (anywhere) begins |= kWithin;
  }

  static constexpr unsigned kBeginningBits = 14;
  std::array<std::uint64_t, (1U << kBeginningBits) / 64> beginnings_{};
  std::array<Slot, kBuckets> slots_;
  std::array<std::uint64_t, kBuckets / 64> few_{};  // bits: three characters that have a slot
  std::array<Character, 256> characters_;
  std::size_t count_ = 0;
  std::uint16_t stars_ = 0;
  std::size_t used_ = 0;                // of block_
  std::array<Text, kMostTexts> texts_;  // as static storage has it: zero
  // The characters of texts_; a head may be read where the last one begins.
  std::array<char, kMostTextBytes + sizeof(std::uint64_t)> block_;
};

}  // namespace

std::vector<SignatureHit> find_signatures(std::string_view said, std::string_view lower, bool far) {
  static const TextIndex kIndex;
  Hits hits(said, lower);
  kIndex.find(said, lower, far, hits);
  return hits.take();
}

}  // namespace trainwarden::rules
