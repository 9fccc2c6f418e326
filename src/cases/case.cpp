// SPDX-License-Identifier: Apache-2.0
#include "cases/case.hpp"

#include "cases/acoustic_case.hpp"
#include "error.hpp"

namespace tessera {

std::unique_ptr<Case> make_case(const io::Deck& deck) {
  const std::string family = deck.get_choice("case.family", "acoustic", {"acoustic"});
  const auto steps = deck.get_in<std::int64_t>("case.steps", 1, std::int64_t{1} << 40);
  std::unique_ptr<Case> made = acoustic::make_case(deck);
  made->steps = steps;
  return made;
}

std::unique_ptr<Case> make_verify_case(const std::string& family, const std::string& precision) {
  require(family == "acoustic", "family \"{}\" does not exist; there is acoustic", family);
  return acoustic::make_verify_case(precision);
}

}  // namespace tessera
