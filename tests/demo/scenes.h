// The scenes of the demo, each in a file of its own. A scene plays, prints what it finds, and ends
// with an error where something did not happen as the story has it.
#pragma once

#include "tests/demo/stage.h"

namespace trainwarden::demo {

// A job without the tag that the policy asks for is stopped; one that has it trains on.
Result<void> job_without_an_owner(Stage& stage);
// Eight machines fall silent and are stopped; eight others only look idle, and live.
Result<void> weekend(Stage& stage);

}  // namespace trainwarden::demo
