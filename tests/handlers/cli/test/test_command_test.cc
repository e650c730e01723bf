// `trainwarden test`: mistakes, exit codes and JUnit's XML (T4).
#include "handlers/cli/test/test_command.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "handlers/cli/test/junit.h"
#include "handlers/cli/test/test_arguments.h"
#include "tests/handlers/cli/arguments.h"
#include "tests/handlers/cli/test/policy_cases.h"

namespace trainwarden::cli::test_command_test {
namespace {

using namespace policy_cases;

TEST(TestT4, ABrokenLineIsAMistakeAndTheOthersAreRun) {
  const Printed printed = run(starting("a", "{}", R"({"rules": ["required-tags"]})") +
                              "{\"name\": \"b\", \n" + starting("c", "{}", R"({"rules": []})"));
  EXPECT_EQ(printed.status, 2);
  EXPECT_SAYS(printed,
              "c.jsonl:2: error: not valid JSON, column 15: missing a name for object member");
  EXPECT_SAYS(printed, "c.jsonl:3: failed: c");
  EXPECT_SAYS(printed, "c.jsonl: 1 of 3 cases pass, 1 fails, 1 has mistakes");
}

TEST(TestT4, WhatIsNoCaseIsAMistake) {
  for (const char* const line :
       {"[]\n", "3\n", "null\n", "{}\n", "{\"name\": \"a\", \"name\": \"b\"}\n", "\xff\n"})
    EXPECT_EQ(run(line).status, 2) << line;
}

TEST(TestT4, TwoCasesOfOneNameAreAMistake) {
  const Printed printed = run(starting("a", "{}", R"({"rules": ["required-tags"]})") +
                              starting("a", "{}", R"({"rules": ["required-tags"]})"));
  EXPECT_EQ(printed.status, 2);
  EXPECT_SAYS(printed, "c.jsonl:2: error: name: `a` is the name of the case of line 1 too");
  for (const char* const name : {"\"\"", "3", "null"})
    EXPECT_EQ(run_one(std::string("\"expect\": {\"rules\": []}, ") + std::string(kStarting) +
                      ", \"name\": " + name)
                  .status,
              2)
        << name;
}

TEST(TestT4, AnEmptyFileIsAMistake) {
  for (const char* const lines : {"", "\n", "  \r\n\t\n", "\xEF\xBB\xBF\n"}) {
    const Printed printed = run(lines);
    EXPECT_EQ(printed.status, 2);
    EXPECT_SAYS(printed, "c.jsonl: expected cases, a JSON object a line, found none");
  }
}

TEST(TestT4, AByteOrderMarkAndLineEndsOfWindowsAreFine) {
  std::string lines = "\xEF\xBB\xBF" + starting("a", "{}", R"({"rules": ["required-tags"]})");
  lines.insert(lines.size() - 1, "\r");
  lines += "\r\n" + starting("b", "{}", R"({"rules": ["required-tags"]})");
  lines.pop_back();  // the last line need not end
  const Printed printed = run(lines);
  EXPECT_EQ(printed.status, 0) << printed.output;
  EXPECT_SAYS(printed, "2 of 2 cases pass");
}

TEST(TestT4, APolicyWithAMistakeIsAMistake) {
  const Printed printed =
      run(starting("a", "{}", R"({"rules": []})"), R"({"version": 2, "rules": []})");
  EXPECT_EQ(printed.status, 2);
  EXPECT_SAYS(printed, "trainwarden: test: p.json: version: expected 1");
}

TEST(TestT4, AFileThatCannotBeReadIsAMistake) {
  for (const char* const file : {"/nonexistent/cases.jsonl", "/"}) {
    const Printed printed =
        test_policy({.policy_name = "p", .policy = std::string(kPolicy), .file = file});
    EXPECT_EQ(printed.status, 2);
    EXPECT_FALSE(printed.error.empty());
  }
}

TEST(TestT4, WhatATerminalWouldObeyIsShown) {
  const Printed printed = run(starting(R"(\u001b[31mred)", "{}", R"({"rules": []})"));
  EXPECT_EQ(printed.status, 1);
  EXPECT_EQ(printed.output.find('\x1b'), std::string::npos);
}

class JunitFile {
 public:
  JunitFile() : path_(::testing::TempDir() + "junit_XXXXXX") { ::close(::mkstemp(path_.data())); }
  ~JunitFile() { std::remove(path_.c_str()); }
  JunitFile(const JunitFile&) = delete;
  JunitFile& operator=(const JunitFile&) = delete;
  const std::string& path() const { return path_; }
  std::string text() const {
    std::ostringstream out;
    out << std::ifstream(path_).rdbuf();
    return out.str();
  }

