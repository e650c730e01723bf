// What must hold for any bytes that come from outside. Each target takes one input and ends the
// process where a promise is broken; that a text is refused is no breach. Seeds are in
// seeds/<target>.
#pragma once

#include <string_view>

namespace trainwarden::fuzz {

// What is parsed can be written, and means the same.
void json(std::string_view text);
// parse_policy and check_policy agree, every mistake says what it is, and a sound policy can be
// applied to a job.
void policy(std::string_view text);
// An event that is refused says why; one that is taken names a job, or asks for a sweep.
void state_event(std::string_view payload);
void alarm_event(std::string_view payload);
// Lines: FailureReason, then the log. Label and verdict are the guide's, evidence is one line of at
// most 200 bytes, and no user_code may be resumed without a limit.
void diagnose(std::string_view lines);
// {"describe": …, "tags": …}: the shipped policy can be applied to a job of any shape, its alarms
// planned and its copy made.
void job(std::string_view text);

// An answer of HTTP means the same in whatever pieces it comes; its headers are one line each.
void http_response(std::string_view bytes);

// Ends the process unless `holds`.
void require(bool holds, std::string_view promise);

}  // namespace trainwarden::fuzz
