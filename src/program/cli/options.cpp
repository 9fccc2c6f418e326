// SPDX-License-Identifier: Apache-2.0
#include "program/cli/options.hpp"

#include "base/support/error.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace tessera {
namespace {

constexpr const char* kNothing = "is empty: give it a value, or leave it out";

std::string refuse_empty(const std::string& text) { return text.empty() ? kNothing : ""; }

/// Whether a text is a number of the type and nothing else.
template <class T>
bool is_number(const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) return false;
  }
  return error == std::errc() && rest == end;
}

}  // namespace

std::string finite_number(const std::string& text) {
  if (text.empty()) return kNothing;
  return is_number<double>(text) ? "" : text + " is no finite number";
}

template <class Whole>
std::string whole_number(const std::string& text) {
  if (text.empty()) return kNothing;
  const bool octal = text.size() > 1 && text[0] == '0';  // to the parser
  if (!octal && is_number<Whole>(text)) return "";
  return fmt::format("{} is no whole number from {} to {}", text, std::numeric_limits<Whole>::min(),
                     std::numeric_limits<Whole>::max());
}

template std::string whole_number<std::int64_t>(const std::string&);
template std::string whole_number<std::uint64_t>(const std::string&);

void refuse_empty_values(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    for (CLI::Option* option : command->get_options()) {
      const bool flag = option->get_items_expected_max() == 0;
      if (!flag) option->check(refuse_empty);
    }
  }
}

void refuse_together(CLI::App& command, const std::string& option,
                     std::initializer_list<const char*> others) {
  CLI::Option* const one = command.get_option(option);
  for (const char* other : others) one->excludes(command.get_option(other));
}

void refuse_without(CLI::App& command, const std::string& other,
                    std::initializer_list<const char*> options) {
  CLI::Option* const wanted = command.get_option(other);
  for (const char* option : options) command.get_option(option)->needs(wanted);
}

void require_values(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") return;
    const bool option = word.substr(0, 2) == "--";
    require(!option || word.find('=') + 1 != word.size(), "{} {}", word.substr(0, word.find('=')),
            kNothing);
  }
}

}  // namespace tessera
