// The demo's account as `trainwarden report` shows it: a page for a browser.
#pragma once

#include <string>

#include "runtime/base/result.h"
#include "tests/demo/embedded_aws.h"

namespace trainwarden::demo {

// bin: the folder of the built programs. policy: its file. The page's file is replaced.
Result<void> write_report(const std::string& bin, const EmbeddedAws& cloud,
                          const std::string& policy, const std::string& page);

}  // namespace trainwarden::demo
