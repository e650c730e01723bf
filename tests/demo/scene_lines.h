// What several scenes tell of a job: how it began, what its states were, what the functions did
// about it, and what stands in its tags. Lines are made of what the stage shows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/demo/stage.h"

namespace trainwarden::demo {

// Who started it (its tag username), when, on which machines, and at what price by the policy.
Result<void> tell_creation(Stage& stage, std::string_view job);
// Its states, from the one with this number on; the first is number 0. What a stop brought about
// comes after it.
Result<std::vector<Line>> state_lines(const Stage& stage, std::string_view job, std::size_t from);
// The successful calls of a function that name it, one line for each purpose, when it first came.
Result<std::vector<Line>> call_lines(const Stage& stage, std::string_view function,
                                     std::string_view job);
// Whether the line is of a call that changes the job, its tags or what the table has of it.
bool changes_job(const Line& line);
Result<void> quote_tags(Stage& stage, std::string_view job);
// The job's copy, once the original is tagged with it: tells how it differs and what is the same.
Result<json::Document> tell_copy(Stage& stage, std::string_view job);
// The record that the state function logged about the job when it was in this status.
Result<json::Document> wait_for_decision(const Stage& stage, std::string_view job,
                                         std::string_view status);
// What a decision rests on, of the record that the state function logged about the job when it was
// in this status.
Result<void> tell_because(Stage& stage, std::string_view job, std::string_view status);
Result<void> quote_message(Stage& stage, std::string_view job);
// kInternal where the job's TrainingJobStatus is another.
Result<void> expect_status(const Stage& stage, std::string_view job, std::string_view status);

}  // namespace trainwarden::demo
