// SPDX-License-Identifier: Apache-2.0
#include "program/shot/grazing.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace tessera::shot {
namespace {

/// From here on layers of two wavelengths send 5 % and more back.
constexpr double kGrazing = 60;  // degrees from the layer's normal
constexpr const char* kFaces[] = {"left", "right", "front", "back", "top", "bottom"};

}  // namespace

GrazingPaths::GrazingPaths(const ShotCase& shot) {
  const acoustic::Setup& s = shot.setup;
  reach_ = shot.v.maximum * static_cast<double>(shot.steps) * s.dt();
  const Box inner = inner_box(s.n, s.layers());
  last_ = {(inner.nx() - 1) * s.h[0], (inner.ny() - 1) * s.h[1], (inner.nz() - 1) * s.h[2]};
  for (int face = 0; face < 6; ++face) {
    const bool open = face == 4 && s.free_surface;
    if (s.pml_cells > 0 && !s.convolutional() && !open) faces_.push_back(face);
  }
}

void GrazingPaths::add(const io::Position& source, const std::vector<Station>& receivers) {
  const double from[3] = {source.x, source.y, source.z};
  const double last[3] = {last_.x, last_.y, last_.z};
  for (const Station& receiver : receivers) {
    const double to[3] = {receiver.at.x, receiver.at.y, receiver.at.z};
    bool any = false;
    for (const int face : faces_) {
      const int axis = face / 2;
      const double ways = from[axis] + to[axis];
      const double across = face % 2 == 0 ? ways : 2 * last[axis] - ways;
      const double along = std::hypot(from[(axis + 1) % 3] - to[(axis + 1) % 3],
                                      from[(axis + 2) % 3] - to[(axis + 2) % 3]);
      const double angle = std::atan2(along, across) * 180 / std::numbers::pi;
      if (angle < kGrazing || std::hypot(along, across) > reach_) continue;
      any = true;
      if (angle > widest_) face_ = face;
      widest_ = std::max(widest_, angle);
    }
    ++all_;
    grazing_ += any ? 1 : 0;
  }
}

std::string GrazingPaths::warning() const {
  if (grazing_ == 0) return {};
  return fmt::format(
      "{} of {} traces hold waves that meet a layer at {:g} degrees or more from its normal "
      "({:.0f} at the {} one), where the paper's PML reflects: acoustic.layers = \"convolutional\" "
      "absorbs "
      "them, or keep sources and receivers further from the layers",
      grazing_, all_, kGrazing, widest_, kFaces[face_]);
}

}  // namespace tessera::shot
