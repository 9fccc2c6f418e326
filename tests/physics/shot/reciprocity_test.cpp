// SPDX-License-Identifier: Apache-2.0
// Source and receiver exchanged give the same trace. With the source (V dt)^2 f / h^3 the scheme is
// M (u+ - 2u + u-) - L u = f delta / h^3 with M = 1 / (V dt)^2, and L is symmetric: the exchange is
// exact but for rounding, in any model, and with convolutional layers too: a stretched axis keeps
// the symmetry. The auxiliary field of the paper's layers breaks it.
#include "fixtures/acoustic_run.hpp"
#include "fixtures/shot_run.hpp"

namespace tessera::acoustic::reciprocity_test {
namespace {

struct Place {
  double x, y, z;
};
constexpr Place kA{80, 110, 60};
constexpr Place kB{230, 170, 200};

std::string deck_of(const Place& source, const Place& receiver, int layer, const char* how,
                    const char* layers) {
  const int inner = 32;
  return fmt::format(
      "[case]\nnx = {0}\nny = {1}\nnz = {2}\nsteps = 260\nprecision = \"double\"\n"
      "[acoustic]\nh = 10\npml_cells = {3}\nf_max = 40\n"
      "layers = \"{11}\"\n"
      "[model]\nkind = \"random\"\nv_min = 1500\nv_max = 4500\nseed = 7\n"
      "[[source]]\nx = {4}\ny = {5}\nz = {6}\nf_peak = 16\n"
      "[[receivers]]\nstart = [{7}, {8}, {9}]\n[shot]\nvariant = \"{10}\"\n",
      inner + 2 * layer, inner - 3 + 2 * layer, inner - 5 + 2 * layer, layer, source.x, source.y,
      source.z, receiver.x, receiver.y, receiver.z, how, layers);
}

double exchanged(int layer, const char* how, const char* layers = "paper") {
  const Traces there = run_deck(deck_of(kA, kB, layer, how, layers));
  const Traces back = run_deck(deck_of(kB, kA, layer, how, layers));
  return relative_difference(there.u[0], back.u[0]);
}

const char* any_variant() {
  return kOnDevice ? "acoustic/st_reg_fixed:32x16" : "acoustic/gmem:fullx16xfull";
}

using ShotReciprocity = AcousticTest<double>;

TEST_F(ShotReciprocity, HoldsToRoundingWithoutLayers) {
  EXPECT_LT(exchanged(0, any_variant()), 1e-11);
}

TEST_F(ShotReciprocity, HoldsToRoundingWithConvolutionalLayers) {
  EXPECT_LT(exchanged(8, any_variant(), "convolutional"), 1e-11);
}

TEST_F(ShotReciprocity, HoldsNearlyWithThePapersLayers) {
  // What they send back is a tenth of the trace, and its asymmetry a small part of that: 1.5e-5.
  const double found = exchanged(8, any_variant());
  EXPECT_LT(found, 1e-4);
  EXPECT_GT(found, 1e-8) << "the traces do not reach the layers: the test above shows nothing";
}

TEST_F(ShotReciprocity, ANeighbouringReceiverWouldShow) {
  // The tests above can fail: a receiver one cell off gives another trace.
  const Traces there = run_deck(deck_of(kA, kB, 0, any_variant(), "paper"));
  const Traces off = run_deck(deck_of(kB, {kA.x + 10, kA.y, kA.z}, 0, any_variant(), "paper"));
  EXPECT_GT(relative_difference(there.u[0], off.u[0]), 1e-2);
}

}  // namespace
}  // namespace tessera::acoustic::reciprocity_test
