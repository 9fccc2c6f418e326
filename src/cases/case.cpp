// SPDX-License-Identifier: Apache-2.0
#include "cases/case.hpp"

#include "error.hpp"
#include "text.hpp"

#include <fmt/ranges.h>

namespace tessera {
namespace {

const Family& find_family(const std::string& name) {
  std::vector<std::string> names;
  for (const Family& family : all_families()) {
    if (family.name == name) return family;
    names.push_back(family.name);
  }
  fail("family \"{}\" is not in this build; there are {}", name, fmt::join(names, ", "));
}

}  // namespace

int value_bytes(const std::string& precision) { return precision == "float" ? 4 : 8; }

std::unique_ptr<Case> make_case(const io::Deck& deck) {
  std::vector<std::string> names;
  for (const Family& family : all_families()) names.push_back(family.name);
  const std::string name = deck.get_choice("case.family", names.front(), names);
  const auto steps = deck.get_in<std::int64_t>("case.steps", 1, std::int64_t{1} << 40);
  std::unique_ptr<Case> made = find_family(name).make_case(deck);
  made->steps = steps;
  return made;
}

std::unique_ptr<Case> make_verify_case(const std::string& family, const Problem& problem) {
  return find_family(family).make_verify_case(problem);
}

}  // namespace tessera
