// Members of CreateTrainingJob that exclude or need each other. Texts in quotes in the tests were
// seen from AWS; the others only say the same as AWS's documentation.
#include <fmt/format.h>

#include <set>
#include <string_view>

#include "tests/localaws/sagemaker/sagemaker.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

std::int64_t number_of(Value object, std::string_view name) {
  const auto found = object.find_present(name);
  return found ? found->as_integer().value_or(0) : 0;
}

Answer<void> check_algorithm(Value input) {
  const auto algorithm = input.find_present("AlgorithmSpecification");
  if (!algorithm) {
    if (input.find_present("ServerlessJobConfig")) return {};
    return invalid("AlgorithmSpecification is required.");
  }
  const bool image = algorithm->find_present("TrainingImage").has_value();
  const bool name = algorithm->find_present("AlgorithmName").has_value();
  if (image == name)
    return invalid(
        "You must specify either the algorithm name or the training image, but not both.");
  return {};
}

// https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_InstancePreference.html
Answer<void> check_preferences(Value input, Value resources) {
  for (const std::string_view member :
       {"InstanceType", "InstanceGroups", "InstancePlacementConfig"})
    if (resources.find_present(member))
      return invalid(fmt::format("InstancePreferences and {} are mutually exclusive.", member));
  if (const auto spot = input.find_present("EnableManagedSpotTraining"); spot && spot->as_boolean())
    return invalid("InstancePreferences and EnableManagedSpotTraining are mutually exclusive.");
  const bool once = resources.find_present("InstanceCount").has_value();
  const Value list = *resources.find_present("InstancePreferences");
  std::set<std::string_view> types;
  for (const Value one : list.elements()) {
    if (one.find_present("InstanceCount").has_value() == once)
      return invalid("InstanceCount must be set on every preference or once in ResourceConfig.");
    if (one.find_present("TrainingPlanArns") && resources.find_present("TrainingPlanArn"))
      return invalid("TrainingPlanArns and TrainingPlanArn are mutually exclusive.");
    if (!types.insert(one.find_present("InstanceType")->as_string()).second)
      return invalid("An instance type can appear only once in InstancePreferences.");
  }
  return {};
}

Answer<void> check_resources(Value input) {
  const auto resources = input.find_present("ResourceConfig");
  if (!resources) {
    if (input.find_present("ServerlessJobConfig")) return {};
    return invalid("ResourceConfig is required.");
  }
  for (const std::string_view member : {"SelectedInstanceType", "SelectedInstanceCount"})
    if (resources->find_present(member))
      return invalid(fmt::format("{} is read-only and isn't accepted.", member));
  if (resources->find_present("InstancePreferences")) return check_preferences(input, *resources);
  const bool groups = resources->find_present("InstanceGroups").has_value();
  const bool type = resources->find_present("InstanceType").has_value();
  if (groups == type)
    return invalid("ResourceConfig must have either InstanceType or InstanceGroups, not both.");
  if (type && number_of(*resources, "InstanceCount") < 1)
    return invalid("InstanceCount must be at least 1.");
  if (groups && resources->find_present("InstanceCount"))
    return invalid("InstanceCount must not be given together with InstanceGroups.");
  return {};
}

Answer<void> check_stopping(Value input) {
  const auto condition = input.find_present("StoppingCondition");
  if (!condition) return {};
  constexpr std::int64_t kMost = 28L * 86400;
  const auto runtime = condition->find_present("MaxRuntimeInSeconds");
  if (runtime && number_of(*condition, "MaxRuntimeInSeconds") > kMost)
    return invalid("MaxRuntimeInSeconds must not exceed 2419200.");
  const auto flag = input.find_present("EnableManagedSpotTraining");
  const bool spot = flag && flag->as_boolean();
  const auto wait = condition->find_present("MaxWaitTimeInSeconds");
  if (wait && !spot)
    return invalid(
        "Invalid MaxWaitTimeInSeconds. It must not be present when EnableManagedSpotTraining is "
        "false.");
  if (spot && (!wait || number_of(*condition, "MaxWaitTimeInSeconds") <
                            number_of(*condition, "MaxRuntimeInSeconds")))
    return invalid(
        "Invalid MaxWaitTimeInSeconds. It must be present and be greater than or equal to "
        "MaxRuntimeInSeconds");
  return {};
}

}  // namespace

Answer<void> check_create(Value input) {
  if (auto ok = check_algorithm(input); !ok) return ok;
  if (auto ok = check_resources(input); !ok) return ok;
  return check_stopping(input);
}

}  // namespace trainwarden::localaws
