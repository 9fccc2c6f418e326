// SPDX-License-Identifier: Apache-2.0
// Every reader of files takes mutations of our own inputs, of bytes and of structure, or refuses
// them with an Error of one line: nothing else is thrown, nothing crashes, sanitizers stay silent.
// TESSERA_FUZZ_CASES says how many (nightly: 20,000), TESSERA_FUZZ_SEED draws others (nightly: at
// random; processes with seeds of their own share a run), TESSERA_FUZZ_KIND leaves one kind of
// file; what a crash was caused by lies in the file that the test names. Inputs that once failed
// are in tests/fuzz/corpus and run each time.
#include <gtest/gtest.h>

#include "base/case/case.hpp"
#include "base/case/catalogue.hpp"
#include "base/io/deck.hpp"
#include "base/support/files.hpp"
#include "fixtures/paths.hpp"
#include "fixtures/scratch_directory.hpp"
#include "fuzz/binary.hpp"
#include "fuzz/mutation.hpp"
#include "fuzz/structure.hpp"
#include "program/results/machine_file.hpp"
#include "program/results/published.hpp"
#include "program/results/result.hpp"
#include "program/run/suite.hpp"
#include "program/run/tuned.hpp"
#include "program/seismic/checkpoint.hpp"
#include "program/seismic/model_files.hpp"
#include "program/seismic/segy.hpp"
#include "program/seismic/snapshots.hpp"
#include "program/seismic/velocity_model.hpp"
#include "program/shot/deck.hpp"
#include "program/shot/places.hpp"
#include "program/shot/survey.hpp"
#include "variants/ete/case/coefficients.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <vector>

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using Reader = std::function<void(const fs::path&)>;

const fs::path kRoot = tessera::source_directory();

/// Grids that a reader may fill without taking long.
bool is_small(const Extents& n) {
  return n.nx > 0 && n.ny > 0 && n.nz > 0 && n.nx < 300 && n.ny < 300 && n.nz < 300;
}

void read_run_deck(const fs::path& path) {
  static const Catalogue catalogue = build_catalogue();
  io::Deck deck = io::Deck::from_file(path);
  // Fits of coefficients take seconds, large tables too.
  if (deck.get("case.family", "acoustic") == "ete") return;
  const auto cases = make_cases(deck, catalogue.families);
  for (const auto& made : cases) static_cast<void>(made->memory_bytes());
  static_cast<void>(deck.to_json());
}

void read_shot_deck(const fs::path& path) {
  static const Catalogue catalogue = build_catalogue();
  const io::Deck deck = io::Deck::from_file(path);
  const bool many = deck.contains("survey");
  shot::ShotCase shot = shot::read_shot(deck, catalogue.variants,
                                        many ? shot::PlacesOf::survey : shot::PlacesOf::deck);
  if (many) static_cast<void>(shot::read_survey(deck, shot));
  if (is_small(shot.setup.n) && shot::memory_of(shot).file < (1 << 28)) {
    shot::load_velocity(deck, shot);
  }
}

void read_checkpoint(const fs::path& path) {
  const io::CheckpointHead head = io::read_checkpoint_head(path);
  static_cast<void>(io::read_checkpoint_samples(path));
  io::read_checkpoint_field(path, io::whole_array("u", head),
                            [](std::int64_t, std::int64_t, const void*) {});
  io::require_undamaged(path, {io::whole_array("u", head)});
}

/// A kind of file: the reader, and inputs of the tree to change.
struct Kind {
  std::string name;
  Reader read;
  std::vector<fs::path> seeds;
};

std::vector<fs::path> files(const fs::path& folder, const std::string& extension,
                            std::size_t most) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(kRoot / folder)) {
    if (entry.path().extension() == extension && fs::file_size(entry.path()) < 300000) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  if (found.size() > most) found.resize(most);
  return found;
}

