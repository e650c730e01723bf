#include "handlers/rules/policy/action.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "handlers/rules/job/instance_types.h"
#include "handlers/rules/patterns/nearest.h"
#include "handlers/rules/policy/entry_changes.h"
#include "runtime/base/ascii.h"
#include "runtime/json/utf8.h"

namespace trainwarden::rules {
namespace {

constexpr std::array<ActionForm, 6> kActions = {{
    {"stop", Options::kStop},
    {"notify", Options::kNotify},
    {"restart", Options::kRestart},
    {"watch", Options::kWatches, "{\"watch\": [names of watches]}"},
    {"tag", Options::kTags, "{\"tag\": {key: value}}"},
    {"release", Options::kNone},
}};
constexpr auto kActionNames = [] {
  std::array<std::string_view, kActions.size()> out;
  std::ranges::transform(kActions, out.begin(), &ActionForm::name);
  return out;
}();

using Kind = MemberForm::Kind;

constexpr std::int64_t kMostGenerations = 1000;
constexpr std::size_t kMostInstanceTypes = 32;
constexpr std::int64_t kMostSeconds = 2'419'200;  // 28 days: no job runs longer
constexpr std::int64_t kMostInstances = 10'000;
constexpr std::array<MemberForm, 9> kRestartMembers = {{
    {.name = "spot", .kind = Kind::kBoolean},
    {.name = "instance_types", .kind = Kind::kInstanceTypes},
    {.name = "limit",
     .kind = Kind::kInteger,
     .least = 1,
     .most = kMostGenerations,
     .fallback = kRestartLimit},
    {.name = "min_progress_seconds",
     .kind = Kind::kInteger,
     .most = kMostSeconds,
     .fallback = kMinProgressSeconds},
    {.name = "max_runtime_seconds",
     .kind = Kind::kInteger,
     .least = 1,
     .most = kMostRuntimeSeconds},
    {.name = "max_wait_seconds", .kind = Kind::kInteger, .least = 1, .most = kMostWaitSeconds},
    {.name = "instance_count", .kind = Kind::kInteger, .least = 1, .most = kMostInstances},
    {.name = kHyperParameters.name, .kind = Kind::kHyperParameters},
    {.name = kEnvironment.name, .kind = Kind::kEnvironment},
}};
constexpr auto kRestartNames = names_of(kRestartMembers);
// Longer, and the machines cost more than the warning is worth. `check` warns of a short one.
constexpr std::int64_t kLeastGraceSeconds = 1;
constexpr std::int64_t kMostGraceSeconds = 604'800;
constexpr std::array<MemberForm, 2> kStopMembers = {{
    {.name = "tuning_job", .kind = Kind::kBoolean},
    {.name = "grace_seconds",
     .kind = Kind::kInteger,
     .least = kLeastGraceSeconds,
     .most = kMostGraceSeconds},
}};
constexpr auto kStopNames = names_of(kStopMembers);
constexpr std::array<MemberForm, 1> kNotifyMembers = {{
    {.name = "topic", .kind = Kind::kTopic, .required = true},
}};
constexpr auto kNotifyNames = names_of(kNotifyMembers);

// What SageMaker takes in a tag, except that letters of rare scripts are refused: one wrong
// character would cost all tags of a call. `[\p{L}\p{Z}\p{N}_.:/=+\-@]*`,
// https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_Tag.html
bool is_tag_text(std::string_view text) {
  while (!text.empty()) {
    const json::Character next = json::first_character(text);
    const char c = text.front();
    const bool plain =
        is_alphanumeric(c) || std::string_view(" _.:/=+-@").find(c) != std::string_view::npos;
    if (!plain && !json::is_letter(next.code)) return false;
    text.remove_prefix(next.bytes);
  }
  return true;
}

// Characters, not bytes.
std::size_t length(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// What a restart sets may be secret, wherever it was written by mistake.
std::string shown(json::Value item) {
  const bool is_list = item.is_array() || item.is_object();
  return is_list ? fmt::format("{} of {}", json::describe(item.type()), item.size())
                 : fmt::format("`{}`", item.excerpt());
}

class ActionReader {
 public:
  ActionReader(std::span<const Watch> watches, Reader& reader)
      : watches_(watches), reader_(reader) {}

  // An action written as its name, or as {name: options}.
  std::optional<Action> action(json::Value item) {
    std::string_view text;
    std::optional<json::Value> options;
    if (item.is_string()) text = item.as_string();
    if (item.is_object() && item.size() == 1) {
      text = (*item.members().begin()).name;
      options = (*item.members().begin()).value;
    }
    const auto at = std::ranges::find(kActions, text, &ActionForm::name);
    if (at == kActions.end()) {
      const bool restarts = item.is_object() && item.find("restart").has_value();
      reader_.diagnostics.error(
          reader_.where, fmt::format("expected an action, {}, found {}{}", one_of(kActionNames),
                                     restarts ? shown(item) : fmt::format("`{}`", item.excerpt()),
                                     did_you_mean(text, kActionNames)));
      return std::nullopt;
    }
    Action out;
    out.kind = static_cast<ActionKind>(at - kActions.begin());
    if (!options && !at->expected.empty()) return reader_.unexpected(at->expected, item);
    const bool sound = !options || with_options(*options, at->options, out);
    return sound ? std::optional(std::move(out)) : std::nullopt;
  }

 private:
  bool with_options(json::Value options, Options form, Action& out) {
    JsonPath::Step step(reader_.where, name(out.kind));
    switch (form) {
      case Options::kNone:
        reader_.unexpected(fmt::format("\"{}\" without options", name(out.kind)), options);
        return false;
      case Options::kNotify:
        return notify(options, out);
      case Options::kRestart:
        return restart(options, out.restart);
      case Options::kWatches:
        return watch(options, out);
      case Options::kTags:
        return tag(options, out);
      case Options::kStop:
        return stop(options, out.stop);
    }
    return false;
  }

  bool stop(json::Value options, Stop& out) {
    if (!reader_.check_object(options, "options of stop")) return false;
    reader_.check_members(options, kStopNames);
    if (options.size() == 0) {
      reader_.unexpected("options of stop, one of " + one_of(kStopNames), options);
      return false;
    }
    out.tuning_job = reader_.boolean(options, form(kStopMembers, "tuning_job", Kind::kBoolean).name)
                         .value_or(false);
    const auto grace =
        reader_.integer(options, form(kStopMembers, "grace_seconds", Kind::kInteger));
    out.grace = std::chrono::seconds(grace.value_or(0));
    if (!out.tuning_job || !grace) return true;
    reader_.diagnostics.error(
        reader_.where,
        "`tuning_job` and `grace_seconds` exclude each other: a stop with all "
        "that a tuning job runs is not announced");
    return false;
  }

  bool notify(json::Value options, Action& out) {
    if (!reader_.check_object(options, "options of notify")) return false;
    reader_.check_members(options, kNotifyNames);
    const bool given = reader_.require(options, required(kNotifyMembers, "topic")).has_value();
    const auto topic = reader_.string(options, "topic");
    if (!given || !topic) return false;
    out.topic = *topic;
    const bool fifo = topic->ends_with(".fifo");  // publishing to one needs a message group
    if (topic->starts_with("arn:") && topic->find(":sns:") != std::string_view::npos && !fifo)
      return true;
    JsonPath::Step step(reader_.where, "topic");
    reader_.diagnostics.error(reader_.where,
                              fmt::format("expected the ARN of an SNS topic{}, found `{}`",
                                          fifo ? " that is not a FIFO topic" : "", *topic));
    return false;
  }

  bool restart(json::Value options, Restart& out) {
    if (!options.is_object()) {
      reader_.diagnostics.error(
          reader_.where,
          fmt::format("expected options of restart (an object), found {}", shown(options)));
      return false;
    }
    reader_.check_members(options, kRestartNames);
    out.spot = reader_.boolean(options, form(kRestartMembers, "spot", Kind::kBoolean).name);
    out.limit = reader_.integer(options, form(kRestartMembers, "limit", Kind::kInteger))
                    .value_or(out.limit);
    out.min_progress_seconds =
        reader_.integer(options, form(kRestartMembers, "min_progress_seconds", Kind::kInteger))
            .value_or(out.min_progress_seconds);
    settings(options, out);
    const auto types = options.find("instance_types");
    if (!types) return true;
    JsonPath::Step step(reader_.where, "instance_types");
    if (!types->is_array() || types->size() == 0) {
      reader_.unexpected("a list of instance types", *types);
      return false;
    }
    std::size_t index = 0;
    for (json::Value type : types->elements()) {
      JsonPath::Step step_in(reader_.where, index++);
      if (!type.is_string())
        reader_.unexpected(kInstanceTypeForm, type);
      else if (reader_.instance_type(type.as_string()))
        out.instance_types.emplace_back(type.as_string());
    }
    fits_item(out);
    return true;
  }

  void settings(json::Value options, Restart& restart) {
    const auto integer = [&](const MemberForm& form) { return reader_.integer(options, form); };
    CopySettings& out = restart.settings;
    out.max_runtime_seconds = integer(form(kRestartMembers, "max_runtime_seconds", Kind::kInteger));
    out.max_wait_seconds = integer(form(kRestartMembers, "max_wait_seconds", Kind::kInteger));
    out.instance_count = integer(form(kRestartMembers, "instance_count", Kind::kInteger));
    out.hyperparameters = read_entry_changes(options, kHyperParameters, reader_);
    out.environment = read_entry_changes(options, kEnvironment, reader_);
    check_settings(out, restart.spot, reader_);
  }

  // What is remembered of a restart until its copy is made has room for as many (A2).
  void fits_item(const Restart& restart) {
    if (restart.instance_types.size() <= kMostInstanceTypes) return;
    reader_.diagnostics.error(reader_.where,
                              fmt::format("expected at most {} instance types, found {}",
                                          kMostInstanceTypes, restart.instance_types.size()));
  }

  bool watch(json::Value options, Action& out) {
    if (!options.is_array() || options.size() == 0) {
      reader_.unexpected("a list of names of watches", options);
      return false;
    }
    std::vector<std::string_view> known;
    for (const Watch& watch : watches_) known.push_back(watch.name);
    std::size_t index = 0;
    for (json::Value item : options.elements()) {
      JsonPath::Step step(reader_.where, index++);
      const std::string_view text = item.is_string() ? item.as_string() : std::string_view();
      if (!item.is_string() || std::ranges::find(known, text) == known.end()) {
        reader_.diagnostics.error(
            reader_.where, fmt::format("expected the name of a watch{}{}, found `{}`{}",
                                       known.empty() ? ", of which the policy has none" : ", ",
                                       one_of(known), item.excerpt(), did_you_mean(text, known)));
      } else if (std::ranges::find(out.watches, text) != out.watches.end()) {
        reader_.diagnostics.error(reader_.where,
                                  fmt::format("expected each watch once, found `{}` again", text));
      } else {
        out.watches.emplace_back(text);
      }
    }
    return true;
  }

  bool tag(json::Value options, Action& out) {
    if (!options.is_object() || options.size() == 0) {
      reader_.unexpected("tags (an object of keys and values)", options);
      return false;
    }
    for (json::Member member : options.members()) {
      JsonPath::Step step(reader_.where, member.name);
      if (!tag_key(member.name)) continue;
      if (!member.value.is_string()) {
        reader_.unexpected("a string", member.value);
      } else if (length(member.value.as_string()) > kLongestTagValue ||
                 !is_tag_text(member.value.as_string())) {
        reader_.unexpected("at most 256 letters, digits, spaces and _ . : / = + - @", member.value);
      } else {
        out.tags.emplace_back(member.name, member.value.as_string());
      }
    }
    return true;
  }

  bool tag_key(std::string_view key) {
    if (key.empty() || length(key) > kLongestTagKey || !is_tag_text(key)) {
      reader_.diagnostics.error(
          reader_.where, "expected a key of 1 to 128 letters, digits, spaces and _ . : / = + - @");
      return false;
    }
    for (std::string_view reserved : kReservedTagPrefixes) {
      if (!begins_ignoring_case(key, reserved)) continue;
      reader_.diagnostics.error(reader_.where,
                                fmt::format("keys that begin with `{}` are reserved", reserved));
      return false;
    }
    return true;
  }

  std::span<const Watch> watches_;
  Reader& reader_;
};

// Whether a rule that asks for the one must not ask for the other: a job is stopped or restarted in
// one way only.
bool repeats(const Action& a, const Action& b) {
  if (a.kind != b.kind) return false;
  return a == b || acts_on_job(a.kind);
}

}  // namespace

std::span<const ActionForm> action_forms() { return kActions; }
std::span<const MemberForm> restart_members() { return kRestartMembers; }
std::span<const MemberForm> stop_members() { return kStopMembers; }
std::span<const MemberForm> notify_members() { return kNotifyMembers; }

std::string_view name(ActionKind action) { return kActionNames[static_cast<std::size_t>(action)]; }

bool only_watches(std::span<const Action> actions) {
  return std::ranges::all_of(
      actions, [](ActionKind kind) { return kind == ActionKind::kWatch; }, &Action::kind);
}

std::vector<Action> read_actions(json::Value list, std::span<const Watch> watches, Reader& reader) {
  std::vector<Action> out;
  if (!list.is_array() || list.size() == 0) {
    reader.unexpected(fmt::format("a list of actions, {}", one_of(kActionNames)), list);
    return out;
  }
  constexpr std::size_t kUsual = 4;  // whatever the list's length: each kind comes once
  out.reserve(std::min(list.size(), kUsual));
  ActionReader read(watches, reader);
  std::size_t index = 0;
  for (json::Value item : list.elements()) {
    JsonPath::Step step(reader.where, index++);
    std::optional<Action> action = read.action(item);
    if (!action) continue;
    const bool again =
        std::ranges::any_of(out, [&](const Action& other) { return repeats(*action, other); });
    if (again) {
      reader.diagnostics.error(
          reader.where,
          fmt::format("expected each action once, found `{}` again", name(action->kind)));
    }
    out.push_back(std::move(*action));
  }
  return out;
}

}  // namespace trainwarden::rules
