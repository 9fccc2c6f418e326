// SPDX-License-Identifier: Apache-2.0
// shot.operator = "ete" in a build without the ete family.
#include "shot/inner_operator.hpp"
#include "support/error.hpp"

namespace tessera {

std::shared_ptr<const InnerOperatorDeck> read_ete_operator(const io::Deck& /*deck*/,
                                                           const Region& /*inner*/,
                                                           int /*value_bytes*/,
                                                           const Registry& /*registry*/) {
  fail("shot.operator = \"ete\": this build has no ete family (TESSERA_FAMILIES)");
}

}  // namespace tessera
