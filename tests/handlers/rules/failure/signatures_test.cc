// The vocabulary is data: each signature is tried on its own examples, on those of all others, and
// on logs of jobs that succeeded (logs_test.cc).
#include "handlers/rules/failure/signatures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "handlers/rules/failure/diagnose.h"
#include "handlers/rules/failure/explanations.h"
#include "handlers/rules/failure/own_signature.h"
#include "handlers/rules/failure/signature_match.h"
#include "tests/handlers/rules/support.h"
#include "tests/support/files.h"

namespace trainwarden::rules::signatures_test {
namespace {

const json::Document& vocabulary() {
  static const json::Document kDocument = [] {
    auto parsed = json::Document::parse(
        trainwarden::testing::read_text("handlers/rules/failure/signatures.json"));
    EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
    return std::move(*parsed);
  }();
  return kDocument;
}

json::Elements entries() { return vocabulary().root().find("signatures")->elements(); }

std::string_view member(json::Value object, std::string_view name) {
  return string_of(object, name).value_or("");
}

std::string verdict_of(std::string_view line) {
  const Diagnosis d = diagnose_texts("", std::vector<std::string_view>{line});
  return std::string(name(d.label)) + "/" + std::string(name(d.resume));
}

std::string expected(json::Value entry) {
  if (member(entry, "rank") == "harmless") return "unknown/once";
  return std::string(member(entry, "label")) + "/" + std::string(member(entry, "resume"));
}

bool finds(std::string_view id, std::string_view line) {
  std::string lower(line);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::ranges::any_of(find_signatures(line, lower), [id](const SignatureHit& hit) {
    return explanation_of(hit.signature).id == id;
  });
}

TEST(Signatures, EachHasWhatItNeeds) {
  std::set<std::string_view> ids;
  std::set<std::string> texts;
  for (const json::Value entry : entries()) {
    const std::string_view id = member(entry, "id");
    EXPECT_TRUE(ids.insert(id).second) << id << " stands twice";
    EXPECT_FALSE(member(entry, "why").empty()) << id;
    ASSERT_TRUE(entry.find("sources")) << id;
    EXPECT_GT(entry.find("sources")->size(), 0U) << id;
    for (const json::Value source : entry.find("sources")->elements())
      EXPECT_TRUE(source.as_string().starts_with("https://")) << id;
    ASSERT_TRUE(entry.find("examples")) << id;
    EXPECT_GT(entry.find("examples")->size(), 0U) << id;
    for (const json::Value example : entry.find("examples")->elements()) {
      EXPECT_TRUE(member(example, "source").starts_with("https://")) << id;
      EXPECT_EQ(member(example, "text").find('\n'), std::string_view::npos) << id;
    }
    if (member(entry, "rank") == "harmless") continue;
    EXPECT_NE(std::ranges::find(kFailureLabels, member(entry, "label")), kFailureLabels.end())
        << id;
    EXPECT_NE(std::ranges::find(kResumeVerdicts, member(entry, "resume")), kResumeVerdicts.end())
        << id;
    EXPECT_FALSE(member(entry, "label") == "user_code" && member(entry, "resume") == "yes") << id;
    for (const json::Value text : entry.find("texts")->elements())
      EXPECT_TRUE(
          texts.insert(std::string(text.as_string()) + "/" + std::string(member(entry, "rank")))
              .second)
          << id << ": `" << text.as_string() << "` stands in another of its rank";
  }
  EXPECT_EQ(ids.size(), kTables.signatures.size());
}

TEST(Signatures, TheirExamplesSayWhatTheySay) {
  for (const json::Value entry : entries())
    for (const json::Value example : entry.find("examples")->elements()) {
      EXPECT_EQ(verdict_of(member(example, "text")), expected(entry))
          << member(entry, "id") << ": " << member(example, "text");
      EXPECT_TRUE(finds(member(entry, "id"), member(example, "text"))) << member(entry, "id");
    }
}

TEST(Signatures, WhatIsNearToSomethingHarmlessDoesNotFireOnIt) {
  int ran = 0;
  for (const json::Value entry : entries()) {
    const auto counter = entry.find_present("counter_examples");
    if (!counter) continue;
    for (const json::Value text : counter->elements()) {
      EXPECT_NE(verdict_of(text.as_string()), expected(entry))
          << member(entry, "id") << ": " << text.as_string();
      ++ran;
    }
  }
  EXPECT_GE(ran, 15);
}

// An entry may stand in another's example; then the other must win over it.
TEST(Signatures, NoneSpoilsTheExamplesOfAnother) {
  std::size_t pairs = 0;
  for (const json::Value other : entries())
    for (const json::Value example : other.find("examples")->elements())
      for (std::size_t i = 0; i < kTables.signatures.size(); ++i) {
        ++pairs;
        if (kTables.signatures[i].rank != Rank::kHarmless || member(other, "rank") == "harmless")
          continue;
        EXPECT_FALSE(finds(explanation_of(i).id, member(example, "text")))
            << explanation_of(i).id << " silences " << member(other, "id");
      }
  EXPECT_GT(pairs, 10'000U);
}

// Far from a log's end only what may bear a verdict there is looked for.
TEST(Signatures, FarFromTheEndOnlyLongTextsOfSomeAreFound) {
  std::size_t far = 0;
  std::size_t near = 0;
  for (const json::Value entry : entries())
    for (const json::Value text : entry.find("texts")->elements()) {
      std::string line = signature_text(text.as_string());
      std::erase(line, '~');
      while (line.contains(" *")) line.erase(line.find(" *"), 1);  // as the tables have it
      std::ranges::replace(line, '*', ' ');
      const bool counts = member(entry, "rank") == "harmless" ||
                          (entry.find_present("anywhere") && line.size() >= kFarText);
      for (const SignatureHit& hit : find_signatures(line, line, true)) {
        const Signature& found = kTables.signatures[hit.signature];
        EXPECT_TRUE(found.rank == Rank::kHarmless ||
                    (found.anywhere && hit.text.size() >= kFarText))
            << line << ": " << hit.text;
      }
      const auto is_this = [&entry](const SignatureHit& hit) {
        return explanation_of(hit.signature).id == member(entry, "id");
      };
      const bool found = std::ranges::any_of(find_signatures(line, line, true), is_this);
      EXPECT_TRUE(found || !counts) << member(entry, "id") << ": " << line;
      EXPECT_TRUE(std::ranges::any_of(find_signatures(line, line), is_this))
          << member(entry, "id") << ": " << line;
      ++(counts ? far : near);
    }
  EXPECT_GT(far, 0U);
  EXPECT_GT(near, 0U);
}

std::string lower_of(std::string_view line) {
  std::string out(line);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

// The ids of the signatures of which a text stands in the line, each text looked for by itself.
std::set<std::string> searched(std::string_view line) {
  const std::string lower = lower_of(line);
  std::set<std::string> out;
  for (const json::Value entry : entries()) {
    bool stands = false;
    for (const json::Value text : entry.find("texts")->elements()) {
      const std::string written = signature_text(text.as_string());
      const std::size_t begin = written.starts_with('~') ? 1 : 0;
      if (!stands && lower.contains(std::string_view(written).substr(begin, 3)))
        stands = find_text(written, line, lower) != std::string_view::npos;
    }
    if (const auto unless = entry.find_present("unless"))
      for (const json::Value words : unless->elements())
        stands = stands && !begins_somewhere(words.as_string(), line, lower);
    if (stands) out.emplace(member(entry, "id"));
  }
  return out;
}

std::set<std::string> found(std::string_view line) {
  std::set<std::string> out;
  for (const SignatureHit& hit : find_signatures(line, lower_of(line)))
    out.emplace(explanation_of(hit.signature).id);
  return out;
}

// F7: one pass over a line finds what a search for each text finds.
TEST(Signatures, F7_OnePassFindsWhatEachSearchFinds) {
  std::string all;
  for (const json::Value entry : entries())
    for (const json::Value example : entry.find("examples")->elements()) {
      const std::string_view line = member(example, "text");
      EXPECT_EQ(found(line), searched(line)) << line;
      all += line;
      all += ' ';
    }
  EXPECT_EQ(found(all), searched(all));
}

// F7: what stands behind a `*` is looked for behind each beginning, however many there are.
TEST(Signatures, F7_ManyBeginningsHideNothing) {
  std::size_t ran = 0;
  for (const json::Value entry : entries())
    for (const json::Value text : entry.find("texts")->elements()) {
      const std::string written = signature_text(text.as_string());
      const std::size_t star = written.find('*');
      if (star == std::string::npos || written.starts_with('~') || ++ran % 8 != 0) continue;
      std::string begins;
      for (int i = 0; i < 40; ++i) begins += written.substr(0, star) + " ";
      std::string whole = written;
      std::ranges::replace(whole, '*', ' ');
      std::erase(whole, '~');
      const std::string apart =
          begins + std::string(200, '.') + whole.substr(star) + " " + std::string(200, '.');
      EXPECT_EQ(found(begins), searched(begins)) << written;
      EXPECT_EQ(found(apart), searched(apart)) << written;
      EXPECT_EQ(found(apart + whole), searched(apart + whole)) << written;
    }
  EXPECT_GT(ran, 100U);
}

// `orted` is a daemon, and no part of `aborted`.
TEST(Signatures, WhatASignatureDoesNotMeanBeginsAWord) {
  EXPECT_TRUE(begins_somewhere("orted", "exec orted: missing", "exec orted: missing"));
  EXPECT_FALSE(begins_somewhere("orted", "Job aborted", "job aborted"));
  EXPECT_TRUE(begins_somewhere("orted", "aborted by orted", "aborted by orted"));
  EXPECT_TRUE(begins_somewhere("'node_", "x['node_1']", "x['node_1']"));
  EXPECT_EQ(verdict_of("ERROR - Job aborted: [Errno 2] No such file or directory: '/data/x'"),
            "data/no");
}

TEST(Signatures, ExceptionsMeanWhatTheirTypesSay) {
  for (const json::Value entry : vocabulary().root().find("exceptions")->elements())
    EXPECT_EQ(verdict_of(member(entry, "example")), expected(entry)) << member(entry, "id");
}

TEST(Signatures, WordsAndNumbersEndWhereTheyEnd) {
  const auto stands = [](std::string_view text, std::string_view said) {
    std::string lower(said);
    std::ranges::transform(lower, lower.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return find_text(text, said, lower) != std::string_view::npos;
  };
  EXPECT_TRUE(stands("0 samples", "found 0 samples"));
  EXPECT_FALSE(stands("0 samples", "286.897910 samples/s"));
  EXPECT_FALSE(stands("error 50", "error 503"));
  EXPECT_TRUE(stands("disk", "the disks are full"));
  EXPECT_FALSE(stands("disk", "diskette"));
  EXPECT_TRUE(stands("disk~", "diskette"));
  EXPECT_FALSE(stands("pressure", "diskpressure"));
  EXPECT_TRUE(stands("pressure", "DiskPressure")) << "as the humps of a name";
  EXPECT_TRUE(stands("~pressure", "diskpressure"));
  EXPECT_TRUE(stands("disk*full", "the disk is now full"));
  EXPECT_FALSE(stands("disk*full", "full is the disk"));
  EXPECT_FALSE(stands("disk*full", "disk " + std::string(200, '.') + " full"));
  EXPECT_TRUE(stands("pip*failed", "the pipeline failed"));
  EXPECT_FALSE(stands("pip *failed", "the pipeline failed"));
  EXPECT_TRUE(stands("pip *failed", "pip install failed"));
  EXPECT_TRUE(stands("pip *failed", "two pips failed")) << "a plural's s";
  EXPECT_EQ(signature_text(" Disk  is * FULL "), "disk is *full");
  EXPECT_EQ(signature_text("Disk* FULL"), "disk*full");
}

}  // namespace
}  // namespace trainwarden::rules::signatures_test
