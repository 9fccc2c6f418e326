// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/snapshots.hpp"

#include <fmt/format.h>

#include <system_error>

#include "base/io/atomic_file.hpp"
#include "base/support/error.hpp"
#include "program/seismic/snapshot_file.hpp"

namespace tessera::io {
namespace {

namespace fs = std::filesystem;

/// The name of a file that is not yet whole.
fs::path unfinished(fs::path path) { return path += ".tmp"; }

fs::path with_xdmf(fs::path path) { return path.replace_extension(".xdmf"); }

void check_snapshots(const SnapshotOptions& options, const CellBox& box,
                     const std::vector<float>& velocity) {
  require(options.cells() > 0 && static_cast<std::int64_t>(velocity.size()) == box.cells(),
          "a snapshot of {} cells does not fit a velocity model of {}", box.cells(),
          velocity.size());
}

/// The XDMF of a file in which the first `written` of the planned snapshots are filled in; of the
/// velocity alone where none is.
std::string xdmf_text(const SnapshotOptions& o, std::size_t written, const std::string& file) {
  const std::array<double, 3> from = o.origin();
  const std::array<double, 3> step_size = o.spacing();
  const std::string shape = fmt::format("{} {} {}", o.z.count, o.y.count, o.x.count);
  const auto attribute = [&](const char* name, const std::string& dataset) {
    return fmt::format(
        "        <Attribute Name=\"{}\" AttributeType=\"Scalar\" Center=\"Node\">\n"
        "          <DataItem Dimensions=\"{}\" NumberType=\"Float\" Precision=\"4\" "
        "Format=\"HDF\">{}:{}</DataItem>\n"
        "        </Attribute>\n",
        name, shape, file, dataset);
  };
  const auto grid = [&](std::int64_t step, double time, const std::string& attributes) {
    return fmt::format(
        "      <Grid Name=\"step {}\" GridType=\"Uniform\">\n"
        "        <Time Value=\"{}\"/>\n"
        "        <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"{}\"/>\n"
        "        <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n"
        "          <DataItem Dimensions=\"3\" Format=\"XML\">{} {} {}</DataItem>\n"
        "          <DataItem Dimensions=\"3\" Format=\"XML\">{} {} {}</DataItem>\n"
        "        </Geometry>\n{}"
        "      </Grid>\n",
        step, time, shape, from[0], from[1], from[2], step_size[0], step_size[1], step_size[2],
        attributes);
  };
  std::string text =
      "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\">\n  <Domain>\n"
      "    <Grid Name=\"shot\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
  const std::string velocity = attribute("velocity", "/velocity");
  if (written == 0) text += grid(0, 0.0, velocity);
  for (std::size_t i = 0; i < written; ++i) {
    const std::int64_t step = o.planned[i];
    text += grid(step, static_cast<double>(step) * o.time_step,
                 attribute("pressure", SnapshotOptions::dataset(step)) + velocity);
  }
  return text + "    </Grid>\n  </Domain>\n</Xdmf>\n";
}

/// The file, growing or finished, that holds the first `written` snapshots. Throws Error where none
/// does, with the way out.
fs::path earlier_snapshots(const SnapshotOptions& options, std::size_t written) {
  const fs::path part = part_path(options.path);
  for (const fs::path& path : {part, options.path}) {
    if (snapshots_in(path) >= written) return path;
  }
  fail(
      "the {} snapshots before the checkpoint are neither in {} nor in {}; remove the checkpoint, "
      "and the shot begins at step 0",
      written, part.string(), options.path.string());
}

}  // namespace

std::array<double, 3> SnapshotOptions::origin() const {
  return {static_cast<double>(z.first - (free_surface ? 0 : pml_cells)) * dz,
          static_cast<double>(y.first - pml_cells) * dy,
          static_cast<double>(x.first - pml_cells) * dx};
}

std::array<double, 3> SnapshotOptions::spacing() const {
  return {static_cast<double>(z.stride) * dz, static_cast<double>(y.stride) * dy,
          static_cast<double>(x.stride) * dx};
}

std::string SnapshotOptions::dataset(std::int64_t step) {
  return fmt::format("/pressure/step_{:07}", step);
}

SampledAxis sample_axis(std::int64_t begin, std::int64_t end, std::int64_t stride) {
  require(stride >= 1 && begin >= 0 && begin < end,
          "every {}-th of the cells {} to {} is not a set of samples", stride, begin, end);
  return {begin, stride, (end - begin - 1) / stride + 1};
}

std::vector<float> decimate(const VelocityModel& model, const SnapshotOptions& o,
                            const CellBox& box) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(box.cells()));
  for (std::int64_t z = box.z0; z < box.z1; ++z)
    for (std::int64_t y = box.y0; y < box.y1; ++y)
      for (std::int64_t x = box.x0; x < box.x1; ++x)
        values.push_back(model.at(o.z.first + z * o.z.stride, o.y.first + y * o.y.stride,
                                  o.x.first + x * o.x.stride));
  return values;
}

