// SPDX-License-Identifier: Apache-2.0
// The PML in three dimensions: what it sends back through a face of the inner region, found as the
// difference to a larger domain without PML whose own ends are out of reach.
#include <cmath>

#include "fixtures/acoustic_run.hpp"

namespace tessera::acoustic::pml_3d_test {
namespace {

#if defined(TESSERA_DEBUG_CHECKS)
constexpr int kHalf = 6;  // a smaller domain for builds that check every access
#else
constexpr int kHalf = 12;  // inner cells on either side of the source
#endif
constexpr double kV = 2000;  // m/s

/// Sum over the cells of the plane x = const of (a - b)^2; cells are counted from the sources.
struct FaceEnergy {
  FieldRef<const float> a, b;
  int centre_a, centre_b;
  int half;
  double weight_b;
  KOKKOS_FUNCTION void operator()(int i, double& sum) const {
    const int side = 2 * half + 1;
    const int z = i / side - half;
    const int y = i % side - half;
    const double difference =
        static_cast<double>(*a.at(centre_a + z, centre_a + y, centre_a + half)) -
        weight_b * static_cast<double>(*b.at(centre_b + z, centre_b + y, centre_b + half));
    sum += difference * difference;
  }
};

double energy(const FaceEnergy& face) {
  const int side = 2 * face.half + 1;
  double sum = 0;
  Kokkos::parallel_reduce("tessera::test::face_energy",
                          Kokkos::RangePolicy<ExecSpace>(0, side * side), face, sum);
  return sum;
}

Solver<float> make_solver(int half, int layer) {
  Setup setup;
  const int cells = 2 * (half + layer) + 1;
  setup.n = {cells, cells, cells};
  setup.pml_cells = layer;
  Solver<float> solver(setup);
  solver.set_velocity(kV);
  return solver;
}

class Pml3d : public AcousticTest<float> {};

TEST_F(Pml3d, ReflectedEnergyOfAFaceIs40DbBelowTheIncident) {
  const int layer = 27;
  // Long enough for the wavelet (0.13 s) and the way to the face's corner by the layer's outer end.
  const double h = 20;
  const double way = std::hypot(kHalf + 2 * layer, kHalf, kHalf) * h;
  const double duration = 0.13 + way / kV;
  // What the larger domain's ends send back must arrive later at the face.
  const int larger_half = static_cast<int>(std::ceil((duration * kV / h + kHalf) / 2)) + 2;

  Solver<float> solver = make_solver(kHalf, layer);
  Solver<float> larger = make_solver(larger_half, 0);
  const Selected how = fast_variant(solver);
  const Selected how_larger = fast_variant(larger);
  const int centre = kHalf + layer;
  const double dt = solver.setup().dt();
  const int steps = static_cast<int>(duration / dt);
  const ExecSpace exec;
  double incident = 0;
  double reflected = 0;
  for (int step = 0; step < steps; ++step) {
    const double f = paper_wavelet(step * dt, solver.setup().f_max);
    solver.update(exec, how);
    solver.inject(exec, centre, centre, centre, f);
    solver.advance();
    larger.update(exec, how_larger);
    larger.inject(exec, larger_half, larger_half, larger_half, f);
    larger.advance();
    exec.fence();
    FaceEnergy face{solver.u().ref(), larger.u().ref(), centre, larger_half, kHalf, 1.0};
    reflected += energy(face);
    face.a = face.b;
    face.centre_a = face.centre_b;
    face.weight_b = 0;
    incident += energy(face);
  }
  const double db = 10 * std::log10(incident / reflected);
  RecordProperty("reflection_db", std::to_string(db));
  EXPECT_GE(db, 40);
  EXPECT_LE(db, 80) << "too good for 27 cells: is the reference really another domain?";
}

}  // namespace
}  // namespace tessera::acoustic::pml_3d_test
