// SPDX-License-Identifier: Apache-2.0
// acoustic/st_async: 2.5D streaming at the roofline: vectors of cells, asynchronous copies.
//
// Formula:  u+ = 2u - u- + vp L(u) inside; PML formula in the layers
//           (variants/acoustic/formula.hpp).
// Idea:     a thread owns V neighbouring cells along x. Planes z ... z + R with their halos lie in
//           a ring in team scratch, two more are on their way there (cp.async on CUDA), and so are
//           u-, vp and phi of the thread's own cells; R planes behind z lie in registers. One
//           barrier a plane. x tiles start on 128-byte lines, a halo of R = 4 cells is one vector;
//           results leave by streaming stores. eta is the sum of three profiles that L1 holds. On a
//           region no wider than 32 cells the same threads take a tile 32 cells wide
//           (variants/acoustic/kernels/vector_launcher.hpp), whatever the configuration's name
//           says. A branch takes the PML formula vector by vector, so that `single` is one launch
//           whose PML costs its traffic and little else. `paced`: a region with more tiles than run
//           side by side is streamed from end to end by teams that keep together
//           (device/pacing.hpp).
// Minimal:  16 B a cell inside, 24 B in the PML (float), 2 B less where vp is read by its index.
// Why:      what separates st_reg_fixed from the roofline is latency, exposed at two barriers a
//           plane. Here two planes' copies are in flight while one is computed.
#include "variants/acoustic/kernels/vector_stream.hpp"

namespace tessera {

using namespace acoustic;

void register_acoustic_st_async(Registry& registry) {
  auto v = std::make_unique<AcousticVariant>(VariantFacts{
      .name = "st_async",
      .summary = "2.5D streaming by vectors, planes arriving asynchronously",
      .source = "ours: what Sai's streaming kernels need to reach the roofline",
      .memory = "planes z ... z + R and two more in a ring in team scratch, R planes behind in "
                "registers; u-, vp, phi fetched ahead into scratch, eta by profiles",
      .loses = "where scratch is small, on regions thin along x, and on hosts",
      .launch = "rings of 48 KiB and more; paced, it queries the runtime for how many teams run at "
                "a time, which Kokkos does not report",
      .tags = {"2.5d", "streaming", "scratch", "vector", "async"},
  });
  v->eta_by_profiles = v->reads_vp_index = v->reads_vp_steps = true;
  offer_vectors<VectorStreamKernel, 4, 32, 8, AllFormats>(*v, {64});
  offer_vectors<VectorStreamKernel, 4, 32, 16>(*v, {64});
  offer_vectors<VectorStreamKernel, 4, 32, 16>(*v, {64, true});
  offer_vectors<VectorStreamKernel, 4, 16, 16>(*v, {32});
  offer_vectors<VectorStreamKernel, 4, 16, 16, Formats<StoredHalf, StoredDifference>>(*v,
                                                                                      {64, true});
  offer_vectors<VectorStreamKernel, 1, 256, 16, AllFormats>(*v, {}, "host");
  registry.add(std::move(v));
}

}  // namespace tessera
