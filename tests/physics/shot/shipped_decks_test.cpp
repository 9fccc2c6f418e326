// SPDX-License-Identifier: Apache-2.0
// The decks of shots that ship: with their layers, spacing, frequency and depths a uniform medium's
// gather is the Green's function, also where waves run along the layers; in a smaller grid, with
// the line as far from its sides and as long as that shows it.
#include "fixtures/acoustic_run.hpp"
#include "fixtures/paths.hpp"
#include "fixtures/shot_run.hpp"
#include "variants/ete/case/fit.hpp"

namespace tessera::acoustic::shipped_decks_test {
namespace {

struct Shipped {
  const char* name;
  double v;  // m/s near the surface
};

/// Largest relative L2 error of traces at 300 to 750 m from the source, with `layers` and
/// `pml_cells` in place of the deck's where that is not 0.
double error_of(const Shipped& shipped, const std::string& other_layers = "", int other_cells = 0) {
  const io::Deck deck =
      io::Deck::from_file(std::string(source_directory()) + "/inputs/" + shipped.name);
  const io::Deck source = deck.tables("source").front();
  const io::Deck line = deck.tables("receivers").front();
  const double h = deck.get<double>("acoustic.h"), peak = source.get<double>("f_peak");
  const int cells = other_cells > 0
                        ? other_cells
                        : static_cast<int>(deck.get<std::int64_t>("acoustic.pml_cells"));
  const std::string layers =
      other_layers.empty() ? deck.get<std::string>("acoustic.layers") : other_layers;
  const bool surface = deck.get("acoustic.free_surface", false);
  const double depth =
      deck.contains("survey.depth") ? deck.get<double>("survey.depth") : source.get<double>("z");
  const double receiver = line.get<double>("depth");
  const double wave = shipped.v / peak;
  // Layers a wavelength and a half to each side; the line 5 wavelengths long.
  const int beside = static_cast<int>(1.5 * wave / h), along = static_cast<int>(5 * wave / h);
  const double x0 = 4 * h, y0 = beside * h;
  std::string text = fmt::format(
      "[case]\nnx = {}\nny = {}\nnz = {}\nduration_s = {}\nprecision = \"double\"\n"
      "[acoustic]\nh = {}\npml_cells = {}\nlayers = \"{}\"\nfree_surface = {}\ncfl = {}\nv_max = "
      "{}\n"
      "[model]\nkind = \"uniform\"\nv = {}\n[output]\nsegy = false\n"
      "[shot]\noperator = \"{}\"\n"
      "[[source]]\nx = {}\ny = {}\nz = {}\nf_peak = {}\namplitude = 1e3\n",
      along + 9 + 2 * cells, 2 * beside + 1 + 2 * cells, 2 * beside + 1 + (surface ? 1 : 2) * cells,
      (5 * wave) / shipped.v + 2.4 / peak, h, cells, layers, surface, deck.get("acoustic.cfl", 0.8),
      2 * shipped.v, shipped.v, deck.get<std::string>("shot.operator", "fd"), x0, y0, depth, peak);
  std::vector<double> offsets;
  for (double part = 2; part <= 5; ++part) {
    offsets.push_back(part * wave);
    text += fmt::format("[[receivers]]\nstart = [{}, {}, {}]\n", x0 + offsets.back(), y0, receiver);
  }
  const Traces traces = run_deck(text);
  double worst = 0;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const auto from = [&](double t, double z) {
      return green(t, std::hypot(offsets[i], z), shipped.v, peak);
    };
    worst = std::max(worst, error_of_trace(traces, i, [&](double t) {
                       return from(t, receiver - depth) - (surface ? from(t, receiver + depth) : 0);
                     }));
  }
  return worst;
}

using ShippedDecks = AcousticTest<double>;

TEST_F(ShippedDecks, GathersAreRightToTwoPercent) {
  for (const Shipped& shipped : {Shipped{"shot.toml", 1900},
                                 {"fang-shot.toml", 1900},
                                 {"shot-thrust.toml", 2500},
                                 {"survey.toml", 2500}}) {
    if (shipped.name == std::string("fang-shot.toml") && !ete::can_fit()) continue;
    const double error = error_of(shipped);
    RecordProperty(std::string(shipped.name).substr(0, 8), std::to_string(error));
    EXPECT_LT(error, 0.02) << shipped.name;
  }
}

TEST_F(ShippedDecks, ThePapersLayersWouldNotBe) {
  EXPECT_GT(error_of({"shot.toml", 1900}, "paper", 27), 0.1);
}

}  // namespace
}  // namespace tessera::acoustic::shipped_decks_test
