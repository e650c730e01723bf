// The hourly digest of a topic (policy.md A9).
#pragma once

#include "handlers/rules/notices/notice.h"
#include "handlers/rules/policy/policy.h"
#include "handlers/rules/state/digest_item.h"

namespace trainwarden::rules {

// digest: not empty. Attributes: outcome (`digest`), and limit where exactly one was reached.
Notice digest_notice(NoticeFormat format, const Digest& digest, const Limits& limits);

}  // namespace trainwarden::rules
