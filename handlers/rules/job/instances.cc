#include "handlers/rules/job/instances.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "handlers/rules/job/aws_tables.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

// "p5" of "ml.p5.48xlarge"
std::string_view family(std::string_view type) {
  constexpr std::string_view kPrefix = "ml.";
  if (!type.starts_with(kPrefix)) return {};
  type.remove_prefix(kPrefix.size());
  return type.substr(0, type.find('.'));
}

const InstanceTypeRow* row_of(std::string_view type) {
  const auto rows = instance_type_rows();
  const auto at = std::ranges::lower_bound(rows, type, {}, &InstanceTypeRow::type);
  return at != rows.end() && at->type == type ? &*at : nullptr;
}

const FamilyRow* family_row_of(std::string_view type) {
  const auto rows = family_rows();
  const std::string_view name = family(type);
  const auto at = std::ranges::lower_bound(rows, name, {}, &FamilyRow::family);
  return at != rows.end() && at->family == name ? &*at : nullptr;
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

std::optional<int> gpus_per_instance(std::string_view type) {
  if (const InstanceTypeRow* const row = row_of(type)) return row->gpus;
  const FamilyRow* const of_family = family_row_of(type);
  return of_family != nullptr && of_family->without_gpus ? std::optional(0) : std::nullopt;
}

std::optional<int> vcpus_per_instance(std::string_view type) {
  if (const InstanceTypeRow* const row = row_of(type)) return row->vcpus;
  if (family_row_of(type) == nullptr) return std::nullopt;
  return vcpus_of_size(type.substr(type.rfind('.') + 1));
}

int gpus_or_one(std::string_view type) { return gpus_per_instance(type).value_or(1); }

std::optional<std::string_view> accelerator(std::string_view type) {
  const std::optional<int> gpus = gpus_per_instance(type);
  if (is_neuron(type)) return "neuron";
  if (gpus) return *gpus > 0 ? "gpu" : "none";
  const std::string_view name = family(type);
  if (has_number_after(name, "p") || has_number_after(name, "g") || has_number_after(name, "gr"))
    return "gpu";
  return std::nullopt;
}

std::optional<std::string_view> accelerator_of(const TrainingJob& job) {
  bool neuron = false;
  bool unknown = false;
  for (const Instances& some : job.instances) {
    const auto kind = accelerator(some.type);
    if (kind == "gpu") return kind;
    neuron = neuron || kind == "neuron";
    unknown = unknown || !kind;
  }
  if (unknown || job.instances.empty()) return std::nullopt;
  return neuron ? "neuron" : "none";
}

std::vector<std::string_view> gpu_types() {
  std::vector<std::string_view> out;
  for (const InstanceTypeRow& row : instance_type_rows())
    if (row.gpus > 0) out.push_back(row.type);
  return out;
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
    out += fmt::format("{}{} x {}",
                       out.empty()  ? ""
                       : job.one_of ? " or "
                                    : ", ",
                       static_cast<std::int64_t>(some.count), some.type);
  return out;
}

}  // namespace trainwarden::rules
