// SPDX-License-Identifier: Apache-2.0
// Every key of every table of decks: what it refuses, and that two problems never have one
// identity.
#include "program/run/deck_run.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <string>

#include "base/case/case.hpp"
#include "base/case/deck_keys.hpp"
#include "fixtures/catalogue.hpp"
#include "fixtures/scratch_directory.hpp"
#include "program/cli/deck_forms.hpp"
#include "program/shot/keys.hpp"
#include "variants/ete/case/coefficients.hpp"
#include "variants/ete/case/fit.hpp"

namespace tessera::run_keys_test {
namespace {

using keys::Key, keys::Kind, keys::Table;
using test::error_of;
using test::has;

/// What is said of a deck with one key; empty where it is taken.
std::string said_of(const keys::Form& form, const Table& table, const std::string& key,
                    const std::string& value) {
  const std::string begin = table.name.empty() ? "" : table.is_list ? "[[" : "[";
  const std::string end = table.name.empty() ? "" : table.is_list ? "]]\n" : "]\n";
  const std::string only = table.selector.empty() ? "" : table.only;
  std::string text = begin + table.name + end + key + " = " + value + "\n";
  if (table.selector == "case.family" && !only.empty()) {
    text += "[case]\nfamily = '" + only.substr(0, only.find(' ')) + "'\n";
  }
  return error_of([&] { keys::check_deck(io::Deck::from_string(text, "d"), form, "run"); });
}

TEST(DeckKeys, EachRefusesWhatItDoesNotTake) {
  int keys = 0;
  for (const keys::Form& form :
       {study_form(catalogue()), fit_form(catalogue()), shot::shot_form(catalogue())}) {
    for (const Table& table : form.tables) {
      if (table.is_open) continue;
      SCOPED_TRACE(form.name + " [" + table.name + "]");
      EXPECT_TRUE(has(said_of(form, table, "no_such_key", "1"), "no_such_key"));
      for (const Key& key : table.keys) {
        const auto refused = [&](const std::string& value) {
          const std::string said = said_of(form, table, key.name, value);
          EXPECT_TRUE(has(said, key.name)) << value;
          EXPECT_TRUE(has(said, "d:")) << value;
        };
        ++keys;
        refused("{}");
        if (key.kind != Kind::text && !key.or_text) refused("'text'");
        if (key.kind == Kind::integer) refused("1.5");
        if (key.kind == Kind::number) refused("nan");
        if (!key.values.choices.empty()) refused("'no such choice'");
        if (std::isfinite(key.values.least))
          refused(fmt::format("{}", key.values.least - 1 - std::abs(key.values.least)));
        if (std::isfinite(key.values.most)) refused(fmt::format("{}", 2 * key.values.most + 1));
      }
    }
  }
  EXPECT_GT(keys, 100);
}

/// Decks of a family begin so.
const std::map<std::string, std::string> kBegin = {{"acoustic", "[acoustic]\npml_cells = 3\n"},
                                                   {"directional", ""},
                                                   {"low_order", ""},
                                                   {"ete", "[ete]\nvelocities = 4\n"},
                                                   {"jacobi", ""}};
/// Values where another choice or number is none, and what is set beside it.
const std::map<std::string, std::string> kValues = {{"acoustic.init", "random"},
                                                    {"ete.init", "zero"},
                                                    {"jacobi.init", "constant"},
                                                    {"acoustic.precision", "double"},
                                                    {"directional.precision", "double"},
                                                    {"ete.precision", "double"},
                                                    {"low_order.precision", "float"},
                                                    {"jacobi.precision", "float"},
                                                    {"nx", "28"},
                                                    {"ny", "27"},
                                                    {"nz", "26"},
                                                    {"steps", "3"},
                                                    {"source_at", "[12, 12, 13]"},
                                                    {"velocities", "5"},
                                                    {"pml_cells", "4"},
                                                    {"alpha", "0.35"},
                                                    {"beta", "0.05"},
                                                    {"source", "none"}};
const std::map<std::string, std::string> kBeside = {{"acoustic.seed", "case.init=random"},
                                                    {"jacobi.inside", "case.init=constant"},
                                                    {"jacobi.fixed", "case.init=constant"}};

std::string in(const std::map<std::string, std::string>& map, const std::string& family,
               const std::string& key) {
  const auto found =
      map.contains(family + "." + key) ? map.find(family + "." + key) : map.find(key);
  return found == map.end() ? "" : found->second;
}

/// A value that is not the default; empty where the family has no choice.
std::string another(const Family& family, const Key& key) {
  if (key.name == "stencil") return family.stencils.size() > 1 ? family.stencils.back() : "";
  const std::string own = in(kValues, family.name, key.name);
  if (!own.empty() || key.name == "init" || key.name == "precision") return own;
  const auto usual = nlohmann::json::parse(key.usual, nullptr, false);
  for (const std::string& choice : key.values.choices) {
    if (nlohmann::json(choice) != usual) return choice;
  }
  if (key.kind == Kind::flag) return usual == true ? "false" : "true";
  const double number = usual.get<double>();
  return fmt::format("{}", key.kind == Kind::integer || number == 0 ? number + 1 : 0.9 * number);
}

std::string identity(const Family& family, const std::vector<std::string>& set) {
  io::Deck deck = io::Deck::from_string("[case]\nfamily = '" + family.name +
                                            "'\nnx = 24\nny = 24\nnz = 24\nsteps = 2\n" +
                                            kBegin.at(family.name),
                                        "d");
  for (const std::string& one : set) deck.set(one);
  std::string words;
  for (const auto& made : make_cases(deck, catalogue().families)) {
    words += fmt::format("{} {} {} {} {} {} {} {}", made->stencil, made->precision, made->model,
                         made->details, made->n.nx, made->n.ny, made->n.nz, made->steps);
    for (const std::string& order : made->decompositions) words += " " + order;
  }
  return words;
}

TEST(DeckKeys, EachThatChangesTheProblemChangesItsIdentity) {
  const test::ScratchDirectory folder;
  if (ete::can_fit()) {
    ete::save_table(ete::fit(37, {0.1, 0.2, 0.3, 0.35}, {}), folder / "table.json");
  }
  for (const Family& family : catalogue().families) {
    if (family.name == "ete" && !ete::can_fit()) continue;
    std::vector<Table> tables = family.tables;
    tables.push_back(shared_table("case"));
    for (const Table& table : tables) {
      for (const Key& key : table.keys) {
        if (key.name == "family") continue;
        const std::string value =
            key.name == "table" ? (folder / "table.json").string() : another(family, key);
        if (value.empty()) continue;
        std::vector<std::string> set;
        const std::string beside = in(kBeside, family.name, key.name);
        if (!beside.empty()) set.push_back(beside);
        const std::string before = identity(family, set);
        set.push_back(table.name + "." + key.name + "=" + value);
        if (key.name == "table") set.emplace_back("ete.velocities=");
        EXPECT_NE(identity(family, set), before) << family.name << ": " << set.back();
      }
    }
  }
}

}  // namespace
}  // namespace tessera::run_keys_test
