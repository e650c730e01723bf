// A fixture whose AWS is a script, and whose clock stands until somebody sleeps.
#pragma once

#include <gtest/gtest.h>

#include "awsapi/client.h"
#include "handlers/actions/context/record.h"
#include "handlers/actions/setup/config.h"
#include "tests/support/manual_clock.h"
#include "tests/support/scripted_transport.h"
#include "tests/support/transcript.h"

namespace trainwarden::actions {

class ScriptedAws : public ::testing::Test {
 protected:
  explicit ScriptedAws(sys_millis now) : clock_(now) {}

  static Record seen(Record record) {
    testing::transcribe("record", json::to_text(record.to_json().root()));
    return record;
  }

  testing::ManualClock clock_;
  testing::ScriptedTransport transport_;
  // One attempt a call.
  aws::Client client_{{{"AKIDEXAMPLE", Secret("s"), Secret()},
                       "eu-central-1",
                       1,
                       aws::Endpoints::all_at("https://api.example/")},
                      transport_,
                      clock_,
                      [] { return 0.0; }};
  Config config_;
};

}  // namespace trainwarden::actions
