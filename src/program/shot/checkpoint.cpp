// SPDX-License-Identifier: Apache-2.0
#include "program/shot/checkpoint.hpp"

#include "base/grid/transfer.hpp"
#include "base/io/atomic_file.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "program/shot/ranks.hpp"

#include <system_error>

namespace tessera::shot {
namespace {

/// Names in the file ...
const std::vector<std::string>& field_names() {
  static const std::vector<std::string> names{"u", "u_before", "phi"};
  return names;
}

/// ... and the fields behind them.
template <class Real, class AnySolver, class Body>
void for_each_field(AnySolver& solver, const Body& body) {
  body(field_names()[0], solver.u());
  body(field_names()[1], solver.next());
  body(field_names()[2], solver.phi());
}

constexpr const char* kFile = "checkpoint.h5";
constexpr const char* kWayOut = "remove it, and the shot begins at step 0";

/// What a checkpoint of this shot says of itself. Throws Error for one of another shot.
io::CheckpointHead head_of_this(const std::filesystem::path& path, const ShotIdentity& identity,
                                std::int64_t steps) {
  io::CheckpointHead found = io::read_checkpoint_head(path);
  const std::string differs = difference(parse_identity(found.identity), identity);
  require(differs.empty(), "{} does not belong to this deck: {}; {}", path.string(), differs,
          kWayOut);
  require(found.step <= steps, "{} is at step {}, beyond the {} of this deck; {}", path.string(),
          found.step, steps, kWayOut);
  return found;
}

}  // namespace

ShotCheckpoints::ShotCheckpoints(const ShotCase& shot, const std::filesystem::path& directory)
    : ranks_(shot.parallel.ranks),
      writers_(writers_of(ranks_)),
      box_(cell_box(domain_of(shot).box)),
      every_(shot.checkpoint_every),
      path_(directory / kFile),
      identity_(identity_of(shot)) {
  const Extents& n = shot.setup.n;
  head_.identity = to_text(identity_);
  head_.shape = {n.nx, n.ny, n.nz};
  head_.value_bytes = shot.value_bytes();
  head_.receivers = static_cast<std::int64_t>(shot.receivers.size());
  writers_.on_first([&] {
    if (wanted()) {
      io::CheckpointHead last = head_;
      last.step = shot.steps;
      const auto fields = static_cast<int>(field_names().size());
      io::require_free_space(directory, 2 * io::checkpoint_bytes(last, fields));
    }
    if (!exists(directory)) return;
    first_step_ = head_of_this(path_, identity_, shot.steps).step;
    samples_ = io::read_checkpoint_samples(path_);
  });
  first_step_ = last_step_ = ranks_.broadcast(first_step_);
  if (first_step_ > 0) io::require_undamaged(path_, field_names(), box_, writers_);
}

void ShotCheckpoints::require_usable(const ShotCase& shot, const std::filesystem::path& directory) {
  const io::Writers writers = writers_of(shot.parallel.ranks);
  const std::filesystem::path path = directory / kFile;
  std::int64_t step = 0;
  writers.on_first([&] {
    if (!path_exists(path)) return;
    step = head_of_this(path, identity_of(shot), shot.steps).step;
    static_cast<void>(io::read_checkpoint_samples(path));
  });
  step = shot.parallel.ranks.broadcast(step);
  if (step > 0) io::require_undamaged(path, field_names(), cell_box(domain_of(shot).box), writers);
}

template <class Real>
void ShotCheckpoints::restore(acoustic::Solver<Real>& solver) const {
  writers_.together([&] {
    for_each_field<Real>(solver, [&](const std::string& name, const Field<Real>& field) {
      io::read_checkpoint_field(
          path_, name, box_, [&](std::int64_t z, std::int64_t count, const void* values) {
            planes_from_host(field, static_cast<int>(z), static_cast<int>(z + count),
                             static_cast<const Real*>(values));
          });
    });
  });
}

void ShotCheckpoints::record(const float* samples, std::size_t count) {
  if (wanted()) samples_.insert(samples_.end(), samples, samples + count);
}

bool ShotCheckpoints::due(std::int64_t step) const {
  if (every_.steps > 0) return step / every_.steps > last_step_ / every_.steps;
  constexpr std::int64_t kAskEvery = 10;  // steps: ranks wait for each other to be told
  if (every_.seconds <= 0 || (!ranks_.alone() && step % kAskEvery != 0)) return false;
  const std::chrono::duration<double> passed = Clock::now() - last_time_;
  return ranks_.broadcast(passed.count() >= every_.seconds);
}

template <class Real>
void ShotCheckpoints::write(const acoustic::Solver<Real>& solver, std::int64_t step) {
  std::vector<io::CheckpointField> fields;
  for_each_field<Real>(solver, [&](const std::string& name, const Field<Real>& field) {
    fields.push_back({name, [&field](std::int64_t z, std::int64_t count, void* values) {
                        planes_to_host(field, static_cast<int>(z), static_cast<int>(z + count),
                                       static_cast<Real*>(values));
                      }});
  });
  head_.step = step;
  io::write_checkpoint(path_, head_, fields, samples_, box_, writers_);
  last_step_ = step;
  last_time_ = Clock::now();
}

bool ShotCheckpoints::exists(const std::filesystem::path& directory) {
  return path_exists(directory / kFile);
}

void ShotCheckpoints::remove() const {
  std::error_code ignored;
  // A write that was killed leaves its part.
  for (const auto& path : {path_, io::part_path(path_)}) std::filesystem::remove(path, ignored);
}

template void ShotCheckpoints::restore(acoustic::Solver<float>&) const;
template void ShotCheckpoints::restore(acoustic::Solver<double>&) const;
template void ShotCheckpoints::write(const acoustic::Solver<float>&, std::int64_t);
template void ShotCheckpoints::write(const acoustic::Solver<double>&, std::int64_t);

}  // namespace tessera::shot
