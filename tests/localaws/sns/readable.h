// A published message as people would get it, for the terminal that localaws runs in.
#pragma once

#include <string>

#include "tests/localaws/sns/sns.h"

namespace trainwarden::localaws {

// The topic, the subject, the attributes, and the body below them, each line of it indented. No
// text of the message begins a line or moves the cursor.
std::string readable(const Message& message);

}  // namespace trainwarden::localaws