SnapshotWriter::SnapshotWriter(SnapshotOptions options, const std::vector<float>& velocity,
                               std::size_t written, std::optional<SnapshotPart> part)
    : options_(std::move(options)),
      own_(part ? std::move(*part) : SnapshotPart{options_.whole(), {}}),
      text_(fmt::format("cannot write {}", options_.path.string())),
      written_(written) {
  own_.writers.together([&] {
    check_snapshots(options_, own_.box, velocity);
    part_ = part_path(options_.path);
    xdmf_part_ = part_path(xdmf_path());
  });
  require(written_ <= options_.planned.size(), "{} of {} planned snapshots cannot be written",
          written_, options_.planned.size());
  try {
    create(velocity);
    own_.writers.on_first([&] { describe(true); });
  } catch (...) {
    std::error_code ignored;
    if (own_.writers.first) fs::remove(unfinished(part_), ignored);
    if (own_.writers.first && written_ == 0) remove_parts();
    throw;
  }
}

SnapshotWriter::~SnapshotWriter() {
  if (finished_ || !own_.writers.first) return;
  if (written_ == 0) {
    remove_parts();
    return;
  }
  try {
    describe(true);
  } catch (const Error&) {  // the disk is full: the description lags behind, the data are there
  }
}

// The XDMF names all snapshots again each time it is written. To stay linear in their number it is
// written when a twentieth has been added; it is renamed into place, so that it is whole at any
// time.
void SnapshotWriter::describe(bool all) {
  if (options_.half_scale > 0 || (!all && written_ < described_ + 1 + described_ / 20)) return;
  write_xdmf(part_.filename().string());
  described_ = written_;
}

void SnapshotWriter::write_xdmf(const std::string& hdf5_name) {
  write_atomically(xdmf_part_, xdmf_text(options_, written_, hdf5_name));
}

void SnapshotWriter::remove_parts() noexcept {
  std::error_code ignored;
  for (const fs::path& path : {part_, xdmf_part_, unfinished(part_)}) fs::remove(path, ignored);
}

fs::path SnapshotWriter::xdmf_path() const { return with_xdmf(options_.path); }

void SnapshotWriter::write(const void* values) {
  require(!finished_, "{} is finished: nothing more can be written", options_.path.string());
  require(written_ < options_.planned.size(), "cannot write {}: more than the {} planned snapshots",
          options_.path.string(), options_.planned.size());
  own_.writers.together(
      [&] { fill(PartFile(part_, PartFile::write_only, text_), 1 + written_, values); });
  // Everything but the values was written at the start, and who reads them counts them first: what
  // fails here, or is killed, leaves the file as it was.
  own_.writers.on_first([&] { count_snapshot(part_, written_ + 1, text_); });
  ++written_;
  own_.writers.on_first([&] { describe(false); });
}

void SnapshotWriter::sync() const {
  own_.writers.together([&] { sync_file(part_); });
}

void SnapshotWriter::finish() {
  require(!finished_, "{} is finished already", options_.path.string());
  own_.writers.on_first([&] {
    if (written_ < options_.planned.size()) drop_snapshots(part_, options_, written_, text_);
    // Data before description: a description never names a file that isn't there.
    sync_and_rename(part_, options_.path);
    if (options_.half_scale > 0) return;
    write_xdmf(options_.path.filename().string());
    sync_and_rename(xdmf_part_, xdmf_path());
  });
  finished_ = true;
}

void SnapshotWriter::fill(const PartFile& file, std::size_t field, const void* values) const {
  const int bytes = field == 0 ? 4 : options_.value_bytes();
  file.write({places_[field], options_.x.count, options_.y.count, options_.z.count, bytes},
             own_.box, values);
}

// Of several processes the first one looks for it.
fs::path SnapshotWriter::find_earlier() const {
  std::vector<std::uint64_t> finished(1);
  own_.writers.on_first(
      [&] { finished[0] = earlier_snapshots(options_, written_) == options_.path ? 1 : 0; });
  return own_.writers.share(finished)[0] == 1 ? options_.path : part_;
}

// Under a name of its own until it is whole: thousands of snapshots take a second.
void SnapshotWriter::create(const std::vector<float>& velocity) {
  const Writers& writers = own_.writers;
  const fs::path fresh = unfinished(part_);
  const fs::path earlier = written_ == 0 ? fs::path() : find_earlier();
  places_.resize(1 + options_.planned.size());
  writers.on_first([&] { places_ = create_snapshot_file(fresh, options_, text_); });
  places_ = writers.share(places_);
  writers.together([&] {
    const PartFile file(fresh, PartFile::write_only, text_);
    fill(file, 0, velocity.data());
    if (written_ == 0 || own_.box.empty()) return;
    std::vector<float> values(velocity.size());  // room for halves, too
    read_snapshot(earlier, "/velocity", options_, own_.box, 4, values.data());
    require(values == velocity, "{} has snapshots of another model: they are not this shot's",
            earlier.string());
    for (std::size_t i = 0; i < written_; ++i) {
      const std::string name = SnapshotOptions::dataset(options_.planned[i]);
      read_snapshot(earlier, name, options_, own_.box, options_.value_bytes(), values.data());
      fill(file, 1 + i, values.data());
    }
  });
  writers.on_first([&] {
    if (written_ > 0) count_snapshot(fresh, written_, text_);
    std::error_code error;
    fs::rename(fresh, part_, error);
    require(!error, "{}: {}", text_, error.message());
  });
}

}  // namespace tessera::io
