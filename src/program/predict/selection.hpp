// SPDX-License-Identifier: Apache-2.0
// Which configurations a study runs, and in which order.
#pragma once

#include "base/case/case.hpp"
#include "base/io/deck.hpp"
#include "base/registry/registry.hpp"
#include "program/results/result.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tessera {

/// Patterns of variants and configurations, as `variants` and `exclude` of a deck's [select].
struct Patterns {
  std::vector<std::string> variants, exclude;
};

/// Those of a deck, all of `family` where it names none. `asked`, of a command line or a suite: its
/// variants replace the deck's, what it excludes is excluded too.
[[nodiscard]] Patterns read_patterns(const io::Deck& deck, const std::string& family,
                                     const Patterns& asked = {});

/// Without those that take only tiles that this build lacks (configured with few), which a warning
/// names; all of them where nothing else is left.
[[nodiscard]] Patterns built(const Registry& registry, const Patterns& patterns);

/// A warning for each pattern of `exclude` that leaves out nothing of `all`, what the patterns of
/// variants take.
void warn_of_idle(const std::vector<std::string>& exclude, const std::vector<Selected>& all);

/// Sorts a selection by the first pattern that takes each, within one pattern as the registry does.
void sort_by_patterns(std::vector<Selected>& selection, const std::vector<std::string>& patterns);

/// Drops variants that compute other stencils of the family than `c`, unless they were requested by
/// their whole name and compute none of `cases`: these say so in their row.
void keep_what_computes(const std::vector<std::unique_ptr<Case>>& cases, const Case& c,
                        std::vector<Selected>& selection, const std::vector<std::string>& patterns);

/// Whether a pattern requests the row's configuration by its whole name, without wildcards.
[[nodiscard]] bool asked_by_name(const std::vector<std::string>& patterns,
                                 const results::Result& row);

}  // namespace tessera
