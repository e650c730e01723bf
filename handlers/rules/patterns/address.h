// IP addresses as the reference matcher sees them: as hexadecimal digits, so that a network is a
// range of texts. Resolves nothing. The matcher's quirks are kept because they change results. The
// range of a network begins at the address as written, not at the network's first address. A value
// matches a range as soon as its leading digits fall into it, even if it is a longer address or a
// number.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/result.h"

namespace trainwarden::rules {

// "0A000001" for 10.0.0.1, 32 digits for IPv6 (8 if it is a mapped IPv4 address); nullopt for
// anything else.
std::optional<std::string> address_digits(std::string_view text);

struct AddressRange {
  std::string first;  // upper-case hexadecimal digits; both of the same length
  std::string last;
  bool open_first = false;  // first itself is outside
  bool open_last = false;

  bool contains(std::string_view value) const;
  bool operator==(const AddressRange&) const = default;
};

// The range that holds this one address; nullopt if the text is not an address.
std::optional<AddressRange> address_range(std::string_view text);

// "10.0.0.0/8". kInvalidPolicy: the message says what was expected and found.
Result<AddressRange> network_range(std::string_view text);

}  // namespace trainwarden::rules
