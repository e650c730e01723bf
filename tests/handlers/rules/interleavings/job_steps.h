// What each process of a job's world does next. The functions' programs follow the order that
// end_steps.h and begin_steps.h ask for.
#pragma once

#include "tests/handlers/rules/interleavings/job_world.h"

namespace trainwarden::rules::test {

class JobSteps {
 public:
  explicit JobSteps(Scenario scenario) : scenario_(std::move(scenario)) {}

  Next<World> next(const World& world);
  // One step of that function alone, as the network and the other processes least disturb it.
  bool run_undisturbed(World& world, std::size_t function);
  // Sweeps, one after the other, with time to come again: until nothing changes any more.
  World swept(World world, int seconds);

  int number(const JobItem& item) { return items_.number(item); }
  ObservedJob look(const World& world) const;
  std::string judge(const World& world);

 private:
  using Out = Next<World>;
  struct Changed {
    JobItem item;
    int decision = 0;
  };

  void step(const World& world, std::size_t i, Out& out);
  void stop(const World& world, std::size_t i, bool for_good, Out& out);
  void create(const World& world, std::size_t i, Out& out);
  void settle(const World& world, std::size_t i, Out& out);
  template <class Transition, class Proceed>
  void change(const World& world, std::size_t i, Out& out, Transition transition, Proceed proceed);
  void begin_restart(const World& world, std::size_t i, Out& out);
  void close(const World& world, std::size_t i, Out& out);
  void claim_copy(const World& world, std::size_t i, Out& out);
  void claim_notice(const World& world, std::size_t i, Out& out);
  void publish(const World& world, std::size_t i, Out& out);
  void pending_notices(const World& world, std::size_t i, Out& out);
  void happenings(const World& world, Out& out);
  std::string liveness(const World& world);

  Scenario scenario_;
  Items items_;
  std::map<std::string, std::string> swept_;  // what sweeps find wrong, by world
};

}  // namespace trainwarden::rules::test
