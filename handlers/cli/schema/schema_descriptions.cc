#include <algorithm>
#include <array>
#include <string>

#include "handlers/cli/schema/policy_schema.h"
#include "handlers/cli/schema/schema_sink.h"

namespace trainwarden::cli {
namespace {

constexpr std::array kDescriptions = {
    Description{"action.notify", "Tells people at a topic of its own."},
    Description{"action.restart", "Runs the job again from its checkpoint."},
    Description{"action.stop", "Stops the job, or what launched it."},
    Description{"action.tag", "Writes tags to the job."},
    Description{"action.watch", "Puts alarms on the job: names of watches."},
    Description{"failure.label", "What the job failed of."},
    Description{"failure.resume", "Whether to run the job again."},
    Description{"failure.text",
                "What a line of the failure says, in any case; * for anything in between."},
    Description{"failure.why", "For the people who ask why."},
    Description{"group.alarm", "The alarm that called."},
    Description{"group.checkpoint",
                "What lies at CheckpointConfig.S3Uri; absent where the job has none."},
    Description{"group.cost",
                "USD. A rule that uses them is skipped for a job on a machine without a price."},
    Description{"group.event", "What called Trainwarden, and the account and region of the job."},
    Description{"group.failure", "Why the job failed."},
    Description{"group.fleet",
                "What happened within 24 hours to other jobs with a machine type of this one."},
    Description{"group.job", "Members of DescribeTrainingJob's answer, down to its leaves."},
    Description{"group.lineage", "Which job this one is a copy of, and what launched it."},
    Description{"group.logs",
                "For how long a job that trains has not written a line; asked as a lower bound."},
    Description{"group.resources", "The job's machines, instance groups included."},
    Description{"group.runtime", "Seconds."},
    Description{"group.spot", "Interruptions of managed spot training."},
    Description{"group.tags", "The job's tags. Keys are literal: a dot does not split them."},
    Description{"group.time",
                "Now, in UTC: hour 0-23, weekday mon...sun, date YYYYMMDD as a number."},
    Description{"group.until",
                "Seconds from now to the time in a tag, by its key; absent where it has none."},
    Description{"group.warm_pool",
                "The machines that are kept after the job's end for another one."},
    Description{"limits.restarts_per_hour",
                "Jobs that are run again within any 60 minutes; more are held back and reported."},
    Description{"limits.silent_stops_per_hour",
                "Jobs that are stopped because they fell silent. If more fall silent within an "
                "hour, that is an outage: none of them is stopped, and it is reported."},
    Description{"limits.stops_per_hour",
                "Jobs that are stopped within any 60 minutes; more are held back and reported."},
    Description{
        "limits.stops_per_sweep",
        "A rule that would stop more jobs in one sweep because of what describes them stops "
        "the costliest of them, or none in the first day after an edit, and the sweep "
        "fails; what a measurement confirmed does not count. Of copies of jobs that nothing "
        "decided on at their end, counted apart, none is made."},
    Description{"notices.contact",
                "Whom those who are told may ask about a rule: a name, a channel, an address."},
    Description{"notices.format",
                "chat: the custom notification schema of Amazon Q Developer in chat applications."},
    Description{"notices.owner_tag",
                "The key of the tag that names a job's owner, for the message attribute owner; "
                "without it, and where a job lacks it: owner."},
    Description{"notify.topic", "The ARN of an SNS topic."},
    Description{"operator.anything-but", "Any leaf but these."},
    Description{"operator.cidr", "An IP address of a network, such as 10.0.0.0/8."},
    Description{"operator.equals-ignore-case", "This text, in capital or small letters."},
    Description{"operator.exactly", "This text."},
    Description{"operator.exists",
                "true: the leaf is there, whatever its value; false: it is not."},
    Description{"operator.numeric", "For example [\">=\", 0, \"<\", 8]."},
    Description{"operator.prefix", "A text that begins so."},
    Description{"operator.suffix", "A text that ends so."},
    Description{"operator.wildcard", "* stands for anything; \\* and \\\\ for themselves."},
    Description{"pattern.$or", "One of these patterns must match beside the rest."},
    Description{"pattern.alternatives", "One of these must match beside the rest."},
    Description{"pattern.values", "One of these must match a leaf of this path."},
    Description{"policy.",
                "Which training jobs break a rule, and what to do about it. policy.md explains it. "
                "The loader checks more: that every path names a leaf of DescribeTrainingJob's "
                "answer, that rule names differ, that no path is given twice, that watches exist, "
                "networks and lower and upper bounds. Made by `trainwarden schema`."},
    Description{"policy.$schema", "Where editors find this schema."},
    Description{"policy.failures", "A team's own signatures of failures, before Trainwarden's."},
    Description{"policy.limits", "What one bad edit may do at most."},
    Description{"policy.mode",
                "observe decides and logs; notify also tells people; enforce also acts. The "
                "weakest of the rule's, the policy's and TRAINWARDEN_MODE counts."},
    Description{"policy.notify", "How people are told."},
    Description{
        "policy.prices",
        "USD an hour and instance on demand, by instance type; `trainwarden prices` prints them."},
    Description{"policy.rules", "What must not be, and what to do about it."},
    Description{"policy.since", "Stops and restarts ignore jobs created before this time."},
    Description{"policy.unless", "Exempts the jobs that it matches from every rule."},
    Description{"policy.version", "Of the form of policies."},
    Description{"policy.watches", "Alarm definitions by name."},
    Description{"price.spot_factor",
                "What share of usd managed spot training pays; counts before prices.spot_factor."},
    Description{"price.usd", "An hour and instance on demand."},
    Description{"prices.spot_factor",
                "What share of its price managed spot training pays; for all types without their "
                "own. Without it the cost of a spot job that runs is an upper bound."},
    Description{"restart.environment",
                "Environment variables of the copy: a string sets one, null removes it."},
    Description{"restart.hyperparameters",
                "Hyperparameters of the copy: a string sets one, null removes it."},
    Description{"restart.instance_count", "Of the copy; not for jobs of instance groups."},
    Description{
        "restart.instance_types",
        "Machine types to take in turn where there is no capacity; else as the job had it."},
    Description{"restart.limit", "Of generations."},
    Description{"restart.max_runtime_seconds", "How long the copy may run."},
    Description{"restart.max_wait_seconds",
                "How long a copy on spot may wait and run in all; max_runtime_seconds or more."},
    Description{"restart.min_progress_seconds",
                "A job that fails the way its parent did after less training is not run again."},
    Description{"restart.spot", "Managed spot training or not; as the job had it where missing."},
    Description{"rule.actions", "What to do about a job that matches; each once."},
    Description{"rule.match",
                "An EventBridge event pattern over fact groups, or a list of patterns of which one "
                "must match."},
    Description{"rule.message", "For the people who are told."},
    Description{"rule.mode", "The rule's own mode; see the policy's."},
    Description{"rule.name", "Unique in the policy; at most 128 bytes."},
    Description{"rule.unless", "Exempts the jobs that it matches."},
    Description{
        "stop.grace_seconds",
        "People are told so long before the job is stopped; it is not stopped if the rule no "
        "longer matches then."},
    Description{"stop.tuning_job",
                "Of a job that a tuning or AutoML job launched, that one is stopped: it ends every "
                "training job that it runs, healthy ones too."},
    Description{"watch.", "One alarm definition."},
    Description{"watch.above", "Breaches above this value."},
    Description{"watch.at_least", "Breaches at this value and above."},
    Description{"watch.at_most", "Breaches at this value and below."},
    Description{"watch.below", "Breaches below this value."},
    Description{"watch.datapoints",
                "How many of the periods must breach; all where it is missing."},
    Description{"watch.drop_to",
                "Breaches below this share of the median of the metric in the job's first six "
                "hours."},
    Description{"watch.first_within_seconds",
                "How long a Training segment may take to its first datapoint; without it, silence "
                "before that proves nothing."},
    Description{"watch.hosts",
                "every: all hosts breach; any: one does; first: algo-1 only; mean: of all hosts."},
    Description{"watch.metric",
                "Of SageMaker's instances; of an algorithm any name of its MetricDefinitions."},
    Description{"watch.missing", "How CloudWatch takes missing data."},
    Description{"watch.per_core", "The threshold counts for each vCPU of a machine."},
    Description{"watch.per_gpu", "The threshold counts for each GPU of a machine."},
    Description{"watch.period_seconds", "The length of a period."},
    Description{"watch.periods", "How many of the latest periods are looked at."},
    Description{"watch.source",
                "Whose metric: SageMaker's of the machines, or one that the algorithm prints."},
    Description{"watch.statistic", "Of the values of a period; p90 is a percentile."},
    Description{"watch.warmup_seconds", "From the start of the current Training segment."},
};

static_assert(std::ranges::is_sorted(kDescriptions, {}, &Description::of));

}  // namespace

std::span<const Description> schema_descriptions() { return kDescriptions; }

std::string_view schema_description(std::string_view kind, std::string_view name) {
  const std::string of = std::string(kind) + '.' + std::string(name);
  const auto at =
      std::ranges::lower_bound(kDescriptions, std::string_view(of), {}, &Description::of);
  return at != kDescriptions.end() && at->of == of ? at->text : std::string_view();
}

void SchemaSink::describe(std::string_view kind, std::string_view name) {
  const std::string_view text = schema_description(kind, name);
  if (!text.empty()) out.member("description", text);
}

}  // namespace trainwarden::cli
