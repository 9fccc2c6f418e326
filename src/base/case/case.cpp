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
  fail("family \"{}\" is not in this build; there are {}", name, fmt::join(names, ", "));
}

}  // namespace

Extents read_extents(const io::Deck& deck, int dims) {
  // Read in 64 bits: what fits no int is held against the same limits as what does.
  constexpr std::int64_t kLeast = 1;
  constexpr std::int64_t kMost = 1 << 20;
  const std::int64_t nx = deck.get_in("case.nx", kLeast, kMost);
  const std::int64_t ny = deck.get_in("case.ny", kLeast, kMost);
  const std::int64_t nz = dims == 2 ? deck.get_in("case.nz", kLeast, kLeast, kMost)
                                    : deck.get_in("case.nz", kLeast, kMost);
  return {static_cast<int>(nz), static_cast<int>(ny), static_cast<int>(nx)};
}

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

comm::ParallelOptions read_parallel(const io::Deck& deck) {
  comm::ParallelOptions options;
  if (deck.contains("parallel.ranks")) {
    const auto parts = deck.get<std::vector<std::int64_t>>("parallel.ranks");
    require(
        parts.size() == 3 &&
            std::all_of(parts.begin(), parts.end(), [](auto p) { return p >= 1 && p <= 1 << 20; }),
        "{}: ranks along x, y and z are required, as in [1, 1, 4]", deck.where("parallel.ranks"));
    options.parts.emplace();
    for (std::size_t a = 0; a < 3; ++a) (*options.parts)[a] = static_cast<int>(parts[a]);
  }
  options.transport =
      deck.get_choice("parallel.transport", options.transport, comm::transport_names());
  options.overlap = deck.get("parallel.overlap", options.overlap);
  return options;
}

std::unique_ptr<Case> make_case(const io::Deck& deck, const std::vector<Family>& families,
                                const comm::Parallel& parallel) {
  std::vector<std::string> names;
  for (const Family& family : families) names.push_back(family.name);
  const std::string name = deck.get_choice("case.family", names.front(), names);
  const auto steps = deck.get_in<std::int64_t>("case.steps", 1, std::int64_t{1} << 40);
  std::unique_ptr<Case> made = find_family(name, families).make_case(deck);
  made->steps = steps;
  made->parallel = parallel;
  static_cast<void>(made->rank_grid());  // says where it cannot be cut
  return made;
}

std::vector<std::unique_ptr<Case>> make_cases(io::Deck& deck, const std::vector<Family>& families,
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
    deck.set(fmt::format("case.stencil=\"{}\"", name));
    made.push_back(make_case(deck, families, parallel));
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
                                       const std::vector<Family>& families,
                                       const comm::Parallel& parallel) {
  auto made = find_family(family, families).make_verify_case(problem);
  made->parallel = parallel;
  return made;
}

}  // namespace tessera
