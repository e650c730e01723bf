// How much room a notice has for what people, the policy and AWS wrote, and how that stands in it.
// Everything of theirs is cut to its room before the notice is composed. So a notice that is told
// in short always fits into the claim that keeps it (state/kept_notice.h), whatever they wrote.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trainwarden::rules {

// The bytes that a text takes at most where its notice is kept: escaped for one line, as a string
// of JSON, and once more as a string of JSON.
std::size_t stored_size(std::string_view text);

// The text, cut at a character's boundary so that it takes no more than that, with "…" where it was
// cut.
std::string cut_stored(std::string_view text, std::size_t room);

struct NoticeForm {
  // In stored bytes:
  std::size_t text;     // of what was found, and of what came of an action
  std::size_t name;     // of the name of a rule, and of whom to ask
  std::size_t tag;      // of a tag's value
  std::size_t message;  // of the rule's own message
  std::size_t step;     // a longer step is left out, since half a command is of no use
  // How many:
  std::size_t reasons;
  std::size_t actions;
  std::size_t steps;
  // Marks what others wrote, for chat_line().
  bool marks = false;
};

inline constexpr NoticeForm kInFull{.text = 2048,
                                    .name = 2048,
                                    .tag = 300,
                                    .message = 4096,
                                    .step = 2048,
                                    .reasons = 20,
                                    .actions = 20,
                                    .steps = 12};
inline constexpr NoticeForm kInShort{.text = 120,
                                     .name = 140,
                                     .tag = 80,
                                     .message = 400,
                                     .step = 260,
                                     .reasons = 0,
                                     .actions = 3,
                                     .steps = 3};

// What others wrote.
std::string foreign(std::string_view text, const NoticeForm& form);

}  // namespace trainwarden::rules
