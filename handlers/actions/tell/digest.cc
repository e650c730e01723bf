#include "handlers/actions/tell/digest.h"

#include <utility>

#include "handlers/actions/table/items.h"
#include "handlers/rules/notices/brake_notice.h"
#include "handlers/rules/notices/digest_notice.h"
#include "handlers/rules/state/digest_item.h"
#include "handlers/rules/state/item_id.h"

namespace trainwarden::actions {
namespace {

using Kind = rules::ActionResult::Kind;

Result<std::string> publish_to(const std::string& topic, rules::Notice notice, const Apis& apis) {
  return apis.sns.publish({topic, std::move(notice.subject), std::move(notice.message),
                           std::move(notice.attributes), std::move(notice.lists)},
                          apis.context);
}

}  // namespace

Result<void> notify_of_limit(const rules::Reason& held, DigestSender sender,
                             const ActivePolicy& rules, const Apis& apis) {
  const std::string& topic = apis.config.notify_topic;
  if (topic.empty()) return {};
  const std::string id = rules::digest_item_id(topic);
  std::optional<sys_seconds> at_once;
  CHECK_OK(change_digest(id, apis, [&](rules::DigestItem item, sys_seconds now) {
    auto step = rules::gather_limit(std::move(item), topic, held, now);
    at_once = step.decision ? std::optional(now) : std::nullopt;
    return std::move(step.next);
  }));
  if (at_once) {
    auto sent = publish_to(
        topic, rules::brake_notice(rules.policy.notice_format(), held, rules.policy.limits()),
        apis);
    if (sent) return {};
    static_cast<void>(change_digest(id, apis, [&](rules::DigestItem item, sys_seconds /*now*/) {
      return rules::not_told_at_once(std::move(item), *at_once);
    }));
    return fail(std::move(sent).error());
  }
  if (sender == DigestSender::kSweep) return {};
  const auto sent = send_digest(id, rules, apis);
  if (sent && sent->outcome.error) return fail(*sent->outcome.error);
  return {};
}

bool goes_with_digest(const std::string& topic, const rules::GatheredNotice& notice,
                      const Apis& apis) {
  bool at_once = true;
  const auto gathered = change_digest(
      rules::digest_item_id(topic), apis, [&](rules::DigestItem item, sys_seconds now) {
        auto step = rules::gather_notice(std::move(item), topic, notice, now);
        at_once = step.decision;
        return std::move(step.next);
      });
  return gathered && !at_once;
}

std::optional<PendingNotice> send_digest(const std::string& id, const ActivePolicy& rules,
                                         const Apis& apis) {
  if (rules.mode() == rules::Mode::kObserve) return std::nullopt;
  std::optional<rules::Digest> digest;
  const auto claimed = change_digest(id, apis, [&](rules::DigestItem item, sys_seconds now) {
    auto step = rules::claim_digest(std::move(item), apis.request, now);
    digest = std::move(step.decision);
    return std::move(step.next);
  });
  if (!claimed) return PendingNotice{{}, failed(rules::ActionKind::kNotify, claimed.error())};
  if (!digest) return std::nullopt;
  const auto sent = publish_to(
      claimed->topic,
      rules::digest_notice(rules.policy.notice_format(), *digest, rules.policy.limits()), apis);
  if (!sent) return PendingNotice{{}, failed(rules::ActionKind::kNotify, sent.error())};
  ActionOutcome out{rules::ActionKind::kNotify, {Kind::kNotified}};
  const auto noted = change_digest(id, apis, [&](rules::DigestItem item, sys_seconds now) {
    return rules::digest_sent(std::move(item), *digest, now);
  });
  if (!noted) {
    out.note = "may be told again: " + noted.error().message;
    out.state_unavailable = noted.error().code == ErrorCode::kStateUnavailable;
  }
  return PendingNotice{{}, std::move(out)};
}

}  // namespace trainwarden::actions
