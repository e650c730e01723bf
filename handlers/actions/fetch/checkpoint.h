// What lies at a training job's CheckpointConfig.S3Uri: whether there is something to go on from,
// and how old the newest of it is.
#pragma once

#include "handlers/actions/context/job.h"
#include "handlers/rules/outcome/resume.h"
#include "runtime/base/result.h"
#include "runtime/json/json.h"

namespace trainwarden::actions {

// As the document of rules::Source::kCheckpoint: {"exists": …, "age_seconds": …}; {} of a job that
// writes no checkpoints. age_seconds is absent where nothing lies there, and while the job is in
// progress and does not train, since nobody writes then; while it trains, it is no more than its
// Training segment lasts. An error where the bucket is none of TRAINWARDEN_CHECKPOINT_BUCKETS,
// where it cannot be listed, and where more lies there than a few pages tell.
Result<json::Document> checkpoint_facts(const JobRef& job, const rules::TrainingJob& described,
                                        const Apis& apis);

// What a copy of the job finds there, for people: one page, within a few seconds.
rules::Resume look_for_checkpoint(const rules::TrainingJob& job, const Apis& apis);

}  // namespace trainwarden::actions
