// The state function's bootstrap.
#include "handlers/function/serve.h"
#include "handlers/state/function.h"

int main() { return trainwarden::function::serve<trainwarden::state::StateFunction>(); }
