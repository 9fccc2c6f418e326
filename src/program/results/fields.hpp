// SPDX-License-Identifier: Apache-2.0
// The fields of our JSON files, declared once. A table of fields gives what reads and writes a
// file, its JSON Schema, the tables of docs/results.md, and the columns of results.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

namespace tessera::results {

using nlohmann::json;
class Fields;

/// From `least` to `most`; a count is `whole`.
struct NumberRange {
  double least = std::numeric_limits<double>::lowest();
  double most = std::numeric_limits<double>::max();
  bool whole = false;
};

/// What a field holds.
struct Type {
  enum class Kind { text, date, flag, number, object, any_object };
  Kind kind = Kind::text;
  NumberRange range;                 ///< of a number
  std::vector<std::string> choices;  ///< of a text that is one of a few
  bool not_empty = false;            ///< of a text
  const Fields* fields = nullptr;    ///< of an object
  bool null = false;                 ///< null where there is nothing
  bool map = false;                  ///< an object of any names, each with such a value
  bool list = false;                 ///< of such values
  std::size_t least_entries = 0, most_entries = std::numeric_limits<std::size_t>::max();
};

Type text(std::vector<std::string> choices = {});
Type some_text();  ///< not empty
Type date();       ///< UTC, as utc_now() gives it: files are ordered by it as by a text
Type flag();
Type number(NumberRange range = {});
Type number(double least, double most = std::numeric_limits<double>::max());
Type whole(double least, double most = std::numeric_limits<double>::max());
Type object(const Fields& fields);
Type any_object();
Type list(Type of, std::size_t least = 0,
          std::size_t most = std::numeric_limits<std::size_t>::max());
Type map(Type of);
Type maybe(Type of);

/// Of any structure, by its type: what write() and fill() stand on.
[[nodiscard]] json write_fields(const Fields& fields, std::type_index owner, const void* from);
void fill_fields(const Fields& fields, const json& object, std::type_index owner, void* into);

/// A structure as an object: what is absent is null where the field may be, else left out.
template <class Owner>
[[nodiscard]] json write(const Fields& fields, const Owner& from) {
  return write_fields(fields, typeid(Owner), &from);
}

/// Sets the members that a checked object has fields of.
template <class Owner>
void fill(const Fields& fields, const json& object, Owner& into) {
  fill_fields(fields, object, typeid(Owner), &into);
}

/// Where a field's value lives in a structure: a member that nlohmann::json converts (an absent one
/// is null), a structure with fields of its own, one that may be absent, or a list of such.
struct Member {
  std::function<json(const void*)> get;
  std::function<void(void*, const json&)> set;
  std::type_index owner = typeid(void);

  Member() = default;
  template <class Owner, class T>
  Member(T Owner::*m)  // NOLINT(google-explicit-constructor): tables hold `&Result::nx`
      : Member(of<Owner>([m](const Owner& from) { return json(from.*m); },
                         [m](Owner& into, const json& value) { value.get_to(into.*m); })) {}
  template <class Owner, class T>
  Member(std::optional<T> Owner::*m)  // NOLINT(google-explicit-constructor)
      : Member(of<Owner>([m](const Owner& from) { return from.*m ? json(*(from.*m)) : json(); },
                         [m](Owner& into, const json& value) { into.*m = value.get<T>(); })) {}
  template <class Owner, class T>
  Member(T Owner::*m, const Fields& fields)
      : Member(of<Owner>(
            [m, &fields](const Owner& from) { return write(fields, from.*m); },
            [m, &fields](Owner& into, const json& value) { fill(fields, value, into.*m); })) {}
  template <class Owner, class T>
  Member(std::optional<T> Owner::*m, const Fields& fields)
      : Member(of<Owner>(
            [m, &fields](const Owner& from) {
              return from.*m ? write(fields, *(from.*m)) : json();
            },
            [m, &fields](Owner& into, const json& value) {
              fill(fields, value, (into.*m).emplace());
            })) {}
  template <class Owner, class T>
  Member(std::vector<T> Owner::*m, const Fields& fields)
      : Member(of<Owner>(
            [m, &fields](const Owner& from) {
              json out = json::array();
              for (const T& entry : from.*m) out.push_back(write(fields, entry));
              return out;
            },
            [m, &fields](Owner& into, const json& value) {
              for (const json& entry : value) fill(fields, entry, (into.*m).emplace_back());
            })) {}

  /// By functions; without `set` the field is written alone.
  template <class Owner>
  static Member of(std::function<json(const Owner&)> get,
                   std::function<void(Owner&, const json&)> set = nullptr) {
    Member made;
    made.owner = typeid(Owner);
    made.get = [get](const void* from) { return get(*static_cast<const Owner*>(from)); };
    if (set) {
      made.set = [set](void* into, const json& value) { set(*static_cast<Owner*>(into), value); };
    }
    return made;
  }
};

/// Where a field of a row of results shows, beside its file.
struct Shown {
  enum class Table { none, wide, volumes };  ///< of `run --wide`: rates, or what counters say
  const char* csv = nullptr;                 ///< its column in CSV; none
  const char* heading = nullptr;             ///< its column in tables for people, with the unit
  int digits = 1;
  Table table = Table::none;
  double scale = 1;
};

struct Field {
  std::string name;
  Type type;
  std::string about;  ///< one sentence, or what the name leaves open
  Member member;
  Shown shown;
  bool required = true;

  /// A name with '?' is of a field that a file may lack.
  Field(std::string_view name_, Type type_, std::string_view about_ = "", Member member_ = {},
        Shown shown_ = {});
};

/// A table of fields.
class Fields {
 public:
  Fields(std::initializer_list<Field> entries_) : entries(entries_) {}
  explicit Fields(std::vector<Field> entries_) : entries(std::move(entries_)) {}

  [[nodiscard]] const Field* find(std::string_view name) const;

  std::vector<Field> entries;
};

/// Several fields of one type; some tables as one.
[[nodiscard]] std::vector<Field> fields(const std::vector<const char*>& names, const Type& type);
[[nodiscard]] Fields all_of(const std::vector<std::vector<Field>>& parts);

/// Throws Error, by file, place and range, where a value is not of its type: a field that is
/// missing, unknown, of another kind or out of its range.
void check(const Type& type, const json& value, const std::string& file, const std::string& place);
void check(const Fields& fields, const json& object, const std::string& file,
           const std::string& place = "");

/// Checks an object, then fills a structure from it.
template <class Owner>
[[nodiscard]] Owner read(const Fields& fields, const json& object, const std::string& file,
                         const std::string& place = "") {
  check(fields, object, file, place);
  Owner out;
  fill(fields, object, out);
  return out;
}

}  // namespace tessera::results
