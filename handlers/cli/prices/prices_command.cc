#include "handlers/cli/prices/prices_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "awsapi/client.h"
#include "awsapi/price_list.h"
#include "awsapi/retry.h"
#include "handlers/cli/prices/listed_prices.h"
#include "handlers/cli/terminal/command_line.h"
#include "handlers/rules/job/instances.h"
#include "handlers/rules/patterns/nearest.h"

namespace trainwarden::cli {
namespace {

constexpr std::chrono::minutes kTimeForPrices{2};

// How to reach the price list: requests are signed for the region that answers for this one.
Result<aws::ClientConfig> price_list_config(std::string_view region, const Environment& environment,
                                            aws::CredentialSource& credentials) {
  TRY(std::string answering, aws::price_list_region(region));
  TRY(const auto max_attempts, aws::max_attempts_from(environment));
  TRY(aws::Endpoints endpoints, aws::Endpoints::from(environment, answering));
  return aws::ClientConfig{
      {}, std::move(answering), max_attempts, std::move(endpoints), &credentials};
}

// Says why the list has nothing for the region.
Error no_such_region(const std::string& region, const aws::PriceList& list,
                     const aws::CallContext& context) {
  const auto nothing = [&region](std::string_view more) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("the price list has no training machines in `{}`{}", region, more)};
  };
  auto regions = list.get_attribute_values(context);
  if (!regions)
    return nothing(
        fmt::format("; which regions it has could not be asked: {}", regions.error().message));
  std::ranges::sort(*regions);
  if (std::ranges::binary_search(*regions, region))
    return nothing(", though it has other prices of SageMaker there");
  const std::vector<std::string_view> known(regions->begin(), regions->end());
  return nothing(fmt::format(", a region that it does not know; it has {}{}",
                             fmt::join(known, ", "), rules::did_you_mean(region, known)));
}

Result<ListedPrices> ask_prices(const std::string& region, const aws::PriceList& list,
                                const aws::CallContext& context) {
  ListedPrices out(region);
  const auto each = [&out](json::Value product) -> Result<void> {
    out.add(product);
    return {};
  };
  CHECK_OK(list.get_products(region, each, context));
  if (out.empty()) return fail(no_such_region(region, list, context));
  return out;
}

// Names the machines with GPUs for which the table has no price.
std::string about_missing(const ListedPrices& listed, std::string_view region) {
  std::vector<std::string_view> missing = rules::gpu_types();
  std::erase_if(missing, [&listed](std::string_view type) { return listed.has(type); });
  if (missing.empty()) return {};
  return fmt::format("trainwarden: prices: none in {} for {}\n", region, fmt::join(missing, ", "));
}

Result<Printed> try_prices(const PricesInputs& inputs, const Environment& environment,
                           aws::CredentialSource& credentials, http::Transport& transport,
                           Clock& clock) {
  std::string region = inputs.aws.region;
  if (region.empty()) {
    TRY(region, aws::region_from(environment));
  }
  TRY(const ListedPrices listed, list_prices(region, environment, credentials, transport, clock));
  const auto now = std::chrono::floor<std::chrono::seconds>(clock.now());
  return Printed{0, printable_lines(listed.table(now)), about_missing(listed, region)};
}

}  // namespace

Result<ListedPrices> list_prices(const std::string& region, const Environment& environment,
                                 aws::CredentialSource& credentials, http::Transport& transport,
                                 Clock& clock, aws::Pace* pace) {
  TRY(aws::ClientConfig config, price_list_config(region, environment, credentials));
  aws::Client client(std::move(config), transport, clock, aws::random_jitter());
  const aws::CallContext context{.deadline = Deadline::at(clock.steady_now() + kTimeForPrices),
                                 .trace_id = {},
                                 .made = nullptr,
                                 .pace = pace};
  return ask_prices(region, aws::PriceList(client), context);
}

Result<PricesInputs> read_prices_arguments(std::span<char* const> arguments) {
  PricesInputs inputs;
  CHECK_OK(read_arguments(arguments, aws_options(inputs.aws, {})));
  const std::string& region = inputs.aws.region;
  if (!region.empty() && !aws::has_form_of_region(region))
    return wrong_argument(
        fmt::format("--region: expected a region such as eu-central-1, found `{}`", region));
  return inputs;
}

Printed prices(const PricesInputs& inputs, const Environment& environment,
               aws::CredentialSource& credentials, http::Transport& transport, Clock& clock) {
  auto printed = try_prices(inputs, environment, credentials, transport, clock);
  if (printed) return *std::move(printed);
  return {2, {}, fmt::format("trainwarden: prices: {}\n", printable(printed.error().message))};
}

}  // namespace trainwarden::cli
