#include "handlers/rules/job/instances.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

struct Gpus {
  std::string_view type;
  int count;
};

// Sorted by type.
constexpr std::array<Gpus, 45> kGpus = {{
    {"ml.g4dn.12xlarge", 4}, {"ml.g4dn.16xlarge", 1},    {"ml.g4dn.2xlarge", 1},
    {"ml.g4dn.4xlarge", 1},  {"ml.g4dn.8xlarge", 1},     {"ml.g4dn.xlarge", 1},
    {"ml.g5.12xlarge", 4},   {"ml.g5.16xlarge", 1},      {"ml.g5.24xlarge", 4},
    {"ml.g5.2xlarge", 1},    {"ml.g5.48xlarge", 8},      {"ml.g5.4xlarge", 1},
    {"ml.g5.8xlarge", 1},    {"ml.g5.xlarge", 1},        {"ml.g6.12xlarge", 4},
    {"ml.g6.16xlarge", 1},   {"ml.g6.24xlarge", 4},      {"ml.g6.2xlarge", 1},
    {"ml.g6.48xlarge", 8},   {"ml.g6.4xlarge", 1},       {"ml.g6.8xlarge", 1},
    {"ml.g6.xlarge", 1},     {"ml.g6e.12xlarge", 4},     {"ml.g6e.16xlarge", 1},
    {"ml.g6e.24xlarge", 4},  {"ml.g6e.2xlarge", 1},      {"ml.g6e.48xlarge", 8},
    {"ml.g6e.4xlarge", 1},   {"ml.g6e.8xlarge", 1},      {"ml.g6e.xlarge", 1},
    {"ml.p2.16xlarge", 16},  {"ml.p2.8xlarge", 8},       {"ml.p2.xlarge", 1},
    {"ml.p3.16xlarge", 8},   {"ml.p3.2xlarge", 1},       {"ml.p3.8xlarge", 4},
    {"ml.p3dn.24xlarge", 8}, {"ml.p4d.24xlarge", 8},     {"ml.p4de.24xlarge", 8},
    {"ml.p5.48xlarge", 8},   {"ml.p5.4xlarge", 1},       {"ml.p5e.48xlarge", 8},
    {"ml.p5en.48xlarge", 8}, {"ml.p6-b200.48xlarge", 8}, {"ml.p6e-gb200.36xlarge", 4},
}};

// Sorted. Their sizes count alike: `large` has two vCPUs, `xlarge` four and `<n>xlarge` n times
// four. https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html and the pages
// of each family
constexpr std::array<std::string_view, 54> kFamiliesBySize = {
    "c4",      "c5",        "c5d",  "c5n", "c6i",  "c6id",  "c6in", "c7i",   "c8i",
    "g4dn",    "g5",        "g6",   "g6e", "g7e",  "inf1",  "inf2", "m4",    "m5",
    "m5d",     "m5dn",      "m5n",  "m6i", "m6id", "m6idn", "m6in", "m7i",   "m8i",
    "p2",      "p3",        "p3dn", "p4d", "p4de", "p5",    "p5e",  "p5en",  "p6-b200",
    "p6-b300", "p6e-gb200", "r4",   "r5",  "r5d",  "r5dn",  "r5n",  "r6i",   "r6id",
    "r6idn",   "r6in",      "r7i",  "r8i", "t2",   "t3",    "trn1", "trn1n", "trn2"};

struct Vcpus {
  std::string_view type;
  int count;
};

// Of those families, what does not follow from its size.
constexpr std::array<Vcpus, 1> kOddVcpus = {{{"ml.c4.8xlarge", 36}}};

const Gpus* listed(std::string_view type) {
  const auto* const at = std::ranges::lower_bound(kGpus, type, {}, &Gpus::type);
  return at != kGpus.end() && at->type == type ? &*at : nullptr;
}

// "p5" of "ml.p5.48xlarge"
std::string_view family(std::string_view type) {
  constexpr std::string_view kPrefix = "ml.";
  if (!type.starts_with(kPrefix)) return {};
  type.remove_prefix(kPrefix.size());
  return type.substr(0, type.find('.'));
}

// Of "xlarge", "12xlarge" and so on.
std::optional<int> vcpus_of_size(std::string_view size) {
  constexpr int kOfXlarge = 4;
  constexpr int kMostTimes = 256;
  if (size == "medium" || size == "large") return kOfXlarge / 2;
  if (size == "xlarge") return kOfXlarge;
  int times = 0;
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), times);
  const std::string_view rest = size.substr(static_cast<std::size_t>(end - size.data()));
  if (error != std::errc() || times < 2 || times > kMostTimes || rest != "xlarge")
    return std::nullopt;
  return times * kOfXlarge;
}

bool has_number_after(std::string_view text, std::string_view letters) {
  return text.starts_with(letters) && text.size() > letters.size() &&
         is_digit(text[letters.size()]);
}

// How many `xlarge` the size of a type is: 48 of "ml.p5.48xlarge", half a one of "large".
double size_of(std::string_view type) {
  const std::string_view size = type.substr(type.rfind('.') + 1);
  const std::size_t digits = std::min(size.find_first_not_of("0123456789"), size.size());
  const std::string_view unit = size.substr(digits);
  if (unit == "large") return 0.5;
  if (unit == "medium") return 0.25;
  if (unit == "xlarge")
    if (const auto number = whole_number(size.substr(0, digits), 1))
      return static_cast<double>(*number);
  return 1;
}

}  // namespace

int gpus_per_instance(std::string_view type) {
  if (const Gpus* row = listed(type)) return row->count;
  return is_unlisted_gpu(type) ? 1 : 0;
}

std::vector<std::string_view> gpu_types() {
  std::vector<std::string_view> out;
  out.reserve(kGpus.size());
  for (const Gpus& row : kGpus) out.push_back(row.type);
  return out;
}

bool is_unlisted_gpu(std::string_view type) {
  if (listed(type) != nullptr) return false;
  const std::string_view name = family(type);
  return has_number_after(name, "p") || has_number_after(name, "g") || has_number_after(name, "gr");
}

std::optional<int> vcpus_per_instance(std::string_view type) {
  const auto* const odd = std::ranges::find(kOddVcpus, type, &Vcpus::type);
  if (odd != kOddVcpus.end()) return odd->count;
  if (!std::ranges::binary_search(kFamiliesBySize, family(type))) return std::nullopt;
  return vcpus_of_size(type.substr(type.rfind('.') + 1));
}

double rough_usd_per_hour(std::string_view type) {
  constexpr double kPlain = 0.23;  // USD an hour and `xlarge`
  constexpr double kTraining = 1.7;
  constexpr double kGraphics = 0.45;
  constexpr double kNeuron = 0.7;
  const std::string_view name = family(type);
  double each = kPlain;
  if (has_number_after(name, "p")) each = kTraining;
  if (has_number_after(name, "g") || has_number_after(name, "gr")) each = kGraphics;
  if (is_neuron(type)) each = kNeuron;
  return each * size_of(type);
}

bool is_neuron(std::string_view type) {
  const std::string_view name = family(type);
  return has_number_after(name, "trn") || has_number_after(name, "inf");
}

std::string instances_text(const TrainingJob& job) {
  std::string out;
  for (const Instances& some : job.instances)
    out += fmt::format("{}{} x {}", out.empty() ? "" : ", ", static_cast<std::int64_t>(some.count),
                       some.type);
  return out;
}

}  // namespace trainwarden::rules
