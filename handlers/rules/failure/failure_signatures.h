// What failed training jobs say, and what it means: one ordered table. Each row names a label, a
// resume verdict, the phrases that give it away, and why. diagnose.cc decides which row counts
// where several are found; numbers (Xids, free memory, limits) are read there too.
//
// Sources: the messages of PyTorch, NCCL, libfabric, TensorFlow, XLA, Neuron, CUDA and its Xids
// (https://docs.nvidia.com/deploy/xid-errors), MPI, Slurm, Kubernetes, botocore, Docker, and
// https://docs.aws.amazon.com/sagemaker/latest/dg/model-train-resource-limitations.html and the
// pages beside it for SageMaker's own.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace trainwarden::rules {

// What outranks what: the root over its consequences, specific words over general ones.
enum class Rank : std::uint8_t {
  kMachine,      // a broken machine explains whatever else is said
  kCause,        // words that name one cause
  kException,    // the program's own failure
  kSymptom,      // what a lost peer, a time limit or a signal leaves behind
  kHint,         // a word of a failure's line that says what it was about
  kConsequence,  // what the loss of another process leaves behind
  kWrapper,      // says only that something failed
};

struct Signature {
  Rank rank;
  std::string_view label;
  std::string_view resume;  // yes, once, no
  // Lower-case, separated by ` | `; a `*` stands for anything within one line. Runs of blanks count
  // as one. Each begins with at least three other characters.
  std::string_view phrases;
  std::string_view why;
  std::string_view unless = {};  // phrases that, on the same line, say that it means another thing
};

// In the order of their weight: of two rows of one rank on one line, the first counts.
std::span<const Signature> failure_signatures();

}  // namespace trainwarden::rules
