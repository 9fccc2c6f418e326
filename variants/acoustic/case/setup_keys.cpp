// SPDX-License-Identifier: Apache-2.0
// The deck keys of the acoustic family's physics.
#include "base/case/deck_keys.hpp"
#include "base/support/error.hpp"
#include "variants/acoustic/case/case.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tessera::acoustic {
namespace {

/// A check of a setup, which knows keys alone: its message then begins with where the deck has the
/// key.
template <class Check>
void with_places(const io::Deck& deck, const Check& check) {
  try {
    check();
  } catch (const Error& error) {
    const std::string text = error.what();
    const std::string key = text.substr(0, text.find(' '));
    if (!deck.contains(key)) throw;
    fail("{}{}", deck.where(key), text.substr(key.size()));
  }
}

std::vector<std::pair<std::string, Storage>> storage_words() {
  std::vector<std::pair<std::string, Storage>> words;
  for (const Storage storage : kStorages) words.emplace_back(to_string(storage), storage);
  return words;
}

}  // namespace

const keys::KeyTable<Setup>& setup_keys() {
  using keys::above, keys::any, keys::between, keys::Detail, keys::key;
  static const keys::KeyTable<Setup> table(
      {.name = "acoustic", .meaning = "Acoustic waves with PML (Sai)"},
      {key("pml_cells", &Setup::pml_cells, between(0, 1 << 20), "",
           "Width of the layer at each face; each axis needs 2 pml_cells + 1 cells or more")
           .usually("3 (v_max / f_max) / hx")
           .in_details(Detail::always),
       keys::choice(
           "layers", &Setup::layer_kind,
           {{"paper", LayerKind::paper}, {"convolutional", LayerKind::convolutional}},
           "What absorbs there: Sai's PML, or a convolutional one, which absorbs along the "
           "layers too; 10 cells of it do")
           .in_details(),
       key("free_surface", &Setup::free_surface, any(), "",
           "u = 0 on the plane z = 0, its odd mirror image above, and no layer there")
           .in_details(),
       key("h", &Setup::h, between(1e-9, 1e9), "m", "Grid spacing; one number, or [hx, hy, hz]")
           .in_details(),
       key("v_max", &Setup::v_max, between(1e-9, 1e9), "m/s",
           "Fastest velocity the time step allows for")
           .in_details(),
       key("f_max", &Setup::f_max, between(1e-9, 1e30), "Hz", "Highest frequency of the source")
           .in_details(),
       key("cfl", &Setup::cfl, between(1e-9, 1), "", "Fraction of the stability limit")
           .in_details(),
       keys::choice(
           "vp_storage", &Setup::vp_storage,
           {{"field", VpStorage::field},
            {"index", VpStorage::index},
            {"linear", VpStorage::linear}},
           "What of vp a kernel reads at a cell: its value, a 16-bit index into the "
           "values that the model has, at most 65,535 (st_async), or 16 bits in equal steps, to "
           "which (V dt)^2 is rounded (st_async, st_bulk and two_step; so is it in all formats "
           "of acoustic.storage but plain, which take no index)")
           .in_details(),
       keys::choice("storage", &Setup::storage, storage_words(),
                    "How u and u⁻ lie in memory: in case.precision; in 16 or 24 bits, arithmetic "
                    "in float; u and u − u⁻ in 16 bits; or 16 bits with an exponent for 32 cells. "
                    "vp is then in 16 bits, too (docs/numerics.md)")
           .in_details(),
       key("storage_scale", &Setup::storage_scale, keys::at_least(0), "",
           "What values in 16 bits are times those of the equations, rounded down to a power of "
           "two; 0: chosen by the sources")
           .in_details()});
  return table;
}

Setup read_physics(const io::Deck& deck, double f_max) {
  Setup s;
  if (f_max > 0) s.f_max = f_max;
  setup_keys().read(deck, s);
  if (!deck.contains("acoustic.pml_cells")) {
    s.pml_cells = paper_pml_cells(s.v_max, s.f_max, s.h[0]);
  }
  return s;
}

void read_grid(const io::Deck& deck, Setup& s) {
  s.n = read_extents(deck);
  with_places(deck, [&] { check(s); });
}

Setup read_setup(const io::Deck& deck) {
  Setup s = read_physics(deck);
  read_grid(deck, s);
  return s;
}

}  // namespace tessera::acoustic
