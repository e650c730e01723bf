// Tags of ours that a user of the account writes change nothing of what the functions do, on that
// user's job or another's, at its creation or later (policy.md A6). One can make us do less: the
// generation of a job that the table does not know.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/restart/deaths.h"
#include "tests/restart/restart_policies.h"

namespace trainwarden::testing::forged_tags_test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kOther = "other-1";

enum class Forged {
  kAtCreation,
  kAlways,     // by AddTags, before and between all calls, so that what we write is overwritten
  kOnAnother,  // on another job
};

struct Forgery {
  Tags tags;
  Forged how = Forged::kAtCreation;
};

std::string tags_member(const Tags& tags) {
  json::Writer out;
  out.begin_object();
  for (const auto& [key, value] : tags) out.member(key, value);
  out.end_object();
  return R"(,"Tags":)" + out.take();
}

void write(History& history, const std::string& job, const Tags& tags) {
  for (const auto& [key, value] : tags) history.aws().tag_job(job, key, value);
}

// How a job comes to its end.
struct World {
  const char* name;
  const char* rules;
  const char* secondary;  // that the job is in
  void (*happens)(History&);
};
const World kWorlds[] = {
    {"a person stops it", kResume, "Training",
     [](History& history) {
       history.stop_by_hand();
       history.aws().pass(minutes(2));
       history.deliver("Stopped", "Stopped");
     }},
    {"no rule is about it", kNothing, "Training",
     [](History& history) {
       history.stop_by_hand();
       history.aws().pass(minutes(2));
       history.deliver("Stopped", "Stopped");
     }},
    {"a rule stops it", kMustStop, "Training",
     [](History& history) {
       history.deliver("InProgress", "Training");
       history.aws().pass(minutes(2));
       history.deliver("Stopped", "Stopped");
     }},
    {"a rule restarts it", kThrash, "Interrupted",
     [](History& history) {
       history.deliver("InProgress", "Interrupted");
       history.aws().pass(minutes(2));
       history.deliver("Stopped", "Stopped");
     }},
    {"it failed", kResume, "Training",
     [](History& history) {
       history.transition("Failed", "InternalServerError: We encountered an internal error.");
       history.aws().pass(seconds(1));
       history.deliver("Failed", "Failed");
     }},
    {"it found no machines", kResume, "Training",
     [](History& history) {
       history.transition("Failed",
                          "CapacityError: Unable to provision requested ML compute "
                          "capacity.");
       history.aws().pass(seconds(1));
       history.deliver("Failed", "Failed");
     }},
};

std::string without_tags(const std::string& request) {
  const auto document = json::Document::parse(request);
  std::string out;
  for (const json::Member member : document->root().members())
    if (member.name != "Tags")
      out += fmt::format("{}={} ", member.name, json::to_text(member.value));
  return out;
}

// What became of the world: jobs, requests for copies, notices.
struct End {
  std::string jobs;
  std::vector<std::string> copies;
  std::vector<std::string> notices;

  bool operator==(const End&) const = default;
};

End end_of(const World& world, const Forgery& forgery) {
  History history(world.rules);
  history.sweep();
  history.aws().pass(minutes(5));
  const bool own = forgery.how != Forged::kOnAnother;
  const bool at_creation = forgery.how == Forged::kAtCreation || !own;
  history.place("InProgress", world.secondary,
                own && at_creation ? tags_member(forgery.tags) : std::string());
  history.aws().place({.name = kOther,
                       .status = "InProgress",
                       .secondary = "Uploading",
                       .tags = own ? Tags() : forgery.tags});
  if (!at_creation) write(history, kJob, forgery.tags);
  if (forgery.how == Forged::kAlways)
    history.aws().meanwhile = [&](int) { write(history, kJob, forgery.tags); };
  world.happens(history);
  sweep_up(history);
  history.aws().meanwhile = nullptr;

  End out;
  for (const char* const job : {kJob, kOther})
    out.jobs += fmt::format("{} {} ", job, history.aws().status(job));
  for (const std::string& request : history.aws().create_requests)
    out.copies.push_back(without_tags(request));
  for (const SentNotice& one : history.notices())
    out.notices.push_back(fmt::format("{} {} {}", one.outcome, one.rule, one.job));
  std::ranges::sort(out.notices);
  return out;
}

