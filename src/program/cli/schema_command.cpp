// SPDX-License-Identifier: Apache-2.0
// `tessera schema NAME`: the JSON Schema of a kind of file, or one of its tables for the docs.
#include "base/keys/table.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "program/cli/commands.hpp"
#include "program/cli/schemas.hpp"
#include "program/results/published.hpp"
#include "program/results/schema.hpp"

#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace tessera {
namespace {

using SchemaJson = nlohmann::ordered_json;

struct NamedSchema {
  const char* name;
  SchemaJson (*make)(const Catalogue& catalogue);
};

/// Of decks and tables in TOML; JSON files have results::schema_kinds().
constexpr NamedSchema kForms[] = {
    {"deck", deck_schema},
    {"published",
     [](const Catalogue& /*catalogue*/) { return keys::schema_of(results::published_form()); }},
    {"shot", shot_schema},
    {"suite", suite_schema},
};

struct SchemaCommand {
  std::string name, table;
};

/// Text in a cell of a markdown table.
std::string cell_text(std::string text) {
  for (std::size_t bar = text.find('|'); bar != std::string::npos; bar = text.find('|', bar + 2)) {
    text.insert(bar, "\\");
  }
  return text;
}

/// "0.8 m", "required", "the grid's".
std::string default_of(const SchemaJson& key, bool required) {
  if (required) return "required";
  if (key.contains("usual")) return key["usual"].get<std::string>();
  if (!key.contains("default")) return "none";
  const bool number = key["default"].is_number() && key.contains("unit");
  return key["default"].dump() + (number ? " " + key["unit"].get<std::string>() : "");
}

/// What a key means, and the words or numbers that it takes.
std::string meaning_of(const SchemaJson& key) {
  std::string text = key.value("description", "");
  if (key.contains("only")) text += "; of `" + key["only"].get<std::string>() + "`";
  if (key.contains("unit") && !key.contains("default")) {
    text += " (" + key["unit"].get<std::string>() + ")";
  }
  const SchemaJson& rule = key.contains("anyOf") ? key["anyOf"][0] : key;
  std::string words;
  for (const SchemaJson& word : rule.value("enum", SchemaJson::array())) {
    words += (words.empty() ? ": `" : ", `") + word.get<std::string>() + "`";
  }
  const bool lists_them = words.size() < 200;
  return cell_text(text + (lists_them ? words : ""));
}

/// A table's keys, or the fields of an object, in markdown.
std::string keys_in_markdown(const SchemaJson& schema, const std::string& name) {
  const SchemaJson* table = &schema;
  for (const char* part : {"properties", "definitions"}) {
    if (schema.contains(part) && schema[part].contains(name)) table = &schema[part][name];
  }
  require(table->contains("properties"), "the schema has no table \"{}\"", name);
  std::string text = "| key | default | meaning |\n| --- | --- | --- |\n";
  const SchemaJson required = table->value("required", SchemaJson::array());
  for (const auto& [key, value] : (*table)["properties"].items()) {
    const bool is_required = std::find(required.begin(), required.end(), key) != required.end();
    text += fmt::format("| `{}` | {} | {} |\n", key, cell_text(default_of(value, is_required)),
                        meaning_of(value));
  }
  return text;
}

/// The kinds of files that have a schema, in alphabetical order.
std::vector<std::string> kinds() {
  std::vector<std::string> names = results::schema_kinds();
  for (const NamedSchema& one : kForms) names.emplace_back(one.name);
  std::sort(names.begin(), names.end());
  return names;
}

SchemaJson schema_of_kind(const std::string& name, const Catalogue& catalogue) {
  for (const NamedSchema& one : kForms) {
    if (name == one.name) return one.make(catalogue);
  }
  return results::file_schema(name);
}

}  // namespace

void add_schema_command(CLI::App& app, const Catalogue& catalogue,
                        const std::string& /*command_line*/) {
  auto command = std::make_shared<SchemaCommand>();
  CLI::App* sub = app.add_subcommand("schema", "Print the JSON Schema of a kind of file");
  CLI::Option* name =
      sub->add_option("name", command->name, "Kind of file; without it the kinds are listed")
          ->check(CLI::IsMember(kinds()));
  sub->add_option("--keys", command->table, "One table of it, in markdown, instead")->needs(name);
  sub->footer(
      "Examples:\n"
      "  tessera schema deck > schemas/deck.schema.json\n"
      "  tessera schema deck --keys acoustic");
  sub->callback([command, &catalogue] {
    if (command->name.empty()) {
      say("{}\n", fmt::join(kinds(), "\n"));
      return;
    }
    const SchemaJson schema = schema_of_kind(command->name, catalogue);
    say("{}", command->table.empty() ? keys::schema_text(schema)
                                     : keys_in_markdown(schema, command->table));
  });
}

}  // namespace tessera
