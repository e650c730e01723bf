#include "handlers/rules/failure/failure_signatures.h"

#include <vector>

#include "handlers/rules/failure/failure_signature_parts.h"

namespace trainwarden::rules {

std::span<const Signature> failure_signatures() {
  static const std::vector<Signature> kTable = [] {
    std::vector<Signature> out;
    for (const auto part :
         {signatures_of_machines(), signatures_of_memory(), signatures_of_access(),
          signatures_of_program(), signatures_of_remains()})
      out.insert(out.end(), part.begin(), part.end());
    return out;
  }();
  return kTable;
}

}  // namespace trainwarden::rules