std::vector<Kind> kinds(const fs::path& made) {
  std::vector<fs::path> decks = files("inputs", ".toml", 100);
  const auto is_shot = [](const fs::path& p) {
    const std::string name = p.filename().string();
    return name.find("shot") != std::string::npos || name.find("survey") != std::string::npos;
  };
  const auto is_suite = [](const fs::path& p) {
    return p.filename().string().find("study") != std::string::npos;
  };
  std::vector<fs::path> shots;
  std::vector<fs::path> suites;
  std::copy_if(decks.begin(), decks.end(), std::back_inserter(shots), is_shot);
  std::copy_if(decks.begin(), decks.end(), std::back_inserter(suites), is_suite);
  std::erase_if(decks, [&](const fs::path& p) { return is_shot(p) || is_suite(p); });
  return {
      {"deck", read_run_deck, decks},
      {"shot", read_shot_deck, shots},
      {"suite", [](const fs::path& p) { (void)read_suite(p); }, suites},
      {"machine", [](const fs::path& p) { (void)machine::read_machine(p); },
       files("inputs/machines", ".json", 100)},
      {"published", [](const fs::path& p) { (void)results::read_published(p); },
       files("inputs/published", ".toml", 100)},
      {"result", [](const fs::path& p) { (void)results::read_json(p); },
       files("results/nvidia-h200", ".json", 6)},
      {"tuned", [](const fs::path& p) { (void)read_tuned(p); }, {made / "tuned.json"}},
      {"table",
       [](const fs::path& p) { (void)ete::parse_table(read_table(p), p.string()); },
       {made / "table.json"}},
      {"hdf5",
       [](const fs::path& p) {
         if (io::hdf5_model_shape(p, "velocity").bytes() < (1 << 28)) {
           (void)io::read_hdf5_model(p, "velocity");
         }
       },
       io::have_hdf5() ? std::vector<fs::path>{made / "model.h5"} : std::vector<fs::path>{}},
      {"segy",
       [](const fs::path& p) {
         if (io::segy_model_shape(p, 0, 1, {}).bytes() < (1 << 28)) {
           (void)io::read_segy_model(p, 0, 1, {});
         }
       },
       io::have_segy() ? std::vector<fs::path>{made / "model.sgy"} : std::vector<fs::path>{}},
      {"geometry", [](const fs::path& p) { (void)io::read_segy_geometry(p); },
       io::have_segy() ? std::vector<fs::path>{made / "model.sgy"} : std::vector<fs::path>{}},
      {"places", [](const fs::path& p) { (void)shot::read_place_table(p); }, {made / "places.csv"}},
      {"checkpoint", read_checkpoint,
       io::have_hdf5() ? std::vector<fs::path>{made / "checkpoint.h5"} : std::vector<fs::path>{}},
  };
}

/// Inputs of kinds that the tree has none of.
void make_seeds(const fs::path& folder) {
  write_text(folder / "tuned.json",
             R"({"schema": "tessera-tuned-2", "winners": [{"machine": "m", "build": "b",
                "code": "c", "stencil": "s", "precision": "float", "model": "", "details": "", "nx": 8, "ny": 8, "nz": 8, "variant": "v",
                "configuration": "c", "decomposition": "", "gcell_per_s": 1.5,
                "date": "2026-01-31T00:00:00Z"}]})");
  write_text(folder / "places.csv", "x,y,z\n1.5,2,3\n4,5,6e2\n# end\n");
  ete::save_table(ete::random_table(37, 4, true, 1), folder / "table.json");
#if TESSERA_HAVE_SEGY
  io::SegyHeader header;
  header.receivers.resize(6);
  header.interval_us = 10;
  header.samples = 5;
  io::SegyWriter writer(folder / "model.sgy", header);
  std::vector<float> samples(30, 2000.0F);
  writer.append(samples.data(), 5, 5);
  writer.commit();
  std::string bytes = read_text(folder / "model.sgy");
  for (std::size_t i = 3600; i < bytes.size(); i += 260) bytes[i + 203] = 6;  // m/s, not Pa
  write_text(folder / "model.sgy", bytes);
#endif
#if TESSERA_HAVE_HDF5
  io::SnapshotOptions options;
  options.path = folder / "model.h5";
  options.x = options.y = options.z = io::sample_axis(0, 4, 1);
  options.dx = options.dy = options.dz = 10;
  io::SnapshotWriter snapshots(options, std::vector<float>(64, 2000.0F));
  snapshots.finish();
  io::CheckpointHead head;
  head.identity = "grid: 4 x 4 x 4 cells\nprecision: float\n";
  head.step = 3;
  head.shape = {4, 4, 4};
  head.receivers = 2;
  const auto fill = [](std::int64_t, std::int64_t count, void* values) {
    std::fill_n(static_cast<float*>(values), count * 16, 0.5F);
  };
  io::write_checkpoint(folder / "checkpoint.h5", head, {{io::whole_array("u", head), fill}},
                       std::vector<float>(6));
