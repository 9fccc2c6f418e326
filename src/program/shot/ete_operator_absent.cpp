// SPDX-License-Identifier: Apache-2.0
// shot.operator = "ete" in a build without the ete family.
#include "base/support/error.hpp"
#include "program/shot/inner_operator.hpp"

namespace tessera {

std::shared_ptr<const InnerOperatorDeck> read_ete_operator(const io::Deck& /*deck*/,
                                                           const Region& /*inner*/,
                                                           int /*value_bytes*/,
                                                           const Registry& /*registry*/) {
  fail("shot.operator = \"ete\": this build has no ete family (TESSERA_FAMILIES)");
}

void check_ete_keys(const io::Deck& /*deck*/, const Registry& /*registry*/) {}

}  // namespace tessera
