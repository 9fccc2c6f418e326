// SPDX-License-Identifier: Apache-2.0
// The options that every command with a deck takes.
#pragma once

#include "base/comm/transport.hpp"
#include "base/io/deck.hpp"
#include "base/support/data_directory.hpp"
#include "base/support/error.hpp"
#include "program/cli/deck_kind.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tessera {

/// Seconds between the lines of progress that are printed where there is no terminal, at least.
inline constexpr double kSecondsBetweenLines = 5;

/// The options that choose variants beside the deck. Each takes one pattern, so that what follows
/// is not taken for another.
inline void add_selection_options(CLI::App& command, std::vector<std::string>& variants,
                                  std::vector<std::string>& exclude) {
  command
      .add_option("-v,--variants", variants,
                  "Glob over family/variant:configuration, or the name of a family or variant,\n"
                  "instead of select.variants (may be repeated)")
      ->allow_extra_args(false);
  command
      .add_option("-x,--exclude", exclude,
                  "Glob to leave out, besides select.exclude (may be repeated)")
      ->allow_extra_args(false);
}

/// The options of commands that run on several ranks.
inline void add_rank_options(CLI::App& command, std::string& transport) {
  command
      .add_option("--transport", transport,
                  "How ranks exchange halos, instead of parallel.transport: auto, mpi, nccl or\n"
                  "staged (through pinned host memory)")
      ->check(CLI::IsMember(comm::transport_names()));
  // Read before the command line is parsed: a device is chosen before Kokkos begins.
  command.add_flag_callback(
      "--oversubscribe", [] {}, "Let several ranks share a device");
}

struct DeckOptions {
  std::string path;
  std::string name;  // the command's
  std::vector<std::string> overrides;

  void add_to(CLI::App& command) {
    command.add_option("deck", path,
                       "Deck (TOML): a path, or one of inputs/, which is found from any directory");
    name = command.get_name();
    command
        .add_option("--set", overrides, "Override a deck key: --set case.nx=100 (may be repeated)")
        ->allow_extra_args(false);
  }

  [[nodiscard]] io::Deck read() const {
    require(!path.empty(), "{0} requires a deck: begin with tessera {0} inputs/{1}.toml", name,
            name == "shot" || name == "survey" ? name.c_str()
            : name == "fit"                    ? "fang-37-random"
                                               : "quick");
    io::Deck deck = io::Deck::from_file(find_input(kDeckFile, path));
    for (const auto& assignment : overrides) deck.set(assignment);
    // Another kind of model than the file's has other keys.
    if (deck.is_overridden("model.kind")) deck.keep_overrides("model");
    require_deck_of(name, deck);
    return deck;
  }
};

}  // namespace tessera
