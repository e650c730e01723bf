// The regular expressions of the service models in use, as plain functions: the whole text must
// match.
#pragma once

#include "tests/localaws/service/shape.h"

namespace trainwarden::localaws::patterns {

extern const Pattern kTrainingJobName;
extern const Pattern kNameContains;
extern const Pattern kTag;  // keys and values
extern const Pattern kRoleArn;
extern const Pattern kResourceArn;
extern const Pattern kS3Uri;
extern const Pattern kChannelName;
extern const Pattern kKmsKeyId;
extern const Pattern kVpcId;
extern const Pattern kEnvironmentKey;
extern const Pattern kInstanceType;
extern const Pattern kNamespace;  // of metrics
extern const Pattern kLogGroup;
extern const Pattern kLogStream;

}  // namespace trainwarden::localaws::patterns