std::vector<Tags> forgeries() {
  const std::string now = "2026-07-02T13:46:40Z";
  std::vector<Tags> out;
  const auto add = [&](const std::string& key, std::initializer_list<std::string> values) {
    for (const std::string& value : values) out.push_back({{"trainwarden:" + key, value}});
  };
  add("intent", {"v1 gen=1 at=1783000300 spot=false types=ml.p5.48xlarge",
                 "v1 gen=1 at=4070908800 types=ml.p5.48xlarge", "void", "done train-7-r1-0123abcd",
                 "restart it", ""});
  add("stopped", {now, "2099-01-01T00:00:00Z", "yes", ""});
  add("waits", {now, "2099-01-01T00:00:00Z", "soon"});
  add("told", {"0123456789abcdef", std::string(256, 'f'), ""});
  add("child", {"train-7-r1-0123abcd", kOther, kJob, ""});
  add("root", {kOther, kJob, ""});
  add("parent", {kOther, kJob, "nobody", ""});
  add("action", {"stop", "restart", "none", "copy", ""});
  add("rule", {"no-p4", "thrash", "resume", "forged", ""});
  add("reason", {"because", ""});
  add("at", {now, "2099-01-01T00:00:00Z", "now", ""});
  // Together, as a stop or a restart left them, or as a copy has them.
  out.push_back({{"trainwarden:action", "stop"},
                 {"trainwarden:rule", "no-p4"},
                 {"trainwarden:reason", "forged"},
                 {"trainwarden:at", now},
                 {"trainwarden:stopped", now}});
  out.push_back({{"trainwarden:intent", "v1 gen=1 at=1783000300 types=ml.p5.48xlarge"},
                 {"trainwarden:action", "restart"},
                 {"trainwarden:rule", "thrash"},
                 {"trainwarden:at", now}});
  out.push_back({{"trainwarden:child", kOther}, {"trainwarden:told", "0123456789abcdef"}});
  return out;
}

const Forged kWays[] = {Forged::kAtCreation, Forged::kAlways, Forged::kOnAnother};

std::string show(const Forgery& forgery, const World& world) {
  std::string out = world.name;
  for (const auto& [key, value] : forgery.tags) out += fmt::format(", {}={}", key, value);
  return out + fmt::format(", way {}", static_cast<int>(forgery.how));
}

TEST(ForgedTags, A6_ChangeNothing) {
  int turn = 0;
  for (const World& world : kWorlds) {
    const End expected = end_of(world, {});
    for (const Tags& tags : forgeries())
      for (const Forged how : kWays) {
        if (turn++ % kStride != 0) continue;
        const Forgery forgery{tags, how};
        const End found = end_of(world, forgery);
        EXPECT_EQ(found.jobs, expected.jobs) << show(forgery, world);
        EXPECT_EQ(found.copies, expected.copies) << show(forgery, world);
        EXPECT_EQ(found.notices, expected.notices) << show(forgery, world);
      }
  }
}

// The worlds are not all alike.
TEST(ForgedTags, WithoutThemTheWorldsEndAsTheirRulesSay) {
  EXPECT_EQ(end_of(kWorlds[0], {}).copies.size(), 0U);
  EXPECT_EQ(end_of(kWorlds[1], {}).notices.size(), 0U);
  EXPECT_EQ(end_of(kWorlds[2], {}).copies.size(), 0U);
  for (const std::size_t i : {3U, 4U, 5U}) EXPECT_EQ(end_of(kWorlds[i], {}).copies.size(), 1U);
}

TEST(ForgedTags, A2_TheGenerationCanOnlyMakeUsDoLess) {
  int turn = 0;
  for (const World& world : kWorlds) {
    const End expected = end_of(world, {});
    for (const char* const generation : {"0", "1", "2", "3", "99", "-1", "x", "", "1e9"})
      for (const Forged how : kWays)
        for (const bool with_lineage : {false, true}) {
          if (turn++ % kStride != 0) continue;
          Forgery forgery{{{"trainwarden:generation", generation}}, how};
          if (with_lineage) {
            forgery.tags.emplace_back("trainwarden:root", kOther);
            forgery.tags.emplace_back("trainwarden:parent", kOther);
          }
          const End found = end_of(world, forgery);
          if (found == expected) continue;
          EXPECT_NE(how, Forged::kOnAnother) << show(forgery, world);
          EXPECT_TRUE(found.copies.empty()) << show(forgery, world);
          EXPECT_NE(expected.copies.size(), 0U) << show(forgery, world);
        }
  }
}

// Of a job that is a copy of ours the table knows the generation.
TEST(ForgedTags, A2_ACopysGenerationIsTheTables) {
  for (const char* const forged : {"0", "1", "99", "x"}) {
    History history(kResume);
    history.sweep();
    resumed(history);
    for (std::size_t generation = 1; generation <= 2; ++generation) {
      ASSERT_EQ(history.aws().created().size(), generation) << forged;
      const std::string copy = history.aws().created().back();
      write(history, copy, {{"trainwarden:generation", forged}});
      history.aws().pass(minutes(30));
      history.transition("Training", "", copy);
      history.aws().pass(minutes(30));
      history.transition("Failed", "InternalServerError: We encountered an internal error.", copy);
      history.deliver("Failed", "Failed", copy);
    }
    // The limit is 2.
    EXPECT_EQ(history.aws().created().size(), 2U) << forged;
  }
}

// Nobody's own tags leave us without room for what we remember.
TEST(ForgedTags, P7_FiftyTagsOfOnesOwnChangeNothing) {
  Tags many;
  for (int i = 0; i < 50; ++i) many.emplace_back(fmt::format("key{}", i), "v");
  for (const World& world : {kWorlds[0], kWorlds[1], kWorlds[2]}) {
    const End expected = end_of(world, {});
    EXPECT_EQ(end_of(world, {many, Forged::kAtCreation}), expected) << world.name;
  }
}

}  // namespace
}  // namespace trainwarden::testing::forged_tags_test