 private:
  std::string path_;
};

TEST(TestT4, JunitHasEveryCase) {
  const JunitFile file;
  std::stringstream lines(starting("passes", "{}", R"({"rules": ["required-tags"]})") +
                          starting("fails & <why>", "{}", R"({"rules": []})") + "broken\n");
  const Printed printed =
      test_policy({"p.json", std::string(kPolicy), "c.jsonl", file.path()}, lines);
  EXPECT_EQ(printed.status, 2);
  const std::string xml = file.text();
  EXPECT_TRUE(
      xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<testsuites tests=\"3\" failures=\"1\" errors=\"1\">"))
      << xml;
  EXPECT_NE(
      xml.find("<testcase classname=\"p.json\" name=\"passes\" file=\"c.jsonl\" line=\"1\"/>"),
      xml.npos)
      << xml;
  EXPECT_NE(xml.find("name=\"fails &amp; &lt;why&gt;\""), xml.npos) << xml;
  EXPECT_NE(xml.find("<failure message=\"rule `required-tags`: holds, which is not expected"),
            xml.npos)
      << xml;
  EXPECT_NE(xml.find("<error message=\"not valid JSON, column 1: "), xml.npos) << xml;
}

TEST(TestT4, JunitThatCannotBeWrittenIsAMistake) {
  for (const char* const path : {"/nonexistent/junit.xml", "/", "/dev/full"}) {
    std::stringstream lines(starting("a", "{}", R"({"rules": ["required-tags"]})"));
    const Printed printed = test_policy({"p.json", std::string(kPolicy), "c.jsonl", path}, lines);
    EXPECT_EQ(printed.status, 2) << path;
    EXPECT_SAYS(printed, std::string("trainwarden: test: cannot write ") + path + ": ");
  }
}

// Green results of an earlier run must not stay where nothing was tested.
TEST(TestT4, JunitSaysThatNoCaseWasRun) {
  for (const auto& [policy, cases] :
       {std::pair<std::string, std::string>(R"({"version": 9})", R"({"name": "a"})"),
        std::pair<std::string, std::string>(kPolicy, "")}) {
    const JunitFile file;
    std::stringstream lines(cases);
    const Printed printed = test_policy({"p.json", policy, "c.jsonl", file.path()}, lines);
    EXPECT_EQ(printed.status, 2);
    const std::string xml = file.text();
    EXPECT_NE(xml.find("<testsuites tests=\"1\" failures=\"0\" errors=\"1\">"), xml.npos) << xml;
    EXPECT_NE(xml.find("<error message=\""), xml.npos) << xml;
  }
}

// XML 1.0 has no form for most control characters.
TEST(TestT4, JunitIsWellFormedWhateverItHolds) {
  const std::vector<JunitCase> cases{{"a\x01\x1b\n\t\"'<>&]]>\xEF\xBF\xBE\xEF\xBF\xBF\xff",
                                      1,
                                      JunitCase::Result::kFailed,
                                      {"]]> <b>"}}};
  const std::string xml = junit_text("s", "f", cases);
  for (const char c : xml)
    EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n') << static_cast<int>(c);
  EXPECT_EQ(xml.find("\xEF\xBF\xBE"), xml.npos);
  EXPECT_EQ(xml.find("]]>"), xml.npos);
  EXPECT_EQ(xml.find('\xff'), xml.npos);
  EXPECT_NE(xml.find("]]&gt; &lt;b&gt;"), xml.npos);
}

TEST(TestT4, Arguments) {
  const auto read = [](const std::vector<std::string>& words) {
    return read_test(Arguments(words).get());
  };
  const auto given = read({"{}", "c.jsonl", "--junit", "j.xml"});
  ASSERT_TRUE(given);
  EXPECT_EQ(given->policy, "{}");
  EXPECT_EQ(given->file, "c.jsonl");
  EXPECT_EQ(given->junit, "j.xml");
  EXPECT_FALSE(read({}));
  EXPECT_FALSE(read({"{}"}));
  EXPECT_FALSE(read({"{}", "c.jsonl", "d.jsonl"}));
  EXPECT_FALSE(read({"{}", "c.jsonl", "--junit"}));
  EXPECT_FALSE(read({"{}", "c.jsonl", "--junit", "a", "--junit", "b"}));
  EXPECT_FALSE(read({"{}", "c.jsonl", "--junitt", "a"}));
  EXPECT_FALSE(read({"-", "-"}));
  EXPECT_FALSE(read({"{}", "c.jsonl", "--junit", "c.jsonl"}));
  const JunitFile file;
  const auto name = std::filesystem::path(file.path());
  EXPECT_FALSE(read({"{}", file.path(), "--junit", name.parent_path() / "." / name.filename()}));
  EXPECT_TRUE(read({"{}", "c.jsonl", "--junit", file.path()}));
  EXPECT_FALSE(read({"{}", ""}));
}

}  // namespace
}  // namespace trainwarden::cli::test_command_test
