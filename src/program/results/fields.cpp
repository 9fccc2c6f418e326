// SPDX-License-Identifier: Apache-2.0
#include "program/results/fields.hpp"

#include "base/io/json_file.hpp"
#include "base/support/error.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tessera::results {
namespace {

/// Numbers that are whole are written without a decimal point: people read sizes too.
json plain(json value) {
  constexpr double kExact = 1e15;
  if (!value.is_number_float() || std::abs(value.get<double>()) > kExact) return value;
  const auto whole = static_cast<std::int64_t>(value.get<double>());
  return static_cast<double>(whole) == value.get<double>() ? json(whole) : value;
}

bool is_date(const std::string& text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  return text.size() == kForm.size() &&
         std::equal(text.begin(), text.end(), kForm.begin(), [](char c, char form) {
           return form == '0' ? c >= '0' && c <= '9' : c == form;
         });
}

std::string expected(const Type& type) {
  switch (type.kind) {
    case Type::Kind::text:
      return type.choices.empty() ? "a text"
                                  : fmt::format("one of {}", fmt::join(type.choices, ", "));
    case Type::Kind::date:
      return "a date in UTC as 2026-01-31T23:59:59Z";
    case Type::Kind::flag:
      return "true or false";
    case Type::Kind::number:
      return fmt::format("a {}number from {} to {}", type.range.whole ? "whole " : "",
                         type.range.least, type.range.most);
    default:
      return "an object";
  }
}

bool fits(const Type& type, const json& value) {
  switch (type.kind) {
    case Type::Kind::text:
      return value.is_string() && !(type.not_empty && value == "") &&
             (type.choices.empty() || std::find(type.choices.begin(), type.choices.end(),
                                                value.get<std::string>()) != type.choices.end());
    case Type::Kind::date:
      return value.is_string() && is_date(value.get<std::string>());
    case Type::Kind::flag:
      return value.is_boolean();
    case Type::Kind::number: {
      if (!value.is_number()) return false;
      const auto number = value.get<double>();
      return number >= type.range.least && number <= type.range.most &&
             (!type.range.whole || number == std::floor(number));
    }
    default:
      return value.is_object();
  }
}

std::string joined(const std::string& place, const std::string& name) {
  return place.empty() ? name : place + "." + name;
}

Type of_kind(Type::Kind kind) {
  Type type;
  type.kind = kind;
  return type;
}

}  // namespace

Type text(std::vector<std::string> choices) {
  Type type;
  type.choices = std::move(choices);
  return type;
}

Type some_text() {
  Type type;
  type.not_empty = true;
  return type;
}

Type date() { return of_kind(Type::Kind::date); }
Type flag() { return of_kind(Type::Kind::flag); }
Type any_object() { return of_kind(Type::Kind::any_object); }

Type number(NumberRange range) {
  Type type = of_kind(Type::Kind::number);
  type.range = range;
  return type;
}

Type number(double least, double most) { return number({least, most, false}); }
Type whole(double least, double most) { return number({least, most, true}); }

Type object(const Fields& fields) {
  Type type = of_kind(Type::Kind::object);
  type.fields = &fields;
  return type;
}

Type list(Type of, std::size_t least, std::size_t most) {
  of.list = true;
  of.least_entries = least;
  of.most_entries = most;
  return of;
}

Type map(Type of) {
  of.map = true;
  return of;
}

Type maybe(Type of) {
  of.null = true;
  return of;
}

Field::Field(std::string_view name_, Type type_, std::string_view about_, Member member_,
             Shown shown_)
    : name(name_),
      type(std::move(type_)),
      about(about_),
      member(std::move(member_)),
      shown(shown_) {
  if (!name.ends_with('?')) return;
  name.pop_back();
  required = false;
}

std::vector<Field> fields(const std::vector<const char*>& names, const Type& type) {
  std::vector<Field> all;
  for (const char* name : names) all.emplace_back(name, type);
  return all;
}

Fields all_of(const std::vector<std::vector<Field>>& parts) {
  std::vector<Field> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return Fields(std::move(all));
}

const Field* Fields::find(std::string_view name) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Field& field) { return field.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

void check(const Type& type, const json& value, const std::string& file, const std::string& place) {
  if (type.null && value.is_null()) return;
  Type entry = type;
  entry.null = entry.list = entry.map = false;
  if (type.list) {
    require(value.is_array(), "{}: {} is {}, expected a list", file, place, io::brief(value));
    require(value.size() >= type.least_entries && value.size() <= type.most_entries,
            "{}: {} has {} entries, expected {}", file, place, value.size(),
            value.size() < type.least_entries ? fmt::format("{} or more", type.least_entries)
                                              : fmt::format("{} at most", type.most_entries));
    for (std::size_t i = 0; i < value.size(); ++i) {
      check(entry, value[i], file, fmt::format("{}[{}]", place, i));
    }
  } else if (type.map) {
    require(value.is_object(), "{}: {} is {}, expected an object", file, place, io::brief(value));
    for (const auto& [key, one] : value.items()) check(entry, one, file, joined(place, key));
  } else {
    require(fits(type, value), "{}: {} is {}, expected {}", file, place, io::brief(value),
            expected(type));
    if (type.kind == Type::Kind::object) check(*type.fields, value, file, place);
  }
}

void check(const Fields& fields, const json& object, const std::string& file,
           const std::string& place) {
  const std::string before = place.empty() ? file : file + ": " + place;
  require(object.is_object(), "{}: expected an object", before);
  for (const auto& [key, value] : object.items()) {
    if (fields.find(key) != nullptr) continue;
    std::vector<std::string> known;
    for (const Field& field : fields.entries) known.push_back(field.name);
    fail("{}: unknown key \"{}\"; known keys: {}", before, key, fmt::join(known, ", "));
  }
  for (const Field& field : fields.entries) {
    const auto found = object.find(field.name);
    require(found != object.end() || !field.required, "{}: no key \"{}\"", before, field.name);
    if (found != object.end()) check(field.type, *found, file, joined(place, field.name));
  }
}

json write_fields(const Fields& fields, std::type_index owner, const void* from) {
  json out = json::object();
  for (const Field& field : fields.entries) {
    const bool same = !field.member.get && field.type.fields != nullptr && !field.type.list;
    json value;
    if (field.member.get) {
      require(field.member.owner == owner, "{} is a member of another structure", field.name);
      value = plain(field.member.get(from));
    } else if (same) {  // an object of members of the same structure
      value = write_fields(*field.type.fields, owner, from);
      if (value.empty()) continue;
    } else if (field.type.choices.size() == 1) {
      value = field.type.choices.front();
    }
    if (!value.is_null() || field.type.null) out[field.name] = std::move(value);
  }
  return out;
}

void fill_fields(const Fields& fields, const json& object, std::type_index owner, void* into) {
  for (const Field& field : fields.entries) {
    const auto found = object.find(field.name);
    if (found == object.end() || found->is_null()) continue;
    if (field.member.set) {
      require(field.member.owner == owner, "{} is a member of another structure", field.name);
      field.member.set(into, *found);
    } else if (!field.member.get && field.type.fields != nullptr && !field.type.list) {
      fill_fields(*field.type.fields, *found, owner, into);
    }
  }
}

}  // namespace tessera::results
