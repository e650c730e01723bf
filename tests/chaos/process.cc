#include "tests/chaos/process.h"

#include <utility>

namespace trainwarden::chaos {

Result<std::string> Process::handle(const lambda::Context& context,
                                    const std::function<double()>& random, View& view) {
  view_ = &view;
  try {
    auto answer = work(context, random);
    view_ = nullptr;
    return answer;
  } catch (const testing::Killed&) {
    view_ = nullptr;
    dead_ = true;
    throw;
  }
}

Result<std::string> Process::work(const lambda::Context& context,
                                  const std::function<double()>& random) {
  if (function_ == World::Function::kState) {
    if (!state_) {
      TRY(auto started,
          state::StateFunction::start(environment_(), *this, *this, context.log, random));
      state_.emplace(std::move(started));
    }
    return state_->handle(context);
  }
  if (!alarm_) {
    TRY(auto started,
        alarm::AlarmFunction::start(environment_(), *this, *this, context.log, random));
    alarm_.emplace(std::move(started));
  }
  return alarm_->handle(context);
}

}  // namespace trainwarden::chaos
