// The scenes of the demo, each in a file of its own. A scene plays, prints what it finds, and ends
// with an error where something did not happen as the story has it.
#pragma once

#include "tests/demo/stage.h"

namespace trainwarden::demo {

// An experiment that trains for too long: its stop is announced, its owner keeps it for a while, it
// is announced again, and stopped.
Result<void> announced_stop(Stage& stage);
// A job without the tag that the policy asks for is stopped; one that has it trains on.
Result<void> job_without_an_owner(Stage& stage);
// Eight machines fall silent and are stopped; eight others only look idle, and live.
Result<void> weekend(Stage& stage);
// A run of 49 hours loses a machine and goes on from its checkpoint, once.
Result<void> lost_machine(Stage& stage);
// A spot job that is interrupted again and again moves to machines of its own.
Result<void> thrashing_spot_job(Stage& stage);
// A job that fails by its own fault is left alone, and its owner is told why.
Result<void> job_with_a_bug(Stage& stage);

}  // namespace trainwarden::demo
