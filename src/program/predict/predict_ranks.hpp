// SPDX-License-Identifier: Apache-2.0
// What the models say of a case on many ranks (docs/scaling.md): each rank's launches by the models
// of one device, its messages by a network, and both together.
#pragma once

#include "base/case/catalogue.hpp"
#include "base/io/deck.hpp"
#include "base/support/data_directory.hpp"
#include "program/predict/network.hpp"
#include "program/predict/predict.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <string>
#include <vector>

namespace tessera {

/// Found as machine files are: "dgx-h100" is inputs/networks/dgx-h100.json.
inline constexpr InputKind kNetworkFile{"network file", "networks", ".json"};

/// Each rank's messages are counted one by one: a prediction takes time in proportion to the ranks.
inline constexpr int kMostPredictedRanks = 1'000'000;

/// Throws Error where a grid has more ranks than that.
void require_predictable_ranks(const std::array<int, 3>& parts);

/// For each grid of ranks in `grids`, each case of the deck and each configuration: strong scaling,
/// the deck's grid cut; and weak, as many times its cells along each axis as ranks. "efficiency" is
/// minimal bytes a second over those of one rank with the deck's grid, times the ranks: boundary
/// layers, of which a larger grid has a smaller share, count by what they move. Changes the deck.
[[nodiscard]] nlohmann::json predict_ranks_rows(
    const io::Deck& deck, const Catalogue& catalogue, const std::vector<Selected>& selection,
    const machine::Machine& machine, const model::Network& network,
    const std::vector<std::array<int, 3>>& grids,
    const std::vector<measure::KernelResources>& registers = {});

/// The rows as a table.
[[nodiscard]] std::string ranks_table(const nlohmann::json& rows);

}  // namespace tessera
