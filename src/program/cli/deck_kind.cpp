// SPDX-License-Identifier: Apache-2.0
#include "program/cli/deck_kind.hpp"

#include "base/keys/table.hpp"
#include "base/support/error.hpp"
#include "program/cli/commands.hpp"

#include <nlohmann/json.hpp>

namespace tessera {
namespace {

/// What the file is, and the command or tool that takes it; empty where its tables do not tell.
struct Kind {
  std::string what, command;
};

Kind kind_of(const nlohmann::json& deck) {
  const auto has = [&](const char* table) { return deck.contains(table); };
  const nlohmann::json none = nlohmann::json::object();
  const nlohmann::json& grid = has("case") && deck["case"].is_object() ? deck["case"] : none;
  if (has("run") && !has("case")) return {"a suite of decks", "study"};
  if (has("schema")) return {"a published table", "tools/compare.py"};
  const bool shot = has("receivers") || has("source") || has("snapshots") || has("shot");
  if (shot && !grid.contains("steps")) return {"the deck of a shot", "shot"};
  if (grid.contains("duration_s") && !grid.contains("steps")) return {"the deck of a shot", "shot"};
  if (!shot && has("case") && (has("select") || has("measure"))) {
    return {"the deck of a study", "run"};
  }
  return {};
}

}  // namespace

void require_deck_of(const std::string& command, const io::Deck& deck) {
  const Kind kind = kind_of(deck.to_json());
  if (kind.command.empty() || keys::has_word(find_command(command)->decks, kind.command)) return;
  fail("{} is {}: {}{} takes it", deck.name(), kind.what,
       kind.command.starts_with("tools/") ? "" : "tessera ", kind.command);
}

}  // namespace tessera
