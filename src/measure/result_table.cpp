// SPDX-License-Identifier: Apache-2.0
#include "measure/result_table.hpp"

#include "error.hpp"
#include "io/atomic_file.hpp"

#include <algorithm>
#include <iterator>

namespace tessera::measure {

namespace {

using Row = std::vector<std::string>;

std::string number(const std::optional<double>& value, const char* format, double scale = 1) {
  return value ? fmt::format(fmt::runtime(format), *value * scale) : "-";
}

std::optional<double> number_at(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

// What the traffic model says a stage moves, in bytes a cell.
std::optional<double> volume_of(const Result& r, const char* stage) {
  const auto found = r.predicted.find("volume_bytes_per_cell");
  return found == r.predicted.end() ? std::nullopt : number_at(*found, stage);
}

std::string full_name(const Result& r) {
  return r.configuration.empty() ? r.variant : r.variant + ":" + r.configuration;
}

// True where the table must say which stencil a row is of.
bool several_stencils(const std::vector<Result>& results) {
  return std::any_of(results.begin(), results.end(),
                     [&](const Result& r) { return r.stencil != results.front().stencil; });
}

// Adds the stencil, without its family, behind the name.
void name_stencils(std::vector<Row>& rows, const std::vector<const Result*>& results) {
  rows.front().insert(rows.front().begin() + 1, "stencil");
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string& stencil = results[i]->stencil;
    rows[i + 1].insert(rows[i + 1].begin() + 1, stencil.substr(stencil.find('/') + 1));
  }
}

Row table_row(const Result& r) {
  std::string gcell = "-";
  std::string range = "-";
  if (r.gcell_per_s) {
    gcell = fmt::format("{}{:.3f}", r.noisy ? "~" : "", r.gcell_per_s->median);
    range = fmt::format("[{:.3f}, {:.3f}]", r.gcell_per_s->min, r.gcell_per_s->max);
  }
  return {full_name(r),
          r.decomposition.empty() ? "-" : r.decomposition,
          gcell,
          range,
          number(r.effective_gb_per_s, "{:.1f}"),
          number(r.fraction_of_copy, "{:.1f}", 100),
          number(r.fraction_of_update, "{:.1f}", 100),
          number(r.gflop_per_s, "{:.1f}"),
          number(r.flop_per_byte, "{:.2f}"),
          number(r.fraction_of_roofline, "{:.1f}", 100),
          r.gcell_per_s ? number(number_at(r.predicted, "gcell_per_s"), "{:.3f}") : "-",
          r.gcell_per_s ? number(number_at(r.predicted, "deviation"), "{:+.1f}", 100) : "-",
          to_string(r.status)};
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

// Shortest text that reads back as the same number; empty where there is none.
std::string exact(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

std::string text_of(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void append_line(std::string& out, const Row& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += ',';
    out += quoted(cells[i]);
  }
  out += '\n';
}

}  // namespace

std::string layout_table(const std::vector<Row>& rows, std::size_t words,
                         std::size_t closing_words) {
  std::vector<std::size_t> width(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  }
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t c = 0; c < width.size(); ++c) {
      const bool word = c < words || c + closing_words >= width.size();
      out += word ? fmt::format("{:<{}}", rows[i][c], width[c])
                  : fmt::format("{:>{}}", rows[i][c], width[c]);
      if (c + 1 < width.size()) out += "  ";
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
    if (i == 0) {
      std::size_t total = 2 * (width.size() - 1);
      for (const std::size_t w : width) total += w;
      out += std::string(total, '-') + '\n';
    }
  }
  return out;
}

std::string format_table(const std::vector<Result>& results) {
  std::vector<Row> rows = {{"variant:configuration", "decomposition", "GCell/s", "[min, max]",
                            "GB/s effective", "% of copy", "% of update", "GFLOP/s", "flop/B",
                            "% of roof", "predicted", "dev. %", "status"}};
  std::vector<const Result*> shown;
  for (const Result& result : results) {
    rows.push_back(table_row(result));
    shown.push_back(&result);
  }
  const bool several = several_stencils(results);
  if (several) name_stencils(rows, shown);
  std::string out = layout_table(rows, several ? 3 : 2, 1);
  bool noisy = false;
  for (const Result& r : results) {
    noisy = noisy || (r.noisy && r.gcell_per_s);
    // Rows that only ran for a profiler are all alike; a note below the table says so once.
    if (r.status == Status::valid || r.status == Status::unverified) continue;
    fmt::format_to(std::back_inserter(out), "{} {}: {}\n", full_name(r), to_string(r.status),
                   r.reason);
  }
  if (noisy) out += "~ noisy: the inter-quartile range exceeds 3 % of the median\n";
  return out;
}

std::string format_volumes(const std::vector<Result>& results) {
  // A column: its heading, the counter or plan figure, the format, the factor.
  struct Column {
    const char* title;
    const char* key;
    const char* format;
    double scale;
  };
  constexpr Column kColumns[] = {
      {"DRAM B/cell", "dram_bytes_per_cell", "{:.1f}", 1},
      {"GB/s achieved", "achieved_gb_per_s", "{:.1f}", 1},
      {"R/W", "read_write_ratio", "{:.3f}", 1},
      {"flop/B", "dram_flop_per_byte", "{:.2f}", 1},
      {"% of roof", "dram_fraction_of_roofline", "{:.1f}", 100},
      {"L2 B/cell", "l2_bytes_per_cell", "{:.1f}", 1},
      {"flop/B", "l2_flop_per_byte", "{:.2f}", 1},
      {"% of roof", "l2_fraction_of_roofline", "{:.1f}", 100},
  };
  std::vector<Row> rows = {
      {"variant:configuration", "decomposition", "least B/cell", "predicted", "predicted L2"}};
  for (const Column& column : kColumns) rows.front().emplace_back(column.title);
  std::vector<const Result*> shown;
  for (const Result& r : results) {
    if (r.counters.empty()) continue;
    shown.push_back(&r);
    rows.push_back({full_name(r), r.decomposition.empty() ? "-" : r.decomposition,
                    number(number_at(r.predicted, "bytes_per_cell"), "{:.1f}"),
                    number(volume_of(r, "gm"), "{:.1f}"), number(volume_of(r, "l2"), "{:.1f}")});
    for (const Column& column : kColumns) {
      rows.back().push_back(number(number_at(r.counters, column.key), column.format, column.scale));
    }
  }
  if (rows.size() == 1) return "";
  const bool several = several_stencils(results);
  if (several) name_stencils(rows, shown);
  return "by hardware counters:\n" + layout_table(rows, several ? 3 : 2, 0);
}

std::string to_csv(const ResultFile& file) {
  std::string platform = text_of(file.machine, "name");
  if (platform.empty()) platform = text_of(file.machine, "device");
  std::string out;
  append_line(out, {"application",
                    "problem",
                    "platform",
                    "fom",
                    "family",
                    "stencil",
                    "variant",
                    "configuration",
                    "decomposition",
                    "precision",
                    "nx",
                    "ny",
                    "nz",
                    "steps",
                    "status",
                    "reason",
                    "seconds_per_step_median",
                    "iqr_s",
                    "noisy",
                    "steps_per_sample",
                    "repetitions",
                    "temporal_depth",
                    "gcell_per_s_min",
                    "gcell_per_s_median",
                    "gcell_per_s_max",
                    "effective_gb_per_s",
                    "fraction_of_copy",
                    "fraction_of_update",
                    "gflop_per_s",
                    "flop_per_byte",
                    "roofline_gflop_per_s",
                    "fraction_of_roofline",
                    "u_min",
                    "u_max",
                    "predicted_step_s",
                    "predicted_gcell_per_s",
                    "predicted_deviation",
                    "copy_gb_per_s",
                    "triad_gb_per_s",
                    "update_gb_per_s",
                    "date",
                    "version",
                    "git_revision"});
  const auto stream = [&file](Rate StreamRates::*which) {
    return file.streams ? exact(((*file.streams).*which).median) : std::string();
  };
  for (const Result& stored : file.results) {
    Result r = stored;
    // The same guard as in JSON: no rate leaves a row that is not valid.
    if (r.status != Status::valid) set_failed(r, r.status, r.reason.empty() ? "-" : r.reason);
    const std::optional<Rate> rate = r.gcell_per_s;
    const auto part = [&rate](double Rate::*which) {
      return rate ? exact((*rate).*which) : std::string();
    };
    const std::string seconds =
        r.samples_s.empty() ? std::string() : exact(summarise(r.samples_s).median);
    append_line(out,
                {"tessera " + full_name(r) + (r.decomposition.empty() ? "" : " " + r.decomposition),
                 fmt::format("{} {}x{}x{} {}", r.stencil, r.nx, r.ny, r.nz, r.precision),
                 platform,
                 part(&Rate::median),
                 r.family,
                 r.stencil,
                 r.variant,
                 r.configuration,
                 r.decomposition,
                 r.precision,
                 std::to_string(r.nx),
                 std::to_string(r.ny),
                 std::to_string(r.nz),
                 std::to_string(r.steps),
                 to_string(r.status),
                 r.reason,
                 seconds,
                 exact(r.iqr_s),
                 r.noisy ? "true" : "false",
                 std::to_string(r.steps_per_sample),
                 std::to_string(r.samples_s.size()),
                 std::to_string(r.temporal_depth),
                 part(&Rate::min),
                 part(&Rate::median),
                 part(&Rate::max),
                 exact(r.effective_gb_per_s),
                 exact(r.fraction_of_copy),
                 exact(r.fraction_of_update),
                 exact(r.gflop_per_s),
                 exact(r.flop_per_byte),
                 exact(r.roofline_gflop_per_s),
                 exact(r.fraction_of_roofline),
                 exact(r.u_min),
                 exact(r.u_max),
                 exact(number_at(r.predicted, "step_s")),
                 exact(number_at(r.predicted, "gcell_per_s")),
                 exact(number_at(r.predicted, "deviation")),
                 stream(&StreamRates::copy),
                 stream(&StreamRates::triad),
                 stream(&StreamRates::update),
                 file.date,
                 text_of(file.build, "version"),
                 text_of(file.build, "git_revision")});
  }
  return out;
}

void write_csv(const ResultFile& file, const std::filesystem::path& path) {
  io::write_atomically(path, to_csv(file));
}

}  // namespace tessera::measure
