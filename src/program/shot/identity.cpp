// SPDX-License-Identifier: Apache-2.0
#include "program/shot/identity.hpp"

#include "base/support/error.hpp"

#include <fmt/ranges.h>

#include <bit>
#include <cstring>

namespace tessera::shot {
namespace {

/// FNV-1a over 64-bit words, with a fold of the high half after each: long lists of places take
/// seconds by bytes.
class Hash {
 public:
  void add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x100000001b3ULL;
    value_ ^= value_ >> 32;
  }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  void add(const void* data, std::size_t bytes) {
    const char* at = static_cast<const char*>(data);
    for (; bytes >= 8; at += 8, bytes -= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, 8);
      add(word);
    }
    std::uint64_t rest = bytes;
    std::memcpy(&rest, at, bytes);
    add(rest);
  }
  [[nodiscard]] std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

void add(Hash& hash, const Station& station) {
  for (const int i : station.cell) hash.add(static_cast<std::uint64_t>(i));
  for (const double m : {station.at.x, station.at.y, station.at.z}) hash.add(m);
}

std::string place(const io::Position& at) {
  return fmt::format("x {:g}, y {:g}, z {:g} m", at.x, at.y, at.z);
}

std::string sources_text(const ShotCase& shot) {
  Hash hash;
  for (const ShotSource& source : shot.sources) {
    add(hash, source.station);
    const Wavelet& w = source.wavelet;
    hash.add(static_cast<std::uint64_t>(w.kind));
    for (const double v : {w.f_peak, w.t0, w.amplitude, w.f_max}) hash.add(v);
    if (w.samples) hash.add(w.samples->hash);
  }
  const ShotSource& first = shot.sources.front();
  return fmt::format("{}, the first at {}, f_peak {:g} Hz, t0 {:g} s, amplitude {:g} ({})",
                     shot.sources.size(), place(first.station.at), first.wavelet.f_peak,
                     first.wavelet.t0, first.wavelet.amplitude, hash.text());
}

std::string receivers_text(const ShotCase& shot) {
  if (shot.receivers.empty()) return "none";
  Hash hash;
  for (const Station& receiver : shot.receivers) add(hash, receiver);
  return fmt::format("{}, the first at {} ({})", shot.receivers.size(),
                     place(shot.receivers.front().at), hash.text());
}

std::string model_text(const ShotCase& shot) {
  return fmt::format("{:g} to {:g} m/s ({:016x})", shot.v.minimum, shot.v.maximum, shot.model_hash);
}

}  // namespace

std::uint64_t hash_of(const io::VelocityModel& model, const Extents& n) {
  std::uint64_t sum = 0;
  std::size_t i = 0;
  for (std::int64_t z = model.z0; z < model.z0 + model.nz; ++z) {
    for (std::int64_t y = model.y0; y < model.y0 + model.ny; ++y) {
      const auto row = static_cast<std::uint64_t>((z * n.ny + y) * n.nx + model.x0);
      for (std::int64_t x = 0; x < model.nx; ++x, ++i) {
        // splitmix64 (Steele, Lea and Flood 2014) of the cell's place and value.
        std::uint64_t bits = (row + static_cast<std::uint64_t>(x)) * 0x9e3779b97f4a7c15ULL +
                             std::bit_cast<std::uint32_t>(model.v[i]);
        bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
        bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
        sum += bits ^ (bits >> 31);
      }
    }
  }
  return sum;
}

ShotIdentity identity_of(const ShotCase& shot) {
  const acoustic::Setup& s = shot.setup;
  ShotIdentity identity{
      {"grid", fmt::format("{} x {} x {} cells", s.n.nx, s.n.ny, s.n.nz)},
      {"spacing", fmt::format("{:.17g}, {:.17g}, {:.17g} m", s.h[0], s.h[1], s.h[2])},
      {"PML",
       fmt::format(
           "{} cells{}", s.pml_cells,
           s.convolutional() ? fmt::format(", convolutional, f_max {:.17g} Hz", s.f_max) : "")},
      {"free surface", s.free_surface ? "on" : "off"},
      {"interpolation", shot.interpolation == acoustic::Interpolation::sinc ? "sinc" : "nearest"},
      {"model", model_text(shot)},
      {"time step", fmt::format("{:.17g} s", s.dt())},
      {"v_max", fmt::format("{:.17g} m/s", s.v_max)},
      {"precision", shot.precision},
      {"operator", shot.inner ? shot.inner->identity() : "fd"},
      {"sources", sources_text(shot)},
      {"receivers", receivers_text(shot)},
      {"snapshots", shot.snapshot_every == 0
                        ? "none"
                        : fmt::format("every {} steps, stride {}{}", shot.snapshot_every,
                                      shot.snapshot_x.stride, shot.snapshot_half ? ", half" : "")},
  };
  if (s.storage != Storage::plain)
    identity.push_back(
        {"storage", fmt::format("{}, times {:.17g}", to_string(s.storage), shot.storage_scale())});
  if (s.vp_storage == VpStorage::linear) identity.push_back({"vp", "linear"});
  return identity;
}

std::string to_text(const ShotIdentity& identity) {
  std::string text;
  for (const auto& [name, value] : identity) text += name + ": " + value + "\n";
  return text;
}

std::string fingerprint(const ShotIdentity& identity, std::int64_t steps) {
  Hash hash;
  const std::string text = to_text(identity);
  hash.add(text.data(), text.size());
  hash.add(static_cast<std::uint64_t>(steps));
  return hash.text();
}

std::string outputs_text(const ShotCase& shot, const ShotOutput& output) {
  std::string text = fmt::format("{}", fmt::join(recorded_names(shot, output), ", "));
  // Without the key it follows from the time step and the number of steps.
  if (output.segy && output.segy_interval_us > 0) {
    text += fmt::format(", SEG-Y every {} us", output.segy_interval_us);
  }
  return text;
}

nlohmann::json folder_identity(const ShotCase& shot, const ShotOutput& output) {
  nlohmann::json identity;
  for (const auto& [name, value] : identity_of(shot)) identity[name] = value;
  identity["outputs"] = outputs_text(shot, output);
  return identity;
}

}  // namespace tessera::shot
