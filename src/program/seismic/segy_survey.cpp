// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/segy_survey.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/io/atomic_file.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "program/seismic/segy_reader.hpp"
#include "program/seismic/segy_text.hpp"

namespace tessera::io {

namespace fs = std::filesystem;

#if TESSERA_HAVE_SEGY

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
    const TraceHeader header = in.trace_header(t, text);
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

namespace {

/// A file that is written under its temporary name.
class Merged {
 public:
  explicit Merged(const fs::path& path) : path_(path), part_(part_path(path)) {
    file_ = segy_open(part_.c_str(), "w+b");
    require(file_ != nullptr, "cannot write {}: {}", part_.string(),
            std::generic_category().message(errno));
  }
  Merged(const Merged&) = delete;
  Merged& operator=(const Merged&) = delete;
  ~Merged() {
    if (file_ == nullptr) return;
    segy_close(file_);
    std::error_code ignored;
    fs::remove(part_, ignored);
  }

  [[nodiscard]] segy_file* file() const { return file_; }
  /// Throws Error unless a call of the library went well.
  void check(int status) const {
    require(status == SEGY_OK, "cannot write {}: {}", path_.string(),
            errno == 0 ? std::string("the SEG-Y library refuses it")
                       : std::generic_category().message(errno));
  }
  void commit() {
    errno = 0;
    check(segy_close(std::exchange(file_, nullptr)));
    sync_and_rename(part_, path_);
  }

 private:
  fs::path path_, part_;
  segy_file* file_ = nullptr;
};

}  // namespace

namespace {

int traces_a_shot(const std::array<char, SEGY_BINARY_HEADER_SIZE>& header) {
  std::int32_t value = 0;
  segy_get_bfield(header.data(), SEGY_BIN_TRACES, &value);
  return value;
}

}  // namespace

void merge_segy(const fs::path& path, const std::vector<fs::path>& gathers,
                const std::vector<std::string>& text) {
  require(!gathers.empty(), "cannot write {}: there is no gather", path.string());
  Merged out(path);
  errno = 0;
  int interval = 0, samples = 0, traces = 0;
  std::array<char, SEGY_BINARY_HEADER_SIZE> binary{};
  for (const fs::path& gather : gathers) {
    const std::string what = fmt::format("cannot read the gather {}", gather.string());
    const SegyTraces in = open_segy(gather, what);
    if (traces == 0) {
      interval = in.field(SEGY_BIN_INTERVAL);
      samples = in.samples;
      segy_set_format(out.file(), SEGY_IEEE_FLOAT_4_BYTE);
      out.check(segy_write_textheader(out.file(), 0, segy_text(text).c_str()));
      binary = in.header;
    }
    // The field holds the traces of each shot where all have as many.
    if (in.field(SEGY_BIN_TRACES) != traces_a_shot(binary))
      segy_set_bfield(binary.data(), SEGY_BIN_TRACES, 0);
    require(in.field(SEGY_BIN_INTERVAL) == interval && in.samples == samples &&
                in.format == SEGY_IEEE_FLOAT_4_BYTE && !in.little_endian,
            "{}: it has {} samples every {} microseconds, the first gather {} every {}", what,
            in.samples, in.field(SEGY_BIN_INTERVAL), samples, interval);
    std::vector<char> trace(static_cast<std::size_t>(in.trace_bytes));
    for (int t = 0; t < in.traces; ++t, ++traces) {
      TraceHeader header = in.trace_header(t, what);
      require(segy_readtrace(in.file.get(), t, trace.data(), in.first, in.trace_bytes) == SEGY_OK,
              "{}: trace {} cannot be read", what, t + 1);
      segy_set_field(header.data(), SEGY_TR_SEQ_LINE, traces + 1);
      segy_set_field(header.data(), SEGY_TR_SEQ_FILE, traces + 1);
      out.check(
          segy_write_traceheader(out.file(), traces, header.data(), in.first, in.trace_bytes));
      out.check(segy_writetrace(out.file(), traces, trace.data(), in.first, in.trace_bytes));
    }
  }
  out.check(segy_write_binheader(out.file(), binary.data()));
  out.check(segy_flush(out.file(), false));
  out.commit();
}

#else

std::vector<SegyShot> read_segy_geometry(const fs::path& path) {
  fail("cannot read the geometry of {}: this build has no SEG-Y support", path.string());
}
void merge_segy(const fs::path& path, const std::vector<fs::path>&,
                const std::vector<std::string>&) {
  fail("cannot write {}: this build has no SEG-Y support", path.string());
}

#endif

}  // namespace tessera::io
