// SPDX-License-Identifier: Apache-2.0
#include "variants/ete/case/coefficients.hpp"

#include "base/case/random.hpp"
#include "base/io/atomic_file.hpp"
#include "base/io/json_file.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "variants/ete/case/device_copy.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace tessera::ete {
namespace {

constexpr const char* kTableSchema = "tessera-ete-table-1";

/// The largest Real not above `value`.
template <class Real>
Real round_down(double value) {
  const auto nearest = static_cast<Real>(value);
  return static_cast<double>(nearest) <= value
             ? nearest
             : std::nextafter(nearest, -std::numeric_limits<Real>::infinity());
}

/// Row of an isotropic table -> row of a z_distinct one that holds the same points of the plane.
template <int Points>
constexpr int distinct_row(int isotropic_row) {
  using Iso = Shape<Points, Rows::isotropic>;
  Point p = Iso::kList.point[Iso::kList.first[isotropic_row]];
  if (p.z != 0 && p.x == 0) std::swap(p.z, p.x);
  if (p.z != 0 && p.y == 0) std::swap(p.z, p.y);
  return Shape<Points>::row_of(p);
}

/// Spacings and velocities that a fit can have been made for; equal velocities may stand beside
/// each other.
void require_sensible(const CoefficientTable& table, const std::string& path) {
  require(std::isfinite(table.z_spacing) && table.z_spacing > 0,
          "{}: z_spacing = {} is not a positive number (h_z / h_x)", path, table.z_spacing);
  for (std::size_t v = 0; v < table.alpha.size(); ++v) {
    const double alpha = table.alpha[v];
    require(std::isfinite(alpha) && alpha > 0,
            "{}: alpha = {} of column {} is not a positive number (v dt / h)", path, alpha, v);
    require(v == 0 || alpha >= table.alpha[v - 1],
            "{}: alpha falls from {} to {} at column {}: columns are required by rising velocity",
            path, table.alpha[v == 0 ? 0 : v - 1], alpha, v);
  }
}

}  // namespace

bool CoefficientTable::isotropic() const {
  return with_shape(points, [&](auto shape) {
    using S = decltype(shape);
    for (int v = 0; v < columns(); ++v) {
      for (int m = 1; m <= kR; ++m) {
        if (at(v, S::z_row(m)) != at(v, S::axis_row(m))) return false;
        if (m <= S::kDiagonals && at(v, S::z_diagonal_row(m)) != at(v, S::diagonal_row(m))) {
          return false;
        }
      }
    }
    return true;
  });
}

CoefficientTable random_table(int points, int columns, bool isotropic, std::uint64_t seed) {
  CoefficientTable table;
  table.points = points;
  table.z_spacing = isotropic ? 1 : 1.5;
  table.alpha.assign(static_cast<std::size_t>(columns), 0.1);
  table.values.assign(static_cast<std::size_t>(columns) * table.rows(), 0.0);
  with_shape(points, [&](auto shape) {
    using S = decltype(shape);
    for (int v = 0; v < columns; ++v) {
      double sum = 0;
      for (int row = 0; row < S::kRows; ++row) {
        if (S::points_of(row) == 0 || row == S::kCentreRow) continue;
        const auto position = static_cast<std::uint64_t>(v) * S::kRows + row;
        table.at(v, row) = (2 * random_value(seed, position) - 1) / S::kPoints;
      }
      for (int m = 1; isotropic && m <= kR; ++m) {
        table.at(v, S::z_row(m)) = table.at(v, S::axis_row(m));
        if (m <= S::kDiagonals) table.at(v, S::z_diagonal_row(m)) = table.at(v, S::diagonal_row(m));
      }
      for (int row = 0; row < S::kRows; ++row) sum += S::points_of(row) * table.at(v, row);
      table.at(v, S::kCentreRow) = 1 - sum;
    }
  });
  return table;
}

void save_table(const CoefficientTable& table, const std::filesystem::path& path) {
  nlohmann::json json = {{"schema", kTableSchema},
                         {"points", table.points},
                         {"z_spacing", table.z_spacing},
                         {"alpha", table.alpha}};
  nlohmann::json columns = nlohmann::json::array();
  for (int v = 0; v < table.columns(); ++v) {
    const auto first = table.values.begin() + static_cast<std::ptrdiff_t>(v) * table.rows();
    columns.push_back(std::vector<double>(first, first + table.rows()));
  }
  json["columns"] = columns;
  io::write_atomically(path, io::json_text(json, 1) + "\n");
}

