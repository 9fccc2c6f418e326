// SPDX-License-Identifier: Apache-2.0
#include "cases/case.hpp"

#include "support/error.hpp"
#include "support/text.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace tessera {
namespace {

const Family& find_family(const std::string& name, const std::vector<Family>& families) {
  std::vector<std::string> names;
  for (const Family& family : families) {
    if (family.name == name) return family;
    names.push_back(family.name);
  }
  fail("family \"{}\" is not in this build; there are {}", name, fmt::join(names, ", "));
}

}  // namespace

Extents read_extents(const io::Deck& deck, int dims) {
  constexpr int kMost = 1 << 20;
  Extents n;
  n.nx = deck.get_in<int>("case.nx", 1, kMost);
  n.ny = deck.get_in<int>("case.ny", 1, kMost);
  n.nz =
      dims == 2 ? deck.get_in<int>("case.nz", 1, 1, kMost) : deck.get_in<int>("case.nz", 1, kMost);
  return n;
}

int value_bytes(const std::string& precision) { return precision == "float" ? 4 : 8; }

std::unique_ptr<Case> make_case(const io::Deck& deck, const std::vector<Family>& families) {
  std::vector<std::string> names;
  for (const Family& family : families) names.push_back(family.name);
  const std::string name = deck.get_choice("case.family", names.front(), names);
  const auto steps = deck.get_in<std::int64_t>("case.steps", 1, std::int64_t{1} << 40);
  std::unique_ptr<Case> made = find_family(name, families).make_case(deck);
  made->steps = steps;
  return made;
}

std::vector<std::unique_ptr<Case>> make_cases(io::Deck& deck, const std::vector<Family>& families) {
  std::vector<std::unique_ptr<Case>> made;
  const nlohmann::json written = deck.to_json();
  const auto stencil = nlohmann::json::json_pointer("/case/stencil");
  if (!written.contains(stencil) || !written[stencil].is_array()) {
    made.push_back(make_case(deck, families));
    return made;
  }
  const auto names = deck.get<std::vector<std::string>>("case.stencil");
  require(!names.empty(), "{}: an empty list names no stencil", deck.where("case.stencil"));
  for (const std::string& name : names) {
    deck.set(fmt::format("case.stencil=\"{}\"", name));
    made.push_back(make_case(deck, families));
    const bool again = std::any_of(made.begin(), made.end() - 1, [&](const auto& other) {
      return other->stencil == made.back()->stencil;
    });
    require(!again, "case.stencil: {} is there twice", made.back()->stencil);
  }
  // The result file shows the deck as it was written.
  deck.set(fmt::format("case.stencil=[\"{}\"]", fmt::join(names, "\", \"")));
  return made;
}

std::unique_ptr<Case> make_verify_case(const std::string& family, const Problem& problem,
                                       const std::vector<Family>& families) {
  return find_family(family, families).make_verify_case(problem);
}

}  // namespace tessera
