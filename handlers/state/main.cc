// The state function's bootstrap.
#include "handlers/function/serve.h"
#include "handlers/state/state_function.h"

int main() { return trainwarden::function::serve<trainwarden::state::StateFunction>(); }
