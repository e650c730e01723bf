// The function on aws-lambda-cpp that takes an event and needs no call. It has no SDK and no JSON:
// what decides is looked for in the text. So it does less than the others.
#include <aws/lambda-runtime/runtime.h>

using aws::lambda_runtime::invocation_request;
using aws::lambda_runtime::invocation_response;

static invocation_response handle(const invocation_request& request) {
  const bool runs =
      request.payload.find(R"("TrainingJobStatus":"InProgress")") != std::string::npos;
  if (runs) return invocation_response::failure("this function has no SDK to stop it", "NoSdk", "");
  return invocation_response::success(R"({"decisions":[]})", "application/json");
}

int main() {
  aws::lambda_runtime::run_handler(handle);
  return 0;
}
