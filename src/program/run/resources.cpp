// SPDX-License-Identifier: Apache-2.0
#include "program/run/resources.hpp"

#include "base/case/case.hpp"
#include "base/device/space.hpp"
#include "base/support/data_directory.hpp"
#include "program/cli/deck_forms.hpp"
#include "program/measure/device.hpp"
#include "program/measure/kernel_resources.hpp"
#include "program/predict/inputs.hpp"
#include "program/predict/occupancy.hpp"
#include "program/predict/plans.hpp"
#include "program/results/published.hpp"
#include "program/results/result_table.hpp"

#include <algorithm>
#include <optional>

namespace tessera {
namespace {

using nlohmann::json;

// The columns of the table that published ones may stand beside.
constexpr const char* kResourceColumns[] = {"team", "league", "registers", "warps", "occupancy"};

/// Regions of one kind: those of a decomposition that follow each other and are alike in extents
/// and formula.
struct RegionGroup {
  std::string name;  ///< "top/bottom"
  Region region;     ///< the first of them
};

/// Regions in groups, in their order.
std::vector<RegionGroup> group_regions(const std::vector<Region>& regions) {
  std::vector<RegionGroup> groups;
  for (const Region& region : regions) {
    if (!groups.empty()) {
      RegionGroup& last = groups.back();
      const Box& a = last.region.box;
      const Box& b = region.box;
      if (last.region.update == region.update && a.nx() == b.nx() && a.ny() == b.ny() &&
          a.nz() == b.nz()) {
        last.name += "/" + std::string(region.name);
        continue;
      }
    }
    groups.push_back({std::string(region.name), region});
  }
  return groups;
}

/// What is listed: regions by decomposition, and what a deck adds.
struct Listed {
  std::vector<std::string> decompositions;
  std::vector<std::vector<RegionGroup>> groups;  // of each decomposition, where there is a deck
  std::string stencil;                           // empty: each variant's example
  std::string precision;
  std::vector<std::string> patterns{"*"};
  std::optional<results::Published> published;
};

Listed read_listed(const ResourcesRequest& request, const Catalogue& catalogue) {
  Listed listed;
  if (request.deck.empty()) {
    listed.decompositions = {""};  // each variant's examples
    listed.precision = request.precision;
  } else {
    io::Deck deck = io::Deck::from_file(find_input(kDeckFile, request.deck));
    for (const auto& assignment : request.overrides) deck.set(assignment);
    keys::check_deck(deck, study_form(catalogue), "list");
    const std::unique_ptr<Case> of_deck = make_case(deck, catalogue.families);
    listed.decompositions = of_deck->decompositions;
    listed.precision = of_deck->precision;
    listed.stencil = of_deck->stencil;
    for (const auto& decomposition : listed.decompositions) {
      listed.groups.push_back(group_regions(of_deck->regions(decomposition)));
    }
    listed.patterns = deck.get<std::vector<std::string>>("select.variants", {"*"});
    require(!listed.patterns.empty(), "{}: an empty list selects no variant",
            deck.where("select.variants"));
    listed.published = read_deck_published(deck);
  }
  if (!request.patterns.empty()) listed.patterns = request.patterns;
  return listed;
}

/// Occupancy limits of the device in use; none on a host or where they are not known.
std::optional<model::OccupancyLimits> device_limits() {
  if (!kOnDevice) return std::nullopt;
  try {
    return model::limits_of(measure::device_properties().architecture);
  } catch (const Error&) {
    return std::nullopt;  // a device newer than this program: dashes, not a failure
  }
}

void add_occupancy(json& row, const Plan& plan, int registers,
                   const std::optional<model::OccupancyLimits>& limits) {
  if (!limits || plan.team <= 1) return;  // one thread: a launch whose team size Kokkos chooses
  const model::Occupancy found =
      model::occupancy(*limits, {plan.team, registers, plan.scratch_bytes});
  row["warps"] = found.warps;
  row["occupancy"] = found.fraction;
  row["limited_by"] = found.limited_by;
}

/// Each region by itself.
std::vector<RegionGroup> one_a_group(const std::vector<Region>& regions) {
  std::vector<RegionGroup> groups;
  groups.reserve(regions.size());
  for (const Region& region : regions) groups.push_back({std::string(region.name), region});
  return groups;
}

json published_of(const results::Published& published, const std::string& name,
                  const std::string& region, const std::string& stencil) {
  json columns = json::array();
  const results::PublishedRow* row = find_row(published, name, region, stencil);
  for (std::size_t c = 0; row != nullptr && c < published.columns.size(); ++c) {
    columns.push_back({{"title", published.columns[c].title},
                       {"quantity", published.columns[c].quantity},
                       {"value", row->values[c]}});
  }
  return columns;
}

}  // namespace

json resource_rows(const ResourcesRequest& request, const Catalogue& catalogue) {
  const Listed listed = read_listed(request, catalogue);
  std::vector<measure::KernelResources> table;
  if (!request.registers.empty()) {
    table = measure::read_kernel_resources(find_input(kKernelResources, request.registers));
  }
  const auto limits = device_limits();
  json rows = json::array();
  for (std::size_t d = 0; d < listed.decompositions.size(); ++d) {
    for (const Selected& s : catalogue.variants.select(listed.patterns)) {
      const auto& tags = s.variant->tags;
      if (!request.tag.empty() && std::find(tags.begin(), tags.end(), request.tag) == tags.end()) {
        continue;
      }
      const std::string& configuration = s.variant->configurations[s.configuration].text;
      const Problem problem = listed.stencil.empty()
                                  ? example_problem(s, listed.precision)
                                  : Problem{listed.stencil, value_bytes(listed.precision)};
      if (!s.variant->computes(problem.stencil)) continue;
      const std::vector<RegionGroup> groups =
          listed.groups.empty() ? one_a_group(s.variant->examples(problem.stencil))
                                : listed.groups[d];
      for (const RegionGroup& group : groups) {
        const Plan plan = s.variant->plan(s.configuration, group.region, problem);
        json row = {{"name", s.full_name()},
                    {"decomposition", listed.decompositions[d]},
                    {"region", group.name},
                    {"unsupported", plan.unsupported}};
        for (const char* key : {"team", "league", "scratch_bytes", "registers", "spilled_bytes",
                                "warps", "occupancy", "limited_by"}) {
          row[key] = nullptr;
        }
        row["published"] = listed.published ? published_of(*listed.published, s.full_name(),
                                                           group.name, problem.stencil)
                                            : json::array();
        if (plan.supported()) {
          row["team"] = plan.team;
          row["league"] = plan.league;
          row["scratch_bytes"] = plan.scratch_bytes;
          const auto kernel =
              measure::find_kernel(table, s.variant->full_name(), configuration, listed.precision,
                                   to_string(group.region.update), problem.stencil);
          if (kernel) row["registers"] = kernel->registers;
          if (kernel) row["spilled_bytes"] = kernel->spilled_bytes;
          add_occupancy(row, plan, kernel ? kernel->registers : 0, limits);
        }
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

std::string format_resources(const json& rows) {
  // Published columns: those of the first row that has any, by what they stand beside.
  json columns = json::array();
  for (const json& row : rows) {
    if (columns.empty()) columns = row.at("published");
  }
  std::vector<std::vector<std::string>> cells = {{"variant:configuration", "regions"}};
  const auto fill = [&](std::vector<std::string>& line, const json* row) {
    for (const char* quantity : kResourceColumns) {
      line.push_back(row == nullptr ? results::label_of(quantity)
                                    : results::show_quantity(quantity, row->at(quantity)));
      for (std::size_t c = 0; c < columns.size(); ++c) {
        if (columns[c].at("quantity") != quantity) continue;
        const bool there = row != nullptr && c < row->at("published").size();
        line.push_back(row == nullptr ? columns[c].at("title").get<std::string>()
                                      : results::show_quantity(
                                            quantity, there ? row->at("published")[c].at("value")
                                                            : json(nullptr)));
      }
    }
  };
  fill(cells.front(), nullptr);
  for (const char* head : {"scratch B", "spilled B", "limited by"})
    cells.front().emplace_back(head);
  for (const json& row : rows) {
    const std::string decomposition = row.at("decomposition");
    cells.push_back(
        {row.at("name"), decomposition.empty()
                             ? row.at("region").get<std::string>()
                             : decomposition + " " + row.at("region").get<std::string>()});
    fill(cells.back(), &row);
    for (const char* key : {"scratch_bytes", "spilled_bytes"}) {
      cells.back().push_back(results::show_quantity(key, row.at(key)));
    }
    const std::string why = row.at("unsupported");
    cells.back().push_back(!why.empty() ? "unsupported: " + why
                           : row.at("limited_by").is_string()
                               ? row.at("limited_by").get<std::string>()
                               : "-");
  }
  return results::layout_table(cells, 2, 1);
}

}  // namespace tessera
