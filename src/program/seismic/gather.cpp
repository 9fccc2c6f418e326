// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/gather.hpp"

#include "base/support/bessel.hpp"
#include "base/support/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <utility>

namespace tessera::io {

namespace {

constexpr double kMicrosecond = 1e-6;

void append_positions(std::string& text, const char* name, const std::vector<Position>& positions,
                      double Position::*axis) {
  text += name;
  for (const Position& position : positions)
    fmt::format_to(std::back_inserter(text), ",{:.12g}", position.*axis);
  text += '\n';
}

}  // namespace

int segy_interval(double time_step, double duration, double highest_frequency) {
  // The tie breaker keeps a step of exactly 2000 microseconds from becoming 1999.
  require(time_step >= kMicrosecond * (1 - 1e-9),
          "a time step of {:g} s is below the microsecond that SEG-Y counts in", time_step);
  double interval = std::max(1.0, std::floor(time_step / kMicrosecond * (1.0 + 1e-12)));
  for (const int usual : {1000, 2000, 4000}) {
    constexpr double kExactBand = 0.38;  // of the sampling rate: see Resampler
    if (highest_frequency > 0 && highest_frequency * usual * kMicrosecond <= kExactBand) {
      interval = usual;
    }
  }
  interval = std::max(interval, std::ceil(duration / kMicrosecond / (SegyWriter::kMaxField - 1)));
  require(interval <= SegyWriter::kMaxField,
          "a time step of {} s over {} s needs a SEG-Y interval of {} microseconds, the format "
          "allows {}",
          time_step, duration, interval, SegyWriter::kMaxField);
  return static_cast<int>(interval);
}

int segy_parts_of_metre(double cell, double farthest) {
  constexpr double kMostStored = 2.1e9;  // of a 32-bit header field
  for (const int parts : {100, 1000, 10000}) {
    const bool fine = cell <= 0 || 1.0 / parts <= 0.1 * cell * (1 + 1e-9);
    if (fine && farthest * parts < kMostStored) return parts;
  }
  fail(
      "SEG-Y stores places in ten-thousandths of a metre at the finest, in 32 bits: that cannot "
      "hold {:g} m to a tenth of a cell of {:g} m",
      farthest, cell);
}

namespace {

double farthest(const std::vector<Position>& positions) {
  double largest = 0;
  for (const Position& p : positions) {
    largest = std::max({largest, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
  }
  return largest;
}

SegyPlan plan(const GatherOptions& o) {
  SegyPlan plan;
  const double last = o.first_time + static_cast<double>(o.samples - 1) * o.time_step;
  plan.interval_us =
      o.segy_interval_us > 0
          ? o.segy_interval_us
          : segy_interval(o.time_step, std::min(last, o.last_time), o.highest_frequency);
  const Resampler resampler(1, o.time_step, o.first_time, plan.interval_us * kMicrosecond,
                            o.last_time);
  const std::int64_t samples = resampler.output_count(o.samples);
  require(samples >= 1 && samples <= SegyWriter::kMaxField,
          "{} samples of {} microseconds are not between 1 and {} a trace", samples,
          plan.interval_us, SegyWriter::kMaxField);
  plan.samples = static_cast<int>(samples);
  const double nyquist = 0.5 / (plan.interval_us * kMicrosecond);
  const std::string why = o.segy_interval_us > 0 ? "output.segy_interval_ms requests"
                                                 : fmt::format("{} samples at most a trace make",
                                                               SegyWriter::kMaxField);
  require(o.highest_frequency <= nyquist,
          "{} an interval of {} microseconds, which holds frequencies up to {:g} Hz, and the "
          "wavelet has {:g} Hz",
          why, plan.interval_us, nyquist, o.highest_frequency);
  plan.parts_of_metre =
      segy_parts_of_metre(o.cell, std::max(farthest(o.receivers), farthest(o.sources)));
  return plan;
}

}  // namespace

SegyPlan plan_segy(const GatherOptions& options) {
  try {
    return plan(options);
  } catch (const Error& error) {
    fail("cannot write {}: {}; output.segy = false leaves it out", options.segy_path.string(),
         error.what());
  }
}

GatherWriter::GatherWriter(GatherOptions options) : options_(std::move(options)) {
  const auto receivers = static_cast<int>(options_.receivers.size());
  require(receivers > 0, "a gather needs at least one receiver");
  require(options_.time_step > 0.0 && options_.samples > 0 && options_.flush_every > 0,
          "a gather of {} samples every {} s, flushed every {} samples, cannot be written",
          options_.samples, options_.time_step, options_.flush_every);
  if (!options_.csv_path.empty()) {
    csv_.emplace(options_.csv_path);
    write_csv_header();
  }
  if (options_.segy_path.empty()) return;
  const SegyPlan plan = plan_segy(options_);
  interval_us_ = plan.interval_us;
  resampler_.emplace(receivers, options_.time_step, options_.first_time,
                     interval_us_ * kMicrosecond, options_.last_time);
  SegyHeader header;
  header.receivers = options_.receivers;
  if (!options_.sources.empty()) header.source = options_.sources.front();
  header.shot_number = options_.shot_number;
  header.interval_us = interval_us_;
  header.samples = plan.samples;
  header.parts_of_metre = plan.parts_of_metre;
  header.text = options_.text;
  header.text.push_back(fmt::format("SAMPLES EVERY {} MICROSECONDS FROM TIME ZERO", interval_us_));
  segy_.emplace(options_.segy_path, header);
  block_.resize(options_.receivers.size() * static_cast<std::size_t>(options_.flush_every));
  column_.resize(options_.receivers.size());
}

void GatherWriter::write_csv_header() {
  std::string text;
  append_positions(text, "# source_x_m", options_.sources, &Position::x);
  append_positions(text, "# source_y_m", options_.sources, &Position::y);
  append_positions(text, "# source_z_m", options_.sources, &Position::z);
  append_positions(text, "# receiver_x_m", options_.receivers, &Position::x);
  append_positions(text, "# receiver_y_m", options_.receivers, &Position::y);
  append_positions(text, "# receiver_z_m", options_.receivers, &Position::z);
  text += "time_s";
  for (std::size_t r = 0; r < options_.receivers.size(); ++r)
    fmt::format_to(std::back_inserter(text), ",receiver_{}_Pa", r + 1);
  text += '\n';
  csv_->write(text);
  csv_->flush();
}

void GatherWriter::record(const float* samples, std::int64_t steps) {
  require(!finished_, "the gather is finished: nothing more can be recorded");
  const auto receivers = static_cast<std::int64_t>(options_.receivers.size());
  std::string line;
  for (std::int64_t step = 0; step < steps; ++step) {
    const float* row = samples + step * receivers;
    if (csv_) {
      line.clear();
      const double time = options_.first_time + static_cast<double>(recorded_) * options_.time_step;
      fmt::format_to(std::back_inserter(line), "{:.9g}", time);
      for (std::int64_t r = 0; r < receivers; ++r)
        fmt::format_to(std::back_inserter(line), ",{}", row[r]);
      line += '\n';
      csv_->write(line);
    }
    if (resampler_) {
      resampler_->push(row);
      drain();
    }
    ++recorded_;
    if (csv_) csv_->keep();
    if (csv_ && recorded_ % options_.flush_every == 0) csv_->flush();
  }
}

void GatherWriter::drain() {
  while (resampler_->pop(column_.data())) {
    for (std::size_t r = 0; r < column_.size(); ++r)
      block_[r * static_cast<std::size_t>(options_.flush_every) +
             static_cast<std::size_t>(block_samples_)] = column_[r];
    if (++block_samples_ == options_.flush_every) write_block();
  }
}

void GatherWriter::write_block() {
  segy_->append(block_.data(), block_samples_, options_.flush_every);
  block_samples_ = 0;
}

void GatherWriter::finish() {
  require(!finished_, "the gather is finished already");
  finished_ = true;
  if (resampler_) {
    resampler_->finish();
    drain();
    if (block_samples_ > 0) write_block();
    segy_->commit();
  }
  if (csv_) csv_->commit();
}

namespace {

constexpr double kBeta = 8.96;  // Kaiser: 0.1102 * (90 dB - 8.7)
constexpr double kTie = 1e-9;   // rounding of times given in other units, in samples

}  // namespace

Resampler::Resampler(int traces, double input_interval, double first_time, double output_interval,
                     double last_time)
    : traces_(traces),
      ratio_(output_interval / input_interval),
      first_(first_time / input_interval),
      last_(last_time / input_interval),
      stretch_(std::max(1.0, ratio_)),
      reach_(reach(input_interval, output_interval)),
      ring_(static_cast<std::size_t>((2 * reach_ + 2) * traces)),
      sums_(static_cast<std::size_t>(traces)) {}

std::int64_t Resampler::reach(double input_interval, double output_interval) {
  return static_cast<std::int64_t>(
      std::ceil(kSincHalfWidth * std::max(1.0, output_interval / input_interval)));
}

double windowed_sinc(double t) {
  const double edge = 1.0 - t * t / (kSincHalfWidth * kSincHalfWidth);
  if (edge < 0.0) return 0.0;
  const double angle = std::numbers::pi * t;
  const double sinc = std::abs(angle) < 1e-12 ? 1.0 : std::sin(angle) / angle;
  return sinc * bessel_i0(kBeta * std::sqrt(edge));
}

const float* Resampler::input(std::int64_t index) const {
  const std::int64_t slot = index % (2 * reach_ + 2);
  return ring_.data() + slot * traces_;
}

void Resampler::push(const float* samples) {
  float* slot = const_cast<float*>(input(inputs_));
  std::copy_n(samples, traces_, slot);
  ++inputs_;
}

std::int64_t Resampler::output_count(std::int64_t inputs) const {
  if (inputs <= 0) return 0;
  const double last = std::min(first_ + static_cast<double>(inputs - 1), last_);
  return last < -kTie ? 0 : static_cast<std::int64_t>(std::floor(last / ratio_ + kTie)) + 1;
}

bool Resampler::pop(float* samples) {
  if (outputs_ >= output_count(inputs_)) return false;
  const double position = static_cast<double>(outputs_) * ratio_ - first_;
  const auto centre = static_cast<std::int64_t>(std::floor(position));
  if (!finished_ && centre + reach_ >= inputs_) return false;
  std::fill(sums_.begin(), sums_.end(), 0.0);
  double total = 0.0;
  for (std::int64_t i = centre - reach_ + 1; i <= centre + reach_; ++i) {
    const double weight = windowed_sinc((static_cast<double>(i) - position) / stretch_);
    total += weight;
    const float* sample = input(std::clamp<std::int64_t>(i, 0, inputs_ - 1));
    for (int t = 0; t < traces_; ++t) sums_[static_cast<std::size_t>(t)] += weight * sample[t];
  }
  for (int t = 0; t < traces_; ++t)
    samples[t] = static_cast<float>(sums_[static_cast<std::size_t>(t)] / total);
  ++outputs_;
  return true;
}

}  // namespace tessera::io