CoefficientTable parse_table(const std::string& text, const std::string& name) {
  CoefficientTable table;
  try {
    const nlohmann::json json = io::parse_json(text, name);
    require(json.at("schema") == kTableSchema, "{}: schema is {}, expected \"{}\"", name,
            io::brief(json.at("schema")), kTableSchema);
    table.points = json.at("points").get<int>();
    require(table.points == 37 || table.points == 73, "{}: points = {} is neither 37 nor 73", name,
            table.points);
    table.z_spacing = json.at("z_spacing").get<double>();
    table.alpha = json.at("alpha").get<std::vector<double>>();
    require(!table.alpha.empty() && json.at("columns").size() == table.alpha.size(),
            "{}: {} columns and {} values of alpha: as many of each are required, at least one",
            name, json.at("columns").size(), table.alpha.size());
    for (const auto& column : json.at("columns")) {
      const auto rows = column.get<std::vector<double>>();
      require(rows.size() == static_cast<std::size_t>(table.rows()),
              "{}: a column has {} rows, {} points have {}", name, rows.size(), table.points,
              table.rows());
      table.values.insert(table.values.end(), rows.begin(), rows.end());
    }
  } catch (const nlohmann::json::exception& e) {
    fail("{}: not a table of coefficients: {}", name, io::reason_of(e));
  }
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    require(std::isfinite(table.values[i]), "{}: column {}, row {} is not a number", name,
            i / table.rows(), i % table.rows());
  }
  require_sensible(table, name);
  return table;
}

template <class Real>
std::vector<Real> rounded(const CoefficientTable& table) {
  std::vector<Real> values(table.values.size());
  with_shape(table.points, [&](auto shape) {
    using S = decltype(shape);
    for (int v = 0; v < table.columns(); ++v) {
      Real* column = values.data() + static_cast<std::size_t>(v) * S::kRows;
      double others = 0;
      for (int row = 0; row < S::kRows; ++row) {
        if (row == S::kCentreRow) continue;
        column[row] = static_cast<Real>(table.at(v, row));
        others += S::points_of(row) * static_cast<double>(column[row]);
      }
      column[S::kCentreRow] = round_down<Real>(1 - others);
    }
  });
  return values;
}

template <class Real>
DeviceTables<Real>::DeviceTables(const CoefficientTable& table) : columns_(table.columns()) {
  const std::vector<Real> values = rounded<Real>(table);
  with_shape(table.points, [&](auto shape) {
    using S = decltype(shape);
    using Full = Shape<S::kPoints, Rows::full>;
    using Iso = Shape<S::kPoints, Rows::isotropic>;
    const auto columns = static_cast<std::size_t>(columns_);
    // Copies of the columns with their rows in another order.
    const auto reordered = [&](int rows, const char* label, const auto& row_of) {
      const int stride = padded_rows<Real>(rows);
      std::vector<Real> to(columns * stride, Real(0));
      for (std::size_t v = 0; v < columns; ++v) {
        for (int r = 0; r < rows; ++r) to[v * stride + r] = values[v * S::kRows + row_of(r)];
      }
      return to_device(to, label);
    };
    by_velocity_ = reordered(S::kRows, "tessera::ete::table", [](int r) { return r; });
    full_ = reordered(Full::kRows, "tessera::ete::full_table",
                      [](int j) { return S::row_of(Full::kList.point[j]); });
    if (table.isotropic()) {
      isotropic_ = reordered(Iso::kRows, "tessera::ete::isotropic_table",
                             [](int r) { return distinct_row<S::kPoints>(r); });
    }
    const auto pitch = static_cast<std::size_t>(class_pitch(columns_));
    std::vector<Real> by_class(pitch * S::kRows, Real(0));
    for (std::size_t v = 0; v < columns; ++v) {
      for (int r = 0; r < S::kRows; ++r) by_class[r * pitch + v] = values[v * S::kRows + r];
    }
    by_class_ = to_device(by_class, "tessera::ete::table_by_class");
  });
}

template <class Real>
Tables<Real> DeviceTables<Real>::ref() const {
  return {by_velocity_.data(), by_class_.data(), isotropic_.data(),
          full_.data(),        columns_,         class_pitch(columns_)};
}

template std::vector<float> rounded<float>(const CoefficientTable&);
template std::vector<double> rounded<double>(const CoefficientTable&);
template class DeviceTables<float>;
template class DeviceTables<double>;

}  // namespace tessera::ete
