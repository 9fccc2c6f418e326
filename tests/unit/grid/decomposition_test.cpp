// SPDX-License-Identifier: Apache-2.0
#include "base/grid/decomposition.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "fixtures/cells.hpp"
#include "fixtures/scratch_directory.hpp"

namespace tessera {
namespace {

using test::error_of;
using test::has;

constexpr auto& kAll = kDecompositions;

/// Which formula a region applies to a cell of its box: 'i' inner, 'p' boundary, '-' none.
char formula(const Region& r, int z, int y, int x) {
  const bool in_hole = r.hole.contains(z, y, x);
  switch (r.update) {
    case Update::inner:
      return 'i';
    case Update::pml:
      return 'p';
    case Update::branched:
      return in_hole ? 'i' : 'p';
    case Update::shell:
      return in_hole ? '-' : 'p';
  }
  return '?';
}

TEST(Decomposition, EveryCellIsUpdatedOnceByItsFormula) {
  for (const Extents& n : {Extents{11, 13, 17}, Extents{7, 7, 7}, Extents{7, 20, 9}}) {
    const int layer = 3;
    for (const Decomposition kind : kAll) {
      SCOPED_TRACE(to_string(kind));
      const auto regions = decompose(n, layer, kind);
      std::int64_t inner = 0;
      std::int64_t pml = 0;
      for (const Region& r : regions) {
        EXPECT_FALSE(r.box.empty()) << r.name;
        EXPECT_EQ(intersect(r.box, whole(n)), r.box) << r.name << " leaves the grid";
        inner += r.inner_cells();
        pml += r.pml_cells();
      }
      EXPECT_EQ(inner, inner_box(n, layer).cells());
      EXPECT_EQ(inner + pml, n.cells());
      test::for_cells(whole(n), [&](int z, int y, int x) {
        std::string seen;
        for (const Region& r : regions) {
          if (!r.box.contains(z, y, x)) continue;
          const char f = formula(r, z, y, x);
          if (f != '-') seen += f;
        }
        // By distance to the nearest face, not by the box that the code uses.
        const int distance = std::min({z, y, x, n.nz - 1 - z, n.ny - 1 - y, n.nx - 1 - x});
        ASSERT_EQ(seen, distance < layer ? "p" : "i") << z << " " << y << " " << x;
      });
    }
  }
}

TEST(Decomposition, RegionsOfTheSeed) {
  const Extents n{1000, 1000, 1000};
  const auto single = decompose(n, 27, Decomposition::single);
  ASSERT_EQ(single.size(), 1U);
  EXPECT_EQ(single[0].update, Update::branched);
  EXPECT_EQ(single[0].inner_cells(), 946LL * 946 * 946);

  const auto two = decompose(n, 27, Decomposition::two);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].update, Update::inner);
  EXPECT_EQ(two[1].update, Update::shell);
  EXPECT_EQ(two[1].pml_cells(), 1'000'000'000LL - 946LL * 946 * 946);

  const auto seven = decompose(n, 27, Decomposition::seven);
  ASSERT_EQ(seven.size(), 7U);
  std::map<std::string_view, Box> box;
  for (const Region& r : seven) {
    EXPECT_EQ(r.update, r.name == "inner" ? Update::inner : Update::pml);
    box[r.name] = r.box;
  }
  EXPECT_EQ(box.at("inner"), (Box{27, 973, 27, 973, 27, 973}));
  EXPECT_EQ(box.at("top"), (Box{0, 27, 0, 1000, 0, 1000}));
  EXPECT_EQ(box.at("bottom"), (Box{973, 1000, 0, 1000, 0, 1000}));
  EXPECT_EQ(box.at("front"), (Box{27, 973, 0, 27, 0, 1000}));
  EXPECT_EQ(box.at("back"), (Box{27, 973, 973, 1000, 0, 1000}));
  EXPECT_EQ(box.at("left"), (Box{27, 973, 27, 973, 0, 27}));
  EXPECT_EQ(box.at("right"), (Box{27, 973, 27, 973, 973, 1000}));
}

TEST(Decomposition, ConcurrentRegionsAreThoseOfSeven) {
  const Extents n{23, 29, 31};
  const auto seven = decompose(n, 5, Decomposition::seven);
  const auto pair = decompose(n, 5, Decomposition::two_concurrent);
  ASSERT_EQ(pair.size(), 2U);
  EXPECT_EQ(pair[1].update, Update::shell);
  EXPECT_EQ(pair[1].hole, decompose(n, 5, Decomposition::two)[1].hole);
  for (const Decomposition kind : kDecompositions) {
    EXPECT_EQ(is_concurrent(kind), to_string(kind).ends_with("_concurrent"));
  }
  const auto concurrent = decompose(n, 5, Decomposition::seven_concurrent);
  ASSERT_EQ(concurrent.size(), seven.size());
  for (std::size_t i = 0; i < seven.size(); ++i) {
    EXPECT_EQ(concurrent[i].name, seven[i].name);
    EXPECT_EQ(concurrent[i].update, seven[i].update);
    EXPECT_EQ(concurrent[i].box, seven[i].box);
  }
}

TEST(Decomposition, AFreeSurfaceHasNoLayerOnTop) {
  const Extents n{23, 29, 31};
  const Layers layers{5, true};
  EXPECT_EQ(inner_box(n, layers), (Box{0, 18, 5, 24, 5, 26}));
  for (const Decomposition kind : kAll) {
    std::int64_t inner = 0, all = 0;
    for (const Region& region : decompose(n, layers, kind)) {
      EXPECT_NE(region.name, "top");
      EXPECT_FALSE(region.box.empty()) << region.name;
      inner += region.inner_cells();
      all += region.inner_cells() + region.pml_cells();
    }
    EXPECT_EQ(inner, inner_box(n, layers).cells());
    EXPECT_EQ(all, n.cells());
  }
  EXPECT_NO_THROW(static_cast<void>(decompose({6, 11, 11}, layers, kAll[0])));
  EXPECT_TRUE(has(error_of([&] {
                    static_cast<void>(decompose({5, 11, 11}, layers, kAll[0]));
                  }),
                  "case.nz = 5 leaves no inner region: it needs at least pml_cells + 1 = 6 cells"));
}

TEST(Decomposition, WithoutLayersThereIsOnlyTheInnerRegion) {
  for (const Decomposition kind : kAll) {
    const auto regions = decompose({3, 4, 5}, 0, kind);
    ASSERT_EQ(regions.size(), 1U);
    EXPECT_EQ(regions[0].update, Update::inner);
    EXPECT_EQ(regions[0].box, whole({3, 4, 5}));
  }
}

TEST(Decomposition, NeedsAnInnerCellOnEveryAxis) {
  for (const Decomposition kind : kAll) {
    EXPECT_NO_THROW(static_cast<void>(decompose({11, 11, 11}, 5, kind)));
    const auto message = [kind](const Extents& n) {
      return error_of([&] { static_cast<void>(decompose(n, 5, kind)); });
    };
    EXPECT_TRUE(has(message({11, 11, 10}), "case.nx = 10"));
    EXPECT_TRUE(has(message({11, 10, 11}), "case.ny = 10"));
    EXPECT_TRUE(has(message({10, 11, 11}), "case.nz = 10"));
    EXPECT_TRUE(has(message({11, 11, 10}), "2 * pml_cells + 1 = 11"));
  }
  EXPECT_TRUE(has(error_of([] {
                    static_cast<void>(decompose({9, 9, 9}, -1, kAll[0]));
                  }),
                  "pml_cells = -1"));
}

TEST(Decomposition, NamesRoundTrip) {
  for (const Decomposition kind : kAll) EXPECT_EQ(parse_decomposition(to_string(kind)), kind);
  const std::string message = error_of([] { static_cast<void>(parse_decomposition("six")); });
  EXPECT_TRUE(has(message, "\"six\""));
  for (const Decomposition kind : kAll) EXPECT_TRUE(has(message, std::string(to_string(kind))));
  const std::set<std::string_view> updates = {to_string(Update::inner), to_string(Update::pml),
                                              to_string(Update::branched),
                                              to_string(Update::shell)};
  EXPECT_EQ(updates.size(), 4U);
}

}  // namespace
}  // namespace tessera
