// SPDX-License-Identifier: Apache-2.0
// A shot whose variant makes several steps at once records what one records that makes one: sources
// and receivers at every step, any number of steps, snapshots between, the layers with the rest or
// step by step.
#include "fixtures/acoustic_run.hpp"
#include "fixtures/shot_run.hpp"

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)  // its pass runs on the host
namespace tessera::acoustic {
namespace {

/// Two steps of a box by plain loops; single steps by acoustic/naive.
template <class Real>
struct PlainPair {
  const AcousticVariant* naive;

  [[nodiscard]] Plan plan(const Region& region, const Problem& problem) const {
    return naive->plan(0, region, problem);
  }
  void step(const ExecSpace& exec, const Fields<Real>& fields, const Region& region) const {
    naive->step<Real>(0, exec, fields, region);
  }
  void pass(const ExecSpace&, const PassFields<Real>& f, const Box& box) const {
    // Step n + 1 of the box goes to its field, that of the cells around it to a copy of it.
    const Box grown{box.z0 - kR, box.z1 + kR, box.y0 - kR, box.y1 + kR, box.x0 - kR, box.x1 + kR};
    std::vector<Real> middle(static_cast<std::size_t>(f.first.plane) * (f.n.nz + 2 * kR));
    Fields<Real> first = f.first;
    first.next = middle.data() + first.offset(kR, kR, kR);
    for_each(grown, [&](int z, int y, int x) {
      const std::int64_t i = first.offset(z, y, x);
      update(first, i);
      if (box.contains(z, y, x)) f.first.next[i] = first.next[i];
    });
    Fields<Real> second = f.second();
    second.u = first.next;
    for_each(box, [&](int z, int y, int x) { update(second, second.offset(z, y, x)); });
  }

 private:
  template <class Body>
  static void for_each(const Box& box, const Body& body) {
    for (int z = box.z0; z < box.z1; ++z)
      for (int y = box.y0; y < box.y1; ++y)
        for (int x = box.x0; x < box.x1; ++x) body(z, y, x);
  }
  static void update(const Fields<Real>& f, std::int64_t i) {
    const Real* u = f.u + i;
    update_inner(f, i,
                 laplacian(
                     f.k, [&](auto m) { return u[m]; }, [&](auto m) { return u[m * f.row]; },
                     [&](auto m) { return u[m * f.plane]; }),
                 u[0]);
  }
};

std::string deck_of(int layer, int steps, const char* decomposition) {
  const int nx = 44 + 2 * layer, ny = 37 + 2 * layer, nz = 33 + 2 * layer;
  return fmt::format(
      "[case]\nnx = {}\nny = {}\nnz = {}\nsteps = {}\nprecision = \"double\"\n"
      "[acoustic]\nh = [10, 12, 9]\npml_cells = {}\nf_max = 40\ndecomposition = \"{}\"\n"
      "[model]\nkind = \"random\"\nv_min = 1500\nv_max = 4500\nseed = 7\n"
      // In the middle of the box, at its edge, two cells outside it.
      "[[source]]\nx = 200\ny = 200\nz = 150\nf_peak = 16\n"
      "[[source]]\nx = 120\ny = 48\nz = 36\nf_peak = 20\n"
      "[[source]]\nx = 250\ny = 24\nz = 180\nf_peak = 12\n"
      "[[receivers]]\nstart = [100, 120, 90]\nend = [400, 360, 240]\ncount = 7\n"
      "[[receivers]]\nstart = [0, 24, 0]\nend = [300, 24, 0]\ncount = 5\n",
      nx, ny, nz, steps, layer, decomposition);
}

using ShotPairs = AcousticTest<double>;

void expect_same_traces(int layer, int steps, const char* decomposition) {
  const auto& naive = static_cast<const AcousticVariant&>(all_variants().find("acoustic/naive"));
  AcousticVariant variant(VariantFacts{.name = "plain_pair",
                                       .summary = "two plain steps",
                                       .source = "test",
                                       .memory = "",
                                       .loses = "",
                                       .tags = {}});
  variant.offer_pass({"any", Origin::ours, ""}, {.steps = 2},
                     [&](auto real) { return PlainPair<decltype(real)>{&naive}; });
  const Selected pairs{&variant, 0}, singles{&naive, 0};
  const std::string deck = deck_of(layer, steps, decomposition);
  const Traces wanted = run_deck(deck, &singles);
  const Traces got = run_deck(deck, &pairs);
  ASSERT_EQ(got.u.size(), wanted.u.size());
  for (std::size_t r = 0; r < wanted.u.size(); ++r) {
    ASSERT_EQ(got.u[r].size(), static_cast<std::size_t>(steps));
    EXPECT_LT(relative_difference(got.u[r], wanted.u[r]), 1e-12) << "receiver " << r;
  }
}

TEST_F(ShotPairs, RecordTheSameTraces) { expect_same_traces(5, 101, "seven"); }

TEST_F(ShotPairs, OnRegionsAtTheSameTime) { expect_same_traces(6, 60, "seven_concurrent"); }

TEST_F(ShotPairs, WithoutLayers) { expect_same_traces(0, 41, "seven"); }

TEST_F(ShotPairs, AreNotMadeWhereTheLayersAreNotApart) { expect_same_traces(5, 20, "single"); }

using ShotPasses = AcousticTest<double>;

/// acoustic/skewed in each of its depths: equal to the bit.
void expect_equal_traces(int layer, int steps, const char* more = "") {
  const Selected singles{&all_variants().find("acoustic/naive"), 0};
  const std::string deck = deck_of(layer, steps, "single") + more;
  const Traces wanted = run_deck(deck, &singles);
  for (const Selected& passes : all_variants().select({"acoustic/skewed"})) {
    const Traces got = run_deck(deck, &passes);
    EXPECT_TRUE(got.u == wanted.u) << passes.full_name();
  }
}

TEST_F(ShotPasses, RecordEqualTraces) { expect_equal_traces(5, 101); }

TEST_F(ShotPasses, WithoutLayers) { expect_equal_traces(0, 43); }

TEST_F(ShotPasses, EndAtSnapshots) {
  expect_equal_traces(5, 60, "[snapshots]\nevery = 7\nstride = 8\n");
}

TEST_F(ShotPairs, ALostSourceWouldShow) {
  // The tests above can fail: a shot whose third source is 1 % weaker is another shot, by a
  // thousand times what they allow.
  const auto& naive = static_cast<const AcousticVariant&>(all_variants().find("acoustic/naive"));
  const Selected singles{&naive, 0};
  const std::string deck = deck_of(5, 101, "seven");
  const Traces wanted = run_deck(deck, &singles);
  const Traces weaker = run_deck(
      std::string(deck).replace(deck.find("f_peak = 12"), 11, "f_peak = 12\namplitude = 0.99"),
      &singles);
  EXPECT_GT(relative_difference(weaker.u[0], wanted.u[0]), 1e-9);
}

}  // namespace
}  // namespace tessera::acoustic
#endif
