// The tables that generate.py makes of signatures.json. The hash of a text's first characters is
// the same there and in signatures.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace trainwarden::rules {

// What outranks what: the root over its consequences, specific words over general ones.
enum class Rank : std::uint8_t {
  kMachine,      // a broken machine explains whatever else is said
  kCause,        // words that name one cause
  kException,    // the program's own failure
  kSymptom,      // what a lost peer, a time limit or a signal leaves behind
  kHint,         // a word of a failure's line that says what it was about
  kConsequence,  // what the loss of another process leaves behind
  kWrapper,      // says only that something failed
  kHarmless,     // is known to be no failure, whatever it says
};

struct Signature {
  std::string_view id;
  Rank rank;
  std::string_view label;
  std::string_view resume;  // yes, once, no
  std::string_view why;
  std::string_view unless;  // words that say that it means another thing, parted by \x1f
  bool anywhere;            // its longer texts count on ordinary lines that are not the last ones
};

// What the message of an exception is about: what it quotes did not happen, or is a value.
enum class About : std::uint8_t { kNothing, kNames, kValues };

struct ExceptionType {
  std::string_view name;  // of the class, or a part of it
  bool whole;
  Rank rank;
  std::string_view label;
  std::string_view resume;
  About about;
};

// What a message is about, where the class of the exception says nothing.
struct Subject {
  std::string_view words;
  std::string_view label;
};

struct Tables {
  std::span<const Signature> signatures;  // of two of one rank on one line, the first counts
  std::span<const std::uint32_t> begins;  // where each bucket's texts begin
  // Each: the signature's index in two bytes, of which the upper's highest bit says that the text
  // may end within a word; its length; its parts, parted by `*`.
  std::string_view texts;
  std::string_view inner;  // those that may begin within a word
  std::span<const ExceptionType> exceptions;
  std::span<const Subject> subjects;
};

extern const Tables kTables;

}  // namespace trainwarden::rules
