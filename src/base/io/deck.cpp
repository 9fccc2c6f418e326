// SPDX-License-Identifier: Apache-2.0
#include "base/io/deck.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/io/deck_state.hpp"
#include "base/support/files.hpp"
#include "base/support/text.hpp"

namespace tessera::io {

namespace {

constexpr std::size_t kMostParts = 1000;  // of a key

// Throws where a key of the TOML `text` has more parts: the library makes a table of each, and
// frees them by recursion. Values it bounds itself.
void require_shallow(std::string_view text, const std::string& name) {
  std::size_t dots = 0, line = 1;
  for (const char c : text) {
    dots = c == '.' ? dots + 1 : std::string_view("=,{}[]\n").find(c) < 7 ? 0 : dots;
    line += c == '\n' ? 1 : 0;
    require(dots < kMostParts, "{}:{}: a key of more than {} parts", name, line, kMostParts);
  }
}

// "case.nx" as {"case", "nx"}; an index stays with its name: "source[0].x" as {"source[0]", "x"}.
std::vector<std::string> split_key(std::string_view key) {
  std::vector<std::string> segments;
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    segments.emplace_back(trimmed(key.substr(begin, end - begin)));
    begin = end + 1;
  }
  return segments;
}

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

nlohmann::json node_to_json(const toml::node& node) {
  if (const auto* table = node.as_table()) {
    auto object = nlohmann::json::object();
    for (auto&& [key, value] : *table) object[std::string(key.str())] = node_to_json(value);
    return object;
  }
  if (const auto* list = node.as_array()) {
    auto array = nlohmann::json::array();
    for (auto&& value : *list) array.push_back(node_to_json(value));
    return array;
  }
  if (const auto value = node.value_exact<bool>()) return *value;
  if (const auto value = node.value_exact<std::int64_t>()) return *value;
  if (const auto value = node.value_exact<double>()) return *value;
  if (const auto value = node.value_exact<std::string>()) return *value;
  std::ostringstream text;
  toml::node_view<const toml::node> view(node);
  text << view;
  return text.str();
}

// Parses the right-hand side of an assignment: TOML if it is, else a bare word.
toml::table parse_override(const std::string& key, const std::string& value) {
  require_shallow(value, "--set " + key);
  try {
    return toml::parse("value = " + value, std::string_view("--set"));
  } catch (const toml::parse_error& error) {
    const bool quoted = value.find_first_of("\"'[{") == 0;
    require(!quoted, "--set {}={}: {}", key, value, one_line(std::string(error.description())));
    toml::table table;
    table.insert("value", value);
    return table;
  }
}

// What TOML allows in a key without quotes.
bool is_bare_key(const std::string& name) {
  const auto allowed = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; };
  return !name.empty() && std::all_of(name.begin(), name.end(), allowed);
}

// "source[1]" -> ("source", 1); index -1 without brackets.
std::pair<std::string, int> split_index(const std::string& segment, std::string_view assignment) {
  const auto open = segment.find('[');
  if (open == std::string::npos) return {segment, -1};
  const std::string digits = segment.substr(open + 1, segment.size() - open - 2);
  require(segment.back() == ']' && !digits.empty() && digits.size() < 9 &&
              digits.find_first_not_of("0123456789") == std::string::npos,
          "--set {}: cannot read the index in \"{}\"", assignment, segment);
  return {segment.substr(0, open), std::stoi(digits)};
}

// The parts of the key of an assignment, each a bare key with or without an index.
std::vector<std::string> segments_of(const std::string& key, std::string_view assignment) {
  std::vector<std::string> segments = split_key(key);
  require(segments.size() <= kMostParts, "--set: a key of more than {} parts", kMostParts);
  for (std::string& segment : segments) {
    const auto [name, index] = split_index(segment, assignment);
    require(is_bare_key(name), "--set {}: \"{}\" is not a key", assignment, key);
    segment = index < 0 ? name : fmt::format("{}[{}]", name, index);
  }
  return segments;
}

