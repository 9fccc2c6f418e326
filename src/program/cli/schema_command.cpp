// SPDX-License-Identifier: Apache-2.0
// `tessera schema NAME`: the JSON Schema of a kind of file, or one of its tables for the docs.
#include "base/keys/table.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "program/cli/commands.hpp"
#include "program/cli/schemas.hpp"
#include "program/results/published.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

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

constexpr NamedSchema kSchemas[] = {
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

/// A table's keys in markdown.
std::string keys_in_markdown(const SchemaJson& schema, const std::string& name) {
  require(schema["properties"].contains(name), "the schema has no table \"{}\"", name);
  const SchemaJson& found = schema["properties"][name];
  const SchemaJson& table = found.contains("anyOf") && schema.contains("definitions")
                                ? schema["definitions"][name]
                                : found;
  std::string text = "| key | default | meaning |\n| --- | --- | --- |\n";
  const SchemaJson required = table.value("required", SchemaJson::array());
  for (const auto& key : table["properties"].items()) {
    const bool is_required =
        std::find(required.begin(), required.end(), key.key()) != required.end();
    text += fmt::format("| `{}` | {} | {} |\n", key.key(),
                        cell_text(default_of(key.value(), is_required)), meaning_of(key.value()));
  }
  return text;
}

}  // namespace

void add_schema_command(CLI::App& app, const Catalogue& catalogue) {
  auto command = std::make_shared<SchemaCommand>();
  CLI::App* sub = app.add_subcommand("schema", "Print the JSON Schema of a kind of file");
  std::vector<std::string> names;
  for (const NamedSchema& one : kSchemas) names.emplace_back(one.name);
  CLI::Option* name =
      sub->add_option("name", command->name, "Kind of file; without it the kinds are listed")
          ->check(CLI::IsMember(names));
  sub->add_option("--keys", command->table, "One table of it, in markdown, instead")->needs(name);
  sub->footer(
      "Examples:\n"
      "  tessera schema deck > schemas/deck.schema.json\n"
      "  tessera schema deck --keys acoustic");
  sub->callback([command, &catalogue] {
    for (const NamedSchema& one : kSchemas) {
      if (command->name.empty()) say("{}\n", one.name);
      if (command->name != one.name) continue;
      const SchemaJson schema = one.make(catalogue);
      say("{}", command->table.empty() ? keys::schema_text(schema) + "\n"
                                       : keys_in_markdown(schema, command->table));
    }
  });
}

}  // namespace tessera
