// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/segy.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/io/atomic_file.hpp"
#include "base/support/error.hpp"
#include "program/seismic/segy_reader.hpp"

namespace tessera::io {

namespace {

constexpr double kMostStored = 2.1e9;  // of a 32-bit header field

/// The textual header: 40 lines of 80 characters, at most 38 of them the caller's.
std::string segy_text(const std::vector<std::string>& lines) {
  constexpr std::size_t kLines = 40;
  constexpr std::size_t kColumns = 80;
  std::string text;
  for (std::size_t i = 0; i < kLines; ++i) {
    std::string line = fmt::format("C{:2} ", i + 1);
    if (i < lines.size() && i < kLines - 2) line += lines[i];
    if (i == kLines - 2) line += "SEG Y REV1";
    if (i == kLines - 1) line += "END TEXTUAL HEADER";
    line.resize(kColumns, ' ');
    text += line;
  }
  return text;
}

constexpr long kFirstTrace = SEGY_TEXT_HEADER_SIZE + SEGY_BINARY_HEADER_SIZE;

int stored(double metres, int parts) {
  const double value = std::round(metres * parts);
  require(std::abs(value) < kMostStored, "a position of {} m doesn't fit into a SEG-Y header",
          metres);
  return static_cast<int>(value);
}

std::array<char, SEGY_TRACE_HEADER_SIZE> trace_header(const SegyHeader& header, int trace) {
  std::array<char, SEGY_TRACE_HEADER_SIZE> bytes{};
  const auto set = [&](int field, int value) { segy_set_field(bytes.data(), field, value); };
  const Position& r = header.receivers[static_cast<std::size_t>(trace)];
  const Position& s = header.source;
  const int parts = header.parts_of_metre;
  const double offset = std::hypot(r.x - s.x, r.y - s.y);
  set(SEGY_TR_SEQ_LINE, trace + 1);
  set(SEGY_TR_SEQ_FILE, trace + 1);
  set(SEGY_TR_FIELD_RECORD, header.shot_number);
  set(SEGY_TR_NUMBER_ORIG_FIELD, trace + 1);
  set(SEGY_TR_ENERGY_SOURCE_POINT, header.shot_number);
  set(SEGY_TR_TRACE_ID, 1);  // seismic data
  set(SEGY_TR_SUMMED_TRACES, 1);
  set(SEGY_TR_STACKED_TRACES, 1);
  set(SEGY_TR_DATA_USE, 1);  // production
  // Negative to the left of the source, as split-spread gathers are sorted and drawn.
  set(SEGY_TR_OFFSET, static_cast<int>(std::lround(r.x < s.x ? -offset : offset)));
  set(SEGY_TR_RECV_GROUP_ELEV, -stored(r.z, parts));
  set(SEGY_TR_SOURCE_DEPTH, stored(s.z, parts));
  set(SEGY_TR_ELEV_SCALAR, -parts);  // negative: divide by it
  set(SEGY_TR_SOURCE_GROUP_SCALAR, -parts);
  set(SEGY_TR_SOURCE_X, stored(s.x, parts));
  set(SEGY_TR_SOURCE_Y, stored(s.y, parts));
  set(SEGY_TR_GROUP_X, stored(r.x, parts));
  set(SEGY_TR_GROUP_Y, stored(r.y, parts));
  set(SEGY_TR_COORD_UNITS, 1);  // length
  set(SEGY_TR_SAMPLE_COUNT, header.samples);
  set(SEGY_TR_SAMPLE_INTER, header.interval_us);
  set(SEGY_TR_GAIN_TYPE, 1);   // fixed
  set(SEGY_TR_CORRELATED, 1);  // no
  set(SEGY_TR_CDP_X, stored(0.5 * (r.x + s.x), parts));
  set(SEGY_TR_CDP_Y, stored(0.5 * (r.y + s.y), parts));
  set(SEGY_TR_SHOT_POINT, header.shot_number);
  set(SEGY_TR_SHOT_POINT_SCALAR, 1);
  set(SEGY_TR_MEASURE_UNIT, 1);         // Pa
  set(SEGY_TR_TRANSDUCTION_MANT, 1);    // 1 times 10 to the
  set(SEGY_TR_TRANSDUCTION_EXP, 0);     // power of 0 turns samples to
  set(SEGY_TR_TRANSDUCTION_UNIT, 1);    // Pa
  set(SEGY_TR_SCALAR_TRACE_HEADER, 1);  // of times
  return bytes;
}

std::array<char, SEGY_BINARY_HEADER_SIZE> binary_header(const SegyHeader& header) {
  std::array<char, SEGY_BINARY_HEADER_SIZE> bytes{};
  const auto set = [&](int field, int value) { segy_set_bfield(bytes.data(), field, value); };
  const auto traces = static_cast<int>(header.receivers.size());
  set(SEGY_BIN_JOB_ID, 1);
  set(SEGY_BIN_LINE_NUMBER, 1);
  set(SEGY_BIN_REEL_NUMBER, 1);
  set(SEGY_BIN_TRACES, traces <= SegyWriter::kMaxField ? traces : 0);
  set(SEGY_BIN_INTERVAL, header.interval_us);
  set(SEGY_BIN_INTERVAL_ORIG, header.interval_us);
  set(SEGY_BIN_SAMPLES, header.samples);
  set(SEGY_BIN_SAMPLES_ORIG, header.samples);
  set(SEGY_BIN_FORMAT, SEGY_IEEE_FLOAT_4_BYTE);
  set(SEGY_BIN_ENSEMBLE_FOLD, 1);
  set(SEGY_BIN_SORTING_CODE, 1);        // as recorded
  set(SEGY_BIN_VERTICAL_SUM, 1);        // none
  set(SEGY_BIN_CORRELATED_TRACES, 1);   // no
  set(SEGY_BIN_BIN_GAIN_RECOVERY, 1);   // yes
  set(SEGY_BIN_AMPLITUDE_RECOVERY, 1);  // none
  set(SEGY_BIN_MEASUREMENT_SYSTEM, 1);  // metres
  set(SEGY_BIN_IMPULSE_POLARITY, 2);    // more pressure is a positive number
  set(SEGY_BIN_SEGY_REVISION, 0x0100);  // 1.0
  set(SEGY_BIN_TRACE_FLAG, 1);          // all traces of one length
  return bytes;
}

}  // namespace

SegyWriter::SegyWriter(std::filesystem::path path, const SegyHeader& header)
    : path_(std::move(path)),
      temporary_(part_path(path_)),
      traces_(static_cast<int>(header.receivers.size())),
      samples_(header.samples) {
  require(traces_ > 0, "cannot write {}: there are no receivers", path_.string());
  require(samples_ >= 1 && samples_ <= kMaxField,
          "cannot write {}: {} samples a trace are not between 1 and {}", path_.string(), samples_,
          kMaxField);
  require(header.interval_us >= 1 && header.interval_us <= kMaxField,
          "cannot write {}: a sample interval of {} microseconds is not between 1 and {}",
          path_.string(), header.interval_us, kMaxField);
  file_ = segy_open(temporary_.c_str(), "w+b");
  require(file_ != nullptr, "cannot write {}: {}", temporary_.string(),
          std::generic_category().message(errno));
  try {
    write_headers(header);
  } catch (...) {
    segy_close(file_);
    std::error_code ignored;
    std::filesystem::remove(temporary_, ignored);
    throw;
  }
}

void SegyWriter::write_failed() const {
  fail("cannot write {}: {}", path_.string(),
       errno == 0 ? std::string("the SEG-Y library refuses it")
                  : std::generic_category().message(errno));
}

void SegyWriter::write_headers(const SegyHeader& header) {
  errno = 0;
  segy_set_format(file_, SEGY_IEEE_FLOAT_4_BYTE);
  const std::string text = segy_text(header.text);
  const auto binary = binary_header(header);
  bool good = segy_write_textheader(file_, 0, text.c_str()) == SEGY_OK &&
              segy_write_binheader(file_, binary.data()) == SEGY_OK;
  const std::vector<float> zeros(static_cast<std::size_t>(samples_), 0.0F);
  const int bytes = segy_trace_bsize(samples_);
  for (int t = 0; good && t < traces_; ++t) {
    const auto bytes_of_header = trace_header(header, t);
    good =
        segy_write_traceheader(file_, t, bytes_of_header.data(), kFirstTrace, bytes) == SEGY_OK &&
        segy_writetrace(file_, t, zeros.data(), kFirstTrace, bytes) == SEGY_OK;
  }
  if (!good || segy_flush(file_, false) != SEGY_OK) write_failed();
}

SegyWriter::~SegyWriter() {
  if (file_ == nullptr) return;
  segy_close(file_);
  std::error_code ignored;
  if (written_ == 0) std::filesystem::remove(temporary_, ignored);
}

void SegyWriter::append(float* samples, int count, int stride) {
  require(written_ + count <= samples_, "cannot write {}: more than the {} planned samples",
          path_.string(), samples_);
  errno = 0;
  const int bytes = segy_trace_bsize(samples_);
  bool good = true;
  for (int t = 0; good && t < traces_; ++t) {
    float* block = samples + static_cast<std::ptrdiff_t>(t) * stride;
    segy_from_native(SEGY_IEEE_FLOAT_4_BYTE, count, block);
    good = segy_writesubtr(file_, t, written_, written_ + count, 1, block, nullptr, kFirstTrace,
                           bytes) == SEGY_OK;
  }
  if (!good || segy_flush(file_, false) != SEGY_OK) write_failed();
  written_ += count;
}

// In place: the shorter trace t ends before the longer trace t + 1 begins.
void SegyWriter::shorten(int samples) {
  errno = 0;
  const int before = segy_trace_bsize(samples_);
  const int after = segy_trace_bsize(samples);
  std::vector<float> trace(static_cast<std::size_t>(samples_));
  std::array<char, SEGY_TRACE_HEADER_SIZE> header{};
  std::array<char, SEGY_BINARY_HEADER_SIZE> binary{};
  bool good = segy_binheader(file_, binary.data()) == SEGY_OK;
  segy_set_bfield(binary.data(), SEGY_BIN_SAMPLES, samples);
  segy_set_bfield(binary.data(), SEGY_BIN_SAMPLES_ORIG, samples);
  good = good && segy_write_binheader(file_, binary.data()) == SEGY_OK;
  for (int t = 0; good && t < traces_; ++t) {
    good = segy_traceheader(file_, t, header.data(), kFirstTrace, before) == SEGY_OK &&
           segy_readtrace(file_, t, trace.data(), kFirstTrace, before) == SEGY_OK;
    segy_set_field(header.data(), SEGY_TR_SAMPLE_COUNT, samples);
    good = good && segy_write_traceheader(file_, t, header.data(), kFirstTrace, after) == SEGY_OK &&
           segy_writetrace(file_, t, trace.data(), kFirstTrace, after) == SEGY_OK;
  }
  if (!good || segy_flush(file_, false) != SEGY_OK) write_failed();
  std::error_code error;
  std::filesystem::resize_file(
      temporary_,
      static_cast<std::uintmax_t>(kFirstTrace) +
          static_cast<std::uintmax_t>(traces_) * (SEGY_TRACE_HEADER_SIZE + after),
      error);
  require(!error, "cannot write {}: {}", path_.string(), error.message());
  samples_ = samples;
}

void SegyWriter::commit() {
  if (written_ < samples_) shorten(std::max(written_, 1));
  errno = 0;
  if (segy_close(std::exchange(file_, nullptr)) != SEGY_OK) write_failed();
  sync_and_rename(temporary_, path_);
}

// Its headers are the first gather's: the survey has its grid and its wavelet.
void merge_segy(const std::filesystem::path& path,
                const std::vector<std::filesystem::path>& gathers) {
  require(!gathers.empty(), "cannot write {}: there is no gather", path.string());
  const auto open = [](const std::filesystem::path& gather) {
    return open_segy(gather, fmt::format("cannot read the gather {}", gather.string()));
  };
  const SegyTraces first = open(gathers.front());
  std::array<char, SEGY_BINARY_HEADER_SIZE> binary = first.header;
  for (const std::filesystem::path& gather : gathers) {
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
  for (const std::filesystem::path& gather : gathers) {
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
