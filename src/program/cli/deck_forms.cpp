// SPDX-License-Identifier: Apache-2.0
#include "program/cli/deck_forms.hpp"

#include "base/case/deck_keys.hpp"
#include "program/cli/schemas.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tessera {

keys::Form study_form(const Catalogue& catalogue) {
  keys::Form form{"deck",
                  "Tessera deck",
                  "A deck of tessera run, tune, predict and fit, in TOML (docs/deck.md)",
                  {shared_table("case")}};
  for (const Family& family : catalogue.families) {
    for (keys::Table table : family.tables) {
      if (table.name == family.name) {  // [fit] stands beside any family
        table.selector = "case.family";
        table.only = family.name;
      }
      form.add(std::move(table));
    }
  }
  for (const keys::Table& table : shared_tables()) {
    if (table.name != "case") form.add(table);
  }
  for (const char* table : {"model", "shot", "source", "receivers", "snapshots"}) {
    form.add(keys::passed_over(table, "shot"));
  }
  if (form.find("fit") == nullptr) form.add(keys::passed_over("fit", "fit"));
  return form;
}

keys::Form fit_form(const Catalogue& catalogue) {
  keys::Form form = study_form(catalogue);
  for (keys::Table& table : form.tables) {
    const bool read = table.name == "case" || table.name == "ete" || table.name == "fit";
    if (!read) table = keys::passed_over(table.name, table.is_open ? "shot" : "run");
    table.selector = table.only = "";
  }
  for (keys::Table& table : form.tables) {
    if (table.name != "case") continue;
    table.keys.push_back({.name = "duration_s", .kind = keys::Kind::number});
  }
  form.add(keys::passed_over("survey", "survey"));
  return form;
}

nlohmann::ordered_json deck_schema(const Catalogue& catalogue) {
  keys::Form form = study_form(catalogue);
  for (keys::Key& key : form.tables.front().keys) {
    for (const Family& family : catalogue.families) {
      if (key.name == "family") key.values.choices.push_back(family.name);
      if (key.name != "stencil") continue;
      for (const std::string& full : family.stencils) {
        key.values.choices.push_back(full);
        key.values.choices.push_back(full.substr(full.find('/') + 1));
      }
    }
  }
  return keys::schema_of(form);
}

}  // namespace tessera