// The table in which a key's last segment lives; tables on the way are created.
toml::table& descend(toml::table& start, const std::string& segment, std::string_view assignment) {
  const auto [name, index] = split_index(segment, assignment);
  toml::node* node = start.get(name);
  if (index >= 0) {
    toml::array* list = node == nullptr ? nullptr : node->as_array();
    const std::size_t size = list == nullptr ? 0 : list->size();
    require(static_cast<std::size_t>(index) < size, "--set {}: \"{}\" has {} entries in the deck",
            assignment, name, size);
    node = list->get(static_cast<std::size_t>(index));
  } else if (node == nullptr) {
    node = &start.insert(name, toml::table{}).first->second;
  }
  require(node->is_table(), "--set {}: \"{}\" is {} in the deck, not a table", assignment, segment,
          describe(*node));
  return *node->as_table();
}

}  // namespace

Deck::Deck(std::shared_ptr<State> state, std::string prefix)
    : state_(std::move(state)), prefix_(std::move(prefix)) {}

Deck Deck::from_string(std::string_view text, std::string name) {
  require_shallow(text, name);
  auto state = std::make_shared<State>();
  try {
    state->root = toml::parse(text, std::string_view(name));
  } catch (const toml::parse_error& error) {
    fail("{}:{}:{}: {}", name, error.source().begin.line, error.source().begin.column,
         one_line(std::string(error.description())));
  }
  state->name = std::move(name);
  return {std::move(state), ""};
}

Deck Deck::from_file(const std::filesystem::path& path) {
  require(!is_folder(path), "cannot read the deck {}: it is a directory", path.string());
  std::ifstream file(path, std::ios::binary);
  require(file.is_open(), "cannot read the deck {}: {}", path.string(),
          std::generic_category().message(errno));
  // The length of a pipe or a device is unknown.
  constexpr std::size_t kMostBytes = std::size_t{16} << 20;
  std::string text(kMostBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  require(!file.bad(), "cannot read the deck {}: {}", path.string(),
          std::generic_category().message(errno));
  require(text.size() <= kMostBytes,
          "cannot read the deck {}: it is larger than the 16 MiB that a deck may have",
          path.string());
  return from_string(text, path.string());
}

void Deck::set(std::string_view assignment) {
  const auto equals = assignment.find('=');
  require(equals != std::string_view::npos && equals > 0 &&
              assignment.find('\n') == std::string_view::npos,
          "--set {}: a key and a value are required, such as case.nx=100", assignment);
  const std::string value(trimmed(assignment.substr(equals + 1)));
  const std::vector<std::string> segments =
      segments_of(std::string(trimmed(assignment.substr(0, equals))), assignment);
  const std::string key = fmt::format("{}", fmt::join(segments, "."));
  toml::table* table = &state_->root;
  for (std::size_t i = 0; i + 1 < segments.size(); ++i)
    table = &descend(*table, segments[i], assignment);
  if (value.empty()) {
    require(table->erase(segments.back()) != 0, "--set {}: the deck has no \"{}\" to remove",
            assignment, key);
    return;
  }
  require(split_index(segments.back(), assignment).second < 0,
          "--set {}: a list is set as a whole, such as {}=[1, 2]", assignment,
          key.substr(0, key.rfind('[')));
  toml::table parsed = parse_override(key, value);
  const toml::node* old = table->get(segments.back());
  require(
      old == nullptr || !old->is_table() || parsed.get("value")->is_table(),
      "--set {}: \"{}\" is a table in the deck: set its keys one by one, or all of it: {}={{...}}",
      assignment, key, key);
  if (const toml::table* whole = parsed.get("value")->as_table()) {
    for (auto&& [name, node] : *whole) {
      state_->overridden.insert(key + "." + std::string(name.str()));
    }
  }
  table->insert_or_assign(segments.back(), std::move(*parsed.get("value")));
  state_->overridden.insert(key);
}

Deck Deck::with(std::string_view assignment) const {
  Deck copy(std::make_shared<State>(*state_), prefix_);
  copy.set(assignment);
  return copy;
}

const std::set<std::string>& Deck::overrides() const { return state_->overridden; }

bool Deck::is_overridden(std::string_view key) const {
  return state_->overridden.count(full_key(key)) > 0;
}

void Deck::keep_overrides(std::string_view table) {
  const std::string full = full_key(table);
  toml::table* found = state_->root.at_path(full).as_table();
  if (found == nullptr) return;
  for (auto at = found->begin(); at != found->end();) {
    const bool kept = state_->overridden.count(full + "." + std::string(at->first.str())) > 0;
    at = kept ? std::next(at) : found->erase(at);
  }
}

const std::string& Deck::name() const { return state_->name; }

nlohmann::json Deck::to_json() const { return node_to_json(state_->root); }

}  // namespace tessera::io
