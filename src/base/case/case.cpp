// SPDX-License-Identifier: Apache-2.0
#include "base/case/case.hpp"

#include "base/support/error.hpp"
#include "base/support/text.hpp"

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
  fail("case.family = \"{}\" is not in this build; there are {}", name, fmt::join(names, ", "));
}

}  // namespace

int value_bytes(const std::string& precision) { return precision == "float" ? 4 : 8; }

Verdict agreed(const comm::Ranks& ranks, Verdict mine) {
  if (ranks.alone()) return mine;
  mine.worst = ranks.max(mine.worst);
  mine.cells = static_cast<std::int64_t>(ranks.sum(static_cast<double>(mine.cells)));
  const double none = ranks.size();
  const int first = static_cast<int>(ranks.min(mine.ok ? none : ranks.rank()));
  if (first == ranks.size()) return mine;
  mine.ok = false;
  mine.reason = fmt::format("rank {}: {}", first, ranks.broadcast(mine.reason, first));
  return mine;
}

std::unique_ptr<Case> make_case(const io::Deck& deck, const std::vector<Family>& families,
                                const comm::Parallel& parallel) {
  const std::string name = deck.get("case.family", families.front().name.c_str());
  const auto steps = deck.get<std::int64_t>("case.steps");
  std::unique_ptr<Case> made = find_family(name, families).make_case(deck);
  made->steps = steps;
  made->parallel = parallel;
  static_cast<void>(made->rank_grid());  // says where it cannot be cut
  return made;
}

std::vector<std::unique_ptr<Case>> make_cases(const io::Deck& deck,
                                              const std::vector<Family>& families,
                                              const comm::Parallel& parallel) {
  std::vector<std::unique_ptr<Case>> made;
  const nlohmann::json written = deck.to_json();
  const auto stencil = nlohmann::json::json_pointer("/case/stencil");
  if (!written.contains(stencil) || !written[stencil].is_array()) {
    made.push_back(make_case(deck, families, parallel));
    return made;
  }
  const auto names = deck.get<std::vector<std::string>>("case.stencil");
  require(!names.empty(), "{}: an empty list names no stencil", deck.where("case.stencil"));
  for (const std::string& name : names) {
    const io::Deck one = deck.with(fmt::format("case.stencil=\"{}\"", name));
    made.push_back(make_case(one, families, parallel));
    const bool again = std::any_of(made.begin(), made.end() - 1, [&](const auto& other) {
      return other->stencil == made.back()->stencil;
    });
    require(!again, "case.stencil: {} is listed twice", made.back()->stencil);
  }
  return made;
}

std::unique_ptr<Case> make_verify_case(const std::string& family, const Problem& problem,
                                       const std::vector<Family>& families,
                                       const comm::Parallel& parallel) {
  auto made = find_family(family, families).make_verify_case(problem);
  made->parallel = parallel;
  return made;
}

}  // namespace tessera
