// Runs one story on an embedded AWS, with the two functions as they are deployed except for their
// sockets. Functions run concurrently and die; AWS answers late, forgets and refuses; events are
// lost or delivered twice. After that nothing fails until the end.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/chaos/crew.h"
#include "tests/chaos/history_evidence.h"
#include "tests/chaos/story.h"
#include "tests/chaos/weather.h"
#include "tests/support/aws/in_process_aws.h"
#include "tests/support/env.h"

namespace trainwarden::chaos {

class Process;

class World {
 public:
  // spared: mishaps that do not happen. diary: whether what happens is written down.
  World(const Story& story, const std::set<std::string>& spared, bool diary);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  // Once.
  Evidence run();

 private:
  class Caller;
  friend class Process;

  enum class Function { kState, kAlarm };
  struct Delivery {
    Function function;
    std::string id;
    std::string payload;
    int tries = 0;  // before this one
  };
  // What AWS said of a job, from when on.
  using Versions = std::vector<std::pair<sys_millis, std::string>>;

  // world.cc: what happens outside of the functions
  void plan();
  void plan_sweep(sys_millis time, int number);
  void plan_report(sys_millis time);
  void start_job(const JobStory& job);
  bool launch(const JobStory& job);
  bool create(const JobStory& job);
  void plan_checkpoints(const JobStory& job);
  void write_log(const std::string& job);
  void plan_queue(const std::string& job, const std::vector<Turn>& turns);
  void turn(const std::string& job, const Turn& turn);
  std::vector<Turn> fate_of(const std::string& copy) const;
  void measure(int periods);
  void pass(milliseconds time);
  void drain();
  bool note_job(const std::string& job);
  void note_event(const testing::EventTold& event);
  void note_tags(const std::string& job);
  void send_event(const testing::EventTold& event, const std::string& id);
  void tell(std::string line);
  Evidence gather();
  Truth truth_of(const localaws::Job& job) const;
  Truth truth_of(const std::string& job) const;
  void delete_job(const std::string& job);

  // function_calls.cc: what happens inside of them
  void deliver(sys_millis time, Delivery delivery);
  void work(Crew::Worker& worker, const Delivery& delivery);
  Process& process_for(const Delivery& delivery);
  const testing::Env& environment_now();
  void read_log(int descriptor, std::size_t invocation);
  void note_act(std::size_t invocation, const std::string& operation, const std::string& body,
                const Result<http::Response>& answer);
  void note_notices(std::size_t invocation);
  bool tags_are_late(const std::string& body);
  std::string past_answer(const std::string& operation, const std::string& body,
                          milliseconds lag) const;

  const Story& story_;
  bool keeps_diary_;
  testing::ManualClock clock_;
  testing::InProcessAws aws_;
  Weather weather_;
  // By how many edits there were, and whether the kill switch is thrown.
  std::map<std::pair<std::size_t, bool>, std::unique_ptr<testing::Env>> environments_;
  Evidence evidence_;
  std::map<std::string, Versions> descriptions_;
  std::map<std::string, Versions> tags_;
  std::map<std::string, std::vector<Truth::Tagging>> tagged_;
  std::map<std::string, std::vector<Truth::Idleness>> idle_;
  std::map<std::string, const JobStory*> stories_;              // of the jobs that people start
  std::map<std::string, std::vector<sys_millis>> checkpoints_;  // by their URI
  std::set<std::string> endless_logs_;                          // of these jobs
  std::uint64_t pages_of_logs_ = 0;
  std::map<std::string, sys_millis> silent_from_;
  std::map<std::string, Truth> gone_;                     // as they were before they were deleted
  std::map<std::string, std::vector<sys_millis>> heard_;  // of whose GPUs, of which periods
  std::map<std::string, sys_millis> stopped_by_hand_;
  std::map<std::string, int> times_;  // how often an event of that name happened
  std::size_t events_seen_ = 0;
  std::size_t messages_seen_ = 0;
  std::size_t notices_seen_ = 0;
  std::vector<std::unique_ptr<Process>> processes_;
  Crew crew_;  // last: its threads use all of the above
};

}  // namespace trainwarden::chaos
