// SPDX-License-Identifier: Apache-2.0
#include "program/predict/paper_depths.hpp"

#include "base/io/deck.hpp"
#include "base/support/error.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tessera::model {

std::int64_t PaperDepths::depth(std::string_view stencil, std::string_view library) const {
  const auto column = std::find(libraries.begin(), libraries.end(), library);
  require(column != libraries.end(), "{} has no depths of {}", source, library);
  for (const PaperDepth& row : rows) {
    if (row.stencil == stencil) {
      return row.depths[static_cast<std::size_t>(column - libraries.begin())];
    }
  }
  fail("{} has no depths of {}", source, stencil);
}

PaperDepths read_paper_depths(const std::filesystem::path& path) {
  const io::Deck file = io::Deck::from_file(path);
  const std::string schema = file.get("schema", "absent");
  require(schema == kPaperDepthsSchema, "{}: schema is {}, this version reads {}", path.string(),
          schema, kPaperDepthsSchema);
  PaperDepths out;
  out.source = file.get<std::string>("source");
  out.libraries = file.get<std::vector<std::string>>("libraries");
  for (const io::Deck& table : file.tables("row")) {
    PaperDepth row;
    row.stencil = table.get<std::string>("stencil");
    const auto domain = table.get<std::vector<std::int64_t>>("domain");
    require(domain.size() == 3 && *std::min_element(domain.begin(), domain.end()) > 0,
            "{}: three extents nx, ny, nz above 0 are required", table.where("domain"));
    row.nx = domain[0], row.ny = domain[1], row.nz = domain[2];
    row.depths = table.get<std::vector<std::int64_t>>("depth");
    require(row.depths.size() == out.libraries.size(), "{}: {} depths for {} libraries",
            table.where("depth"), row.depths.size(), out.libraries.size());
    require(*std::min_element(row.depths.begin(), row.depths.end()) >= 0, "{}: a depth is below 0",
            table.where("depth"));
    out.rows.push_back(std::move(row));
  }
  require(!out.libraries.empty() && !out.rows.empty(), "{}: no libraries or no rows",
          path.string());
  return out;
}

}  // namespace tessera::model
