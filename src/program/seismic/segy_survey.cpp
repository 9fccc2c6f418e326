// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/segy_survey.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <tuple>
#include <utility>

#include "base/io/atomic_file.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "program/seismic/segy_reader.hpp"

namespace tessera::io {

namespace fs = std::filesystem;

namespace {

Position source_of(const TraceHeader& h) {
  return {header_metres(h, SEGY_TR_SOURCE_X, SEGY_TR_SOURCE_GROUP_SCALAR),
          header_metres(h, SEGY_TR_SOURCE_Y, SEGY_TR_SOURCE_GROUP_SCALAR),
          header_metres(h, SEGY_TR_SOURCE_DEPTH, SEGY_TR_ELEV_SCALAR) -
              header_metres(h, SEGY_TR_SOURCE_SURF_ELEV, SEGY_TR_ELEV_SCALAR)};
}

Position receiver_of(const TraceHeader& h) {
  // + 0.0: of an elevation of 0 too the depth is no negative zero.
  return {header_metres(h, SEGY_TR_GROUP_X, SEGY_TR_SOURCE_GROUP_SCALAR),
          header_metres(h, SEGY_TR_GROUP_Y, SEGY_TR_SOURCE_GROUP_SCALAR),
          -header_metres(h, SEGY_TR_RECV_GROUP_ELEV, SEGY_TR_ELEV_SCALAR) + 0.0};
}

/// Traces that record nothing of a shot, by their identification code.
class LeftOut {
 public:
  /// Whether a trace is one of them: it is counted.
  bool take(const TraceHeader& header) {
    const int id = header_field(header, SEGY_TR_TRACE_ID);
    // 0 does not tell; 1 is seismic data, 11 to 17 those of a pressure sensor and of components.
    if (id == 0 || id == 1 || (id >= 11 && id <= 17)) return false;
    constexpr int kDead = 2;
    ++(id == kDead ? dead_ : auxiliary_);
    return true;
  }

  void tell(const std::string& path, int traces) const {
    if (dead_ + auxiliary_ == 0) return;
    warn(fmt::format("{}: of {} traces {} dead and {} auxiliary ones are left out (bytes 29 to 30)",
                     path, traces, dead_, auxiliary_));
  }

 private:
  int dead_ = 0, auxiliary_ = 0;
};

/// Numbers from 1 on, in their order, where one of the file's is below 1: they name folders.
void number_from_one(std::vector<SegyShot>& shots, const std::string& path) {
  const auto low = std::find_if(shots.begin(), shots.end(), [](auto& s) { return s.number < 1; });
  if (low == shots.end()) return;
  warn(
      fmt::format("{}: it has the field record {} (bytes 9 to 12), below 1: its {} shots are "
                  "numbered anew, from 1",
                  path, low->number, shots.size()));
  int number = 0;
  for (SegyShot& shot : shots) shot.number = ++number;
}

}  // namespace

std::vector<SegyShot> read_segy_geometry(const fs::path& path) {
  const std::string text = fmt::format("cannot read the geometry of {}", path.string());
  const SegyTraces in = open_segy(path, text);
  require(in.field(SEGY_BIN_MEASUREMENT_SYSTEM) != 2,
          "{}: its header says feet: convert it to metres", text);
  std::vector<SegyShot> shots;
  LeftOut left_out;
  std::map<std::tuple<int, double, double, double>, std::size_t> known;
  for (int t = 0; t < in.traces; ++t) {
    const TraceHeader header = in.trace_header(t);
    if (left_out.take(header)) continue;
    const int number = header_field(header, SEGY_TR_FIELD_RECORD);
    const int unit = header_field(header, SEGY_TR_COORD_UNITS);
    require(unit < 2,
            "{}: trace {} has places as angles (bytes 89 to 90: {}): convert them to metres", text,
            t + 1, unit);
    const Position source = source_of(header);
    const auto [found, fresh] =
        known.emplace(std::tuple(number, source.x, source.y, source.z), shots.size());
    if (fresh) shots.push_back({number, source, {}});
    shots[found->second].receivers.push_back(receiver_of(header));
  }
  require(!shots.empty(),
          "{}: bytes 29 to 30 say of all its {} traces that they are dead or auxiliary: set them "
          "to 1 where they are data",
          text, in.traces);
  left_out.tell(path.string(), in.traces);
  number_from_one(shots, path.string());
  return shots;
}

// Its headers are the first gather's: the survey has its grid and its wavelet.
void merge_segy(const fs::path& path, const std::vector<fs::path>& gathers) {
  require(!gathers.empty(), "cannot write {}: there is no gather", path.string());
  const auto open = [](const fs::path& gather) {
    return open_segy(gather, fmt::format("cannot read the gather {}", gather.string()));
  };
  const SegyTraces first = open(gathers.front());
  std::array<char, SEGY_BINARY_HEADER_SIZE> binary = first.header;
  for (const fs::path& gather : gathers) {
    const SegyTraces in = open(gather);
    require(in.interval == first.interval && in.samples == first.samples &&
                in.format == SEGY_IEEE_FLOAT_4_BYTE && !in.little_endian,
            "{}: it has {} samples every {} microseconds, the first gather {} every {}", in.text,
            in.samples, in.interval, first.samples, first.interval);
    // The field holds the traces of each shot where all have as many.
    if (in.traces != first.traces) segy_set_bfield(binary.data(), SEGY_BIN_TRACES, 0);
  }
  std::array<char, SEGY_TEXT_HEADER_SIZE> text{};
  std::ifstream(gathers.front(), std::ios::binary).read(text.data(), text.size());
  AtomicFile out(path);
  out.write({text.data(), text.size()});
  out.write({binary.data(), binary.size()});
  int traces = 0;
  std::vector<char> samples(static_cast<std::size_t>(first.trace_bytes));
  for (const fs::path& gather : gathers) {
    const SegyTraces in = open(gather);
    for (int t = 0; t < in.traces; ++t) {
      TraceHeader header = in.trace_header(t);
      segy_set_field(header.data(), SEGY_TR_SEQ_LINE, ++traces);
      segy_set_field(header.data(), SEGY_TR_SEQ_FILE, traces);
      in.read(t, samples.data());
      out.write({header.data(), header.size()});
      out.write({samples.data(), samples.size()});
    }
  }
  out.commit();
}

}  // namespace tessera::io
