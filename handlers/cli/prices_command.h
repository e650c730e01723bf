// `trainwarden prices`: what training machines cost in a region by AWS's price list, as the member
// `prices` of a policy.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "awsapi/client.h"
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

// Where the price list is asked: signed for the region that answers for this one.
Result<aws::ClientConfig> price_list_config(std::string_view region, const Environment& environment,
                                            aws::CredentialSource& credentials);

// Asks the price list where it is answered, whatever the region: the override of its endpoint
// (AWS_ENDPOINT_URL_PRICING, AWS_ENDPOINT_URL) is the environment's.
Printed prices(const PricesInputs& inputs, const Environment& environment,
               aws::CredentialSource& credentials, http::Transport& transport, Clock& clock);

}  // namespace trainwarden::cli
