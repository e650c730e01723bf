// The alarm function's bootstrap.
#include "handlers/alarm/alarm_function.h"
#include "handlers/function/serve.h"

int main() { return trainwarden::function::serve<trainwarden::alarm::AlarmFunction>(); }
