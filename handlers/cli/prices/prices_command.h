// `trainwarden prices`: what training machines cost in a region according to AWS's price list, as
// the member `prices` of a policy.
#pragma once

#include <span>
#include <string>

#include "awsapi/credentials.h"
#include "awsapi/pace.h"
#include "handlers/cli/access/aws_access.h"
#include "handlers/cli/prices/listed_prices.h"
#include "handlers/cli/terminal/text.h"
#include "runtime/base/environment.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/http/transport.h"

namespace trainwarden::cli {

struct PricesInputs {
  AwsOptions aws = {};
};

// Parses everything after the command's name. kInvalidInput for arguments that the command does not
// take.
Result<PricesInputs> read_prices_arguments(std::span<char* const> arguments);

// All prices that the list has for the region's machines. pace: limits the rate of calls; may be
// null.
Result<ListedPrices> list_prices(const std::string& region, const Environment& environment,
                                 aws::CredentialSource& credentials, http::Transport& transport,
                                 Clock& clock, aws::Pace* pace = nullptr);

// Asks the price list in the region that serves it, whichever region the prices are for. Its
// endpoint can be overridden in the environment (AWS_ENDPOINT_URL_PRICING, AWS_ENDPOINT_URL).
Printed prices(const PricesInputs& inputs, const Environment& environment,
               aws::CredentialSource& credentials, http::Transport& transport, Clock& clock);

}  // namespace trainwarden::cli
