// `trainwarden prices`: what training machines cost in a region by AWS's price list, as the member
// `prices` of a policy.
#pragma once

#include <span>
#include <string>

#include "awsapi/credentials.h"
#include "handlers/cli/listed_prices.h"
#include "handlers/cli/text.h"
#include "runtime/base/environment.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/http/transport.h"

namespace trainwarden::cli {

struct PricesInputs {
  std::string region = {};  // empty: the environment's
};

// Everything after the command's name; kInvalidInput for what is no use of it.
Result<PricesInputs> read_prices_arguments(std::span<char* const> arguments);

// All that the list says of the region's machines.
Result<ListedPrices> list_prices(const std::string& region, const Environment& environment,
                                 aws::CredentialSource& credentials, http::Transport& transport,
                                 Clock& clock);

// Asks the price list where it is answered, whatever the region: the override of its endpoint
// (AWS_ENDPOINT_URL_PRICING, AWS_ENDPOINT_URL) is the environment's.
Printed prices(const PricesInputs& inputs, const Environment& environment,
               aws::CredentialSource& credentials, http::Transport& transport, Clock& clock);

}  // namespace trainwarden::cli
