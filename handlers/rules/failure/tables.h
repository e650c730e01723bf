// The tables that generate.py makes of signatures.json. What is alike in many entries stands in one
// block of texts, each ended by a line break: that deflates well, and needs no pointers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "handlers/rules/failure/own_signature.h"

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
  Rank rank;
  bool anywhere;  // its longer texts count on ordinary lines that are not the last ones
  Verdict verdict;
  std::string_view unless;  // a block: words that say that it means another thing
};

// What the message of an exception is about: what it quotes did not happen, or is a value.
enum class About : std::uint8_t { kNothing, kNames, kValues };

struct ExceptionTypes {
  bool whole;  // these are whole names of classes, not parts of them
  Rank rank;
  About about;
  Verdict verdict;
  std::string_view names;  // a block
};

// What a message is about, where the class of the exception says nothing.
struct Subjects {
  FailureLabel label;
  std::string_view words;  // a block
};

struct Tables {
  std::span<const Signature> signatures;  // of two of one rank on one line, the first counts
  // All their texts, sorted so that those that begin alike stand together, each as a head and the
  // characters that it does not share with the one before it. The head is a byte that tells how
  // many it does share, behind a byte kBeginsAnywhere if the text begins with `~`, which is left
  // out. No text has bytes as low as these.
  std::string_view texts;
  std::span<const std::uint8_t> owners;  // of each text, which signature's it is
  std::span<const ExceptionTypes> exceptions;
  std::span<const Subjects> subjects;
};

inline constexpr char kBeginsAnywhere = 31;

// The most texts that all signatures have together, and the most bytes of these: generate.py
// refuses more.
inline constexpr std::size_t kMostTexts = 4096;
inline constexpr std::size_t kMostTextBytes = std::size_t{72} * 1024;

extern const Tables kTables;

// A block of an id and a reason for each signature. It is for people: what only diagnoses does not
// link it.
extern const std::string_view kExplanations;

// Cuts the first text from a block.
inline std::string_view take_text(std::string_view& block) {
  const std::size_t end = block.find('\n');
  const std::string_view out = block.substr(0, end);
  block.remove_prefix(end + 1);
  return out;
}

}  // namespace trainwarden::rules
