// Credentials in a line of a log: keys and tokens of AWS and others, passwords, signatures of
// presigned URLs. By their form, or by the name that they stand behind.
#pragma once

#include <string>

namespace trainwarden::rules {

// Overwrites each character of a credential with the mask. Words that merely look like one, such as
// a long random name, may be overwritten too.
void mask_credentials(std::string& text, char mask);

}  // namespace trainwarden::rules
