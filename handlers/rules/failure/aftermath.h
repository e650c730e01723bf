// What a program died of, and which troubles of machines, links and services its death explains:
// who dies leaves others behind that lost it.
#pragma once

#include <vector>

#include "handlers/rules/failure/failure_text.h"
#include "handlers/rules/failure/findings.h"

namespace trainwarden::rules {

// Lowers the rank, or the verdict, of the findings that a death explains or makes doubtful.
void let_deaths_explain_trouble(const FailureText& text, std::vector<Finding>& findings);

}  // namespace trainwarden::rules