#endif
}

/// Reads a file; a failure names the kind, the input and what else than an Error came.
void survive(const Kind& kind, const fs::path& path, const std::string& what) {
  try {
    kind.read(path);
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_FALSE(message.empty()) << kind.name << ": " << what;
  } catch (const std::exception& error) {
    ADD_FAILURE() << kind.name << ": " << what << ": not an Error: " << error.what();
    const fs::path kept =
        fs::temp_directory_path() / fmt::format("tessera_fuzz_{}_{}", kind.name, ::getpid());
    fs::copy_file(path, kept, fs::copy_options::overwrite_existing);
    std::printf("fuzz: the input is kept as %s\n", kept.c_str());
  }
}

/// Another input from one of a kind's own and one of all: sound in form, or with its bytes changed,
/// or both.
void write_changed(const Kind& kind, const fs::path& path, const std::string& text,
                   const std::string& other, Mutator& mutate) {
  const std::string extension = path.extension().string();
  const std::size_t way = mutate.below(3);
#if TESSERA_HAVE_HDF5
  if (kind.name == "hdf5" && way != 0) return write_any_hdf5(path, "velocity", mutate);
#endif
  std::string changed = text;
  if (way != 0) {
    if (extension == ".toml") changed = changed_toml(text, other, mutate);
    if (extension == ".json") changed = changed_json(text, other, mutate);
    if (extension == ".sgy") changed = changed_segy(text, mutate);
  }
  write_text(path, way == 1 && changed != text ? changed : mutate(changed));
}

std::uint64_t number_from(const char* variable, std::uint64_t fallback) {
  const char* value = std::getenv(variable);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : fallback;
}

TEST(Fuzz, MutationsOfOurInputsAreReadOrRefused) {
  const ScratchDirectory folder;
  make_seeds(folder.path());
  const std::uint64_t seed = number_from("TESSERA_FUZZ_SEED", 1);
  const std::uint64_t cases = number_from("TESSERA_FUZZ_CASES", 1500);
  const fs::path input = folder / "input";
  std::printf("fuzz: %llu cases, TESSERA_FUZZ_SEED=%llu; each input is %s\n",
              static_cast<unsigned long long>(cases), static_cast<unsigned long long>(seed),
              input.c_str());
  std::fflush(stdout);
  std::vector<Kind> all = kinds(folder.path());
  const char* only = std::getenv("TESSERA_FUZZ_KIND");
  std::erase_if(all, [&](const Kind& kind) {
    return kind.seeds.empty() || (only != nullptr && kind.name != only);
  });
  ASSERT_FALSE(all.empty()) << "no kind is called " << only;
  std::map<fs::path, std::string> texts;
  const auto text_of = [&](const fs::path& from) -> const std::string& {
    std::string& text = texts[from];
    if (text.empty()) text = read_text(from);
    return text;
  };
  Mutator mutate(seed);
  for (std::uint64_t i = 0; i < cases && !HasFailure(); ++i) {
    const Kind& kind = all[mutate.below(all.size())];
    const fs::path& from = kind.seeds[mutate.below(kind.seeds.size())];
    // What another file of this form has in its place: of this kind or of any.
    const Kind& foreign = mutate.below(2) == 0 ? kind : all[mutate.below(all.size())];
    const fs::path& other = foreign.seeds[mutate.below(foreign.seeds.size())];
    const fs::path path = fs::path(input).replace_extension(from.extension());
    write_changed(kind, path, text_of(from),
                  text_of(other.extension() == from.extension() ? other : from), mutate);
    survive(kind, path, fmt::format("case {} of {}", i, from.filename().string()));
  }
}

TEST(Fuzz, InputsThatOnceFailed) {
  const ScratchDirectory folder;
  make_seeds(folder.path());
  const std::vector<Kind> all = kinds(folder.path());
  int found = 0;
  for (const Kind& kind : all) {
    for (const fs::path& path : kind.seeds) survive(kind, path, path.filename().string());
    const fs::path corpus = kRoot / "tests/fuzz/corpus" / kind.name;
    if (!fs::exists(corpus)) continue;
    for (const auto& entry : fs::directory_iterator(corpus)) {
      survive(kind, entry.path(), entry.path().filename().string());
      ++found;
    }
  }
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace tessera::test
