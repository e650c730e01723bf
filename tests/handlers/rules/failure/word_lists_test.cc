// Lists of words, and the index that finds the words of several lists in one pass.
#include "handlers/rules/failure/word_lists.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trainwarden::rules::word_lists_test {
namespace {

constexpr auto kMachines = word_list("xid (pci", "nvrm:", "mce: ", "memory cgroup out of memory");
constexpr auto kPeople = word_list("pod ", "node", "node was", "killed");
constexpr auto kShort = word_list("$ ", "+ ", "❌", "if ");
constexpr std::uint32_t kMachine = 1;
constexpr std::uint32_t kPerson = 2;

std::vector<std::string> lines() {
  return {"",
          "n",
          "nod",
          "node",
          "xnode",
          "the node was killed",
          "nvrm: xid (pci:0000:01:00): 79",
          "memory cgroup out of memory: killed process 7",
          "memory cgroup out of memor",
          "mce:",
          "mce: ",
          "$ pod",
          "pod ",
          "\xe7\xbb\x88\xff node"};
}

TEST(WordLists, KeepTheirWordsInOrder) {
  std::vector<std::string_view> words;
  for (const std::string_view word : Words(kPeople)) words.push_back(word);
  EXPECT_EQ(words, (std::vector<std::string_view>{"pod ", "node", "node was", "killed"}));
}

TEST(WordLists, AreHeldAgainstATextAtItsEndsAndAnywhere) {
  EXPECT_TRUE(is_one("node", kPeople));
  EXPECT_FALSE(is_one("nodes", kPeople));
  EXPECT_TRUE(starts_with_one("nodes", kPeople));
  EXPECT_FALSE(starts_with_one("a node", kPeople));
  EXPECT_FALSE(starts_with_one("", kPeople));
  EXPECT_TRUE(ends_with_one("was killed", kPeople));
  EXPECT_FALSE(ends_with_one("killed it", kPeople));
  EXPECT_TRUE(has_one("it killed it", kPeople));
  EXPECT_FALSE(has_one("kille d", kPeople));
}

TEST(WordIndex, FindsAnywhereWhatASearchForEachWordFinds) {
  const WordIndex index(3, {{kMachine, kMachines}, {kPerson, kPeople}});
  for (const std::string& line : lines())
    EXPECT_EQ(index.anywhere(line),
              (has_one(line, kMachines) ? kMachine : 0) | (has_one(line, kPeople) ? kPerson : 0))
        << line;
}

TEST(WordIndex, TellsOfEachWordWhereItStands) {
  WordIndex index(3, {{kMachine, kMachines}});
  index.add(kPerson, "node");
  std::vector<std::size_t> at;
  std::uint64_t bits = 0;
  index.each("node nvrm: nod node", [&](std::uint64_t bit, std::size_t where, std::size_t size) {
    at.push_back(where);
    bits |= bit;
    EXPECT_EQ(size, bit == kPerson ? 4U : 5U);
  });
  EXPECT_EQ(at, (std::vector<std::size_t>{0, 5, 15}));
  EXPECT_EQ(bits, kMachine | kPerson);
}

TEST(WordLists, TellWhereTheirFirstWordEnds) {
  EXPECT_EQ(first_end("a node was killed", kPeople), 6U) << "node, though node was is a word, too";
  EXPECT_EQ(first_end("a killed node", kPeople), 8U);
  EXPECT_EQ(first_end("nobody", kPeople), std::string_view::npos);
}

TEST(WordIndex, FindsAtTheBeginningWhatALineBeginsWith) {
  const WordIndex index(1, {{kMachine, kShort}, {kPerson, kPeople}});
  for (const std::string& line : lines())
    EXPECT_EQ(index.at_begin(line), (starts_with_one(line, kShort) ? kMachine : 0) |
                                        (starts_with_one(line, kPeople) ? kPerson : 0))
        << line;
}

TEST(WordIndex, ReadsNothingBehindTheText) {
  const WordIndex index(3, {{kPerson, kPeople}});
  const std::string text = "the node was killed";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    // Of its own memory, so that a read behind its end is found.
    const std::vector<char> own(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size));
    const std::string_view view(own.data(), own.size());
    EXPECT_EQ(index.anywhere(view), size >= 8 ? kPerson : 0) << size;
  }
}

}  // namespace
}  // namespace trainwarden::rules::word_lists_test
