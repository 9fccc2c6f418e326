// SPDX-License-Identifier: Apache-2.0
// What the files beside result and machine files hold.
#include "program/results/file_fields.hpp"

#include "program/results/machine_file.hpp"

namespace tessera::results {
namespace {

Type kind() { return text({"cpu", "gpu"}); }

std::vector<Field> heading_of_run() {
  return {{"date?", text(), "UTC"},
          {"command_line?", text()},
          {"machine", object(machine_info_fields())},
          {"build", object(build_fields())},
          {"deck?", any_object()}};
}

const Fields kPredictedMachine = {
    {"name", text()}, {"kind", kind()}, {"device", text()}, {"source", text()}};

const Fields& predicted_case_fields() {
  static const Fields kPredictedRow = all_of({
      predicted_fields().entries,
      {{"name", text(), "family/variant:configuration"},
       {"stencil?", text()},
       {"decomposition", text()},
       {"unsupported", text(), "why no model applies, else empty"},
       {"remark?", text(), "of temporal blocking: what is attainable, and what binds"},
       {"resources?", object(resources_fields())},
       {"published?", object(published_fields())}},
  });
  static const Fields kCase = {
      {"family", text()},
      {"stencil", text()},
      {"precision", precision()},
      {"model?", text()},
      {"details?", text()},
      {"nx", number(kCells)},
      {"ny", number(kCells)},
      {"nz", number(kCells)},
      {"steps", number(kSteps)},
      {"rows", list(object(kPredictedRow)), "with `gcell_per_s`: a prediction"}};
  return kCase;
}

const Fields kScalingRow = {
    {"name", text(), "family/variant:configuration"},
    {"stencil", text()},
    {"precision", precision()},
    {"decomposition", text()},
    {"machine?", text()},
    {"network?", text()},
    {"scaling", text({"weak", "strong"})},
    {"ranks", whole(1)},
    {"rank_grid", list(whole(1), 3, 3)},
    {"nx", whole(1)},
    {"ny", whole(1)},
    {"nz", whole(1)},
    {"unsupported", text(), "why no model applies, else empty"},
    {"step_s?", number(kSeconds), "of all ranks"},
    {"compute_s?", number(0), "of the slowest rank"},
    {"pack_s?", number(0)},
    {"exchange_s?", number(0)},
    {"exchange_hidden_s?", number()},
    {"exchange_exposed_s?", number(0)},
    {"imbalance?", number(0)},
    {"bytes_sent?", number(0), "by the slowest rank, an exchange"},
    {"level?", text(), "of the network, where its messages take longest"},
    {"gcell_per_s?", number(kUpdates)},
    {"efficiency?", number(0), "minimal bytes a second over one rank's times the ranks"},
};

const Fields kLevel = {
    {"name", text(), "NVLink, node, fabric"},
    {"ranks?", whole(2, 1 << 30), "one after another, that reach each other so"},
    {"latency_us", number(0, 1e6), "of a message of a few bytes"},
    {"message_us?", number(0, 1e6), "that each further message of an exchange adds"},
    {"gb_per_s", number(1e-6, 1e6), "of one rank, each way, while others send too"},
    {"memory_passes?", number(2, 1000),
     "how often a byte that a rank sends, and the one received for it, pass through its memory"},
};
const Fields kNetwork = {
    {"schema", text({"tessera-network-1"})},
    {"name", text()},
    {"source", text(), "where the numbers come from, and which are assumed"},
    {"levels", list(object(kLevel), 1), "nearest first; the last, without ranks, reaches all"},
};

const Fields kStudyRun = {
    {"name", text()},
    {"deck", text()},
    {"set?", list(text())},
    {"variants?", list(text())},
    {"exclude?", list(text())},
    {"status", text({"done", "failed", "interrupted", "skipped", "waiting"})},
    {"reason?", text()},
    {"seconds?", number(0)},
    {"result?", text()},
    {"rows?", map(whole(0)), "how many of each status"},
    {"finished?", flag()},
};

const Fields kSurveyShot = {
    {"number", whole(0), "field record in SEG-Y headers"},
    {"directory", text()},
    {"x_m", number()},
    {"y_m", number()},
    {"z_m", number()},
    {"receivers", whole(0), "how many"},
    {"receivers_left_out?", whole(0), "of a moving spread, outside the inner region"},
    {"status", text({"waiting", "complete", "failed", "interrupted"})},
    {"reason?", text()},
    {"seconds?", number(0)},
};

const Fields kSource = {{"x_m", number()},    {"y_m", number()},    {"z_m", number()},
                        {"cell_x", whole(0)}, {"cell_y", whole(0)}, {"cell_z", whole(0)}};
const Fields kAccuracy = {
    {"steps", whole(1), "that were made twice, as they are and rounded to 16 bits"},
    {"receivers", whole(0), "compared: those with 10⁻⁴ of the strongest trace's norm or more"},
    {"raw", number(0), "relative L2 difference of the worst receiver's trace"},
    {"receiver", whole(0), "which one that is, from 1; 0: none was compared"},
    {"in_band", number(0), "the same of the trace up to band_hz, of the worst receiver there"},
    {"band_hz", number(0), "highest frequency of the sources"}};
const Fields kShotRates = {{"kernels", maybe(number(0))}, {"overall", maybe(number(0))}};

std::vector<Field> shot_fields() {
  return {
      {"status", text()},
      {"reason?", text()},
      {"variant?", text()},
      {"configuration?", text()},
      {"decomposition?", text()},
      {"operator?", text({"fd", "ete"})},
      {"precision?", precision()},
      {"storage?", text(), "acoustic.storage"},
      {"storage_scale?", number(0), "of values in 16 bits"},
      {"accuracy?", object(kAccuracy)},
      {"nx?", whole(1)},
      {"ny?", whole(1)},
      {"nz?", whole(1)},
      {"pml_cells?", whole(0)},
      {"free_surface?", flag()},
      {"steps", whole(0)},
      {"steps_done", whole(0)},
      {"restarted_at_step?", whole(0), "times are of the steps after it"},
      {"fingerprint?", text(), "of what the shot computes"},
      {"file_bytes?", map(whole(0)), "of each of the files"},
      {"time_step_s?", number(0)},
      {"v_min_m_per_s?", number(0)},
      {"v_max_m_per_s?", number(0)},
      {"cfl_fraction?", number(0)},
      {"points_per_wavelength?", number(0)},
      {"pml_wavelengths?", number(0)},
      {"sources?", list(object(kSource))},
      {"receivers?", whole(0), "how many"},
      {"u_min?", maybe(number())},
      {"u_max?", maybe(number())},
      {"times_s?", map(number(0)), "by phase"},
      {"gcell_per_s?", object(kShotRates)},
      {"parallel?", object(parallel_fields()), "of several ranks"},
      {"files?", list(text())},
      {"segy_interval_us?", maybe(whole(0))},
  };
}

Fields prediction() {
  return {{"schema", text({kPredictionSchema})},
          {"date", date()},
          {"machine", object(kPredictedMachine)},
          {"build", object(build_fields())},
          {"cases", list(object(predicted_case_fields()))}};
}

Fields scaling() {
  return {{"schema", text({"tessera-scaling-1"})},
          {"deck", text()},
          {"machine", text()},
          {"network", text()},
          {"rows", list(object(kScalingRow))}};
}

Fields shot_result() {
  return all_of({{{"schema", text({"tessera-shot-1"})}}, heading_of_run(), shot_fields()});
}

Fields run_folder() {
  return {{"schema", text({"tessera-run-1"})},
          {"command", text({"run", "tune", "shot", "survey", "study"})},
          {"command_line", text()},
          {"deck", text(), "the deck or suite, as it was named"},
          {"identity", any_object(), "what a run that continues this one must have in common"},
          {"state", text({"running", "complete", "failed"})},
          {"begun", date()},
          {"date", date(), "when the state changed last"}};
}

Fields study() {
  return {{"schema", text({"tessera-study-1"})},
          {"suite", text()},
          {"platform?", text()},
          {"machine?", maybe(text()), "machine file beside it"},
          {"build?", object(build_fields())},
          {"command_line?", text()},
          {"begun", text()},
          {"date?", text(), "of the last change"},
          {"runs", list(object(kStudyRun))}};
}

Fields survey() {
  return all_of({{{"schema", text({"tessera-survey-1"})}},
                 heading_of_run(),
                 {{"shots", list(object(kSurveyShot), 1)},
                  {"identity?", map(text()), "what all its shots compute, by name"},
                  {"accuracy?", object(kAccuracy), "of its first shot"},
                  {"files?", list(text())}}});
}

}  // namespace

Type precision() { return text({"float", "double"}); }

const Fields& network_fields() { return kNetwork; }

const Fields& winner_fields() {
  static const Fields kWinner = {
      {"machine", text(), "its name: a host's has processor, vectors and threads",
       &Winner::machine},
      {"build", text(), "compiler, flags and Kokkos", &Winner::build},
      {"code", text(), "digest of the family's sources", &Winner::code},
      {"stencil", text(), "", &Winner::stencil},
      {"precision", precision(), "", &Winner::precision},
      {"model", text(), "", &Winner::model},
      {"details", text(), "", &Winner::details},
      {"nx", number(kCells), "", &Winner::nx},
      {"ny", number(kCells), "", &Winner::ny},
      {"nz", number(kCells), "", &Winner::nz},
      {"variant", text(), "", &Winner::variant},
      {"configuration", text(), "", &Winner::configuration},
      {"decomposition", text(), "", &Winner::decomposition},
      {"gcell_per_s", number(kUpdates), "median", &Winner::gcell_per_s},
      {"rival?", text(), "a tile that may be as fast: its samples overlap the winner's",
       &Winner::rival},
      {"date", date(), "", &Winner::date}};
  return kWinner;
}

const Fields& tuned_fields() {
  static const Fields kTuned = {{"schema", text({"tessera-tuned-2"})},
                                {"winners", list(object(winner_fields()))}};
  return kTuned;
}

/// Several texts, or several numbers that may be absent.
std::vector<Field> texts(const std::vector<const char*>& names) { return fields(names, text()); }
std::vector<Field> numbers(const std::vector<const char*>& names) {
  return fields(names, maybe(number()));
}

Fields comparison() {
  static const Fields kPlatform = all_of({texts({"letter", "origin", "platform", "device"}),
                                          {{"kind", text({"gpu", "host", ""}), "as far as known"},
                                           {"revisions", list(text())},
                                           {"files", list(text())}}});
  static const Fields kRow =
      all_of({texts({"origin", "platform", "device", "kind", "family", "stencil", "decomposition",
                     "precision", "model", "details", "variant", "configuration", "status",
                     "reason", "revision", "date", "file", "letter"}),
              numbers({"nx", "ny", "nz", "steps", "gcell_per_s", "spread", "share_of_bound",
                       "cells_per_joule"}),
              {{"noisy", flag(), "its samples spread by more than 3 %"},
               {"application", maybe(number()), "efficiency: of the set's best variant"},
               {"architectural", maybe(number()), "efficiency: of the machine's bound"},
               {"energy", maybe(number()), "efficiency: cells a joule, of the set's best variant"},
               {"above", flag(), "faster than the bound"}}});
  static const Fields kRatio = all_of(
      {texts({"family", "problem", "base", "letter", "verdict"}),
       numbers({"ratio", "copy", "triad", "peak"}),
       {{"spread", number(0), "of the samples of both"}, {"alike", flag(), "of the same grid"}}});
  static const Fields kFamily =
      all_of({texts({"family", "set", "platforms"}),
              {{"problems", whole(0)},
               {"left_out", whole(0), "that not all platforms of the set have"},
               {"phi", maybe(number(0)), "of the best variant on each platform"},
               {"one_variant", maybe(text()), "the variant of the highest Φ"},
               {"one_variant_phi", maybe(number(0))},
               {"one_variant_phi_of_best", maybe(number(0)), "by application efficiency"}}});
  return {{"schema", text({"tessera-comparison-2"})},
          {"platforms", list(object(kPlatform))},
          {"sets", any_object(), "by name, the letters of the platforms that are compared"},
          {"rows", list(object(kRow)), "the best first"},
          {"ratios", list(object(kRatio)), "of each problem's best, letter to base"},
          {"families", list(object(kFamily))},
          {"remarks", list(text())}};
}

Fields difference() {
  static const Fields kRow =
      all_of({texts({"name", "reason", "stored", "stored_date"}),
              {{"verdict",
                text({"slower", "lost", "faster", "gained", "same", "too noisy to tell", "never"})},
               {"before", number(0), "GCell/s"},
               {"after", number(0), "GCell/s"},
               {"ratio", number(0), "after to before, in the measure"},
               {"spread", number(0), "of the samples of both"}}});
  return {{"schema", text({"tessera-difference-2"})},
          {"measure", text({"GCell/s", "share of copy"})},
          {"before", text(), "revisions and dates"},
          {"after", text()},
          {"only_before", whole(0), "rows that the other lacks"},
          {"only_after", whole(0)},
          {"rows", list(object(kRow))},
          {"remarks", list(text())}};
}

const std::vector<FileKind>& file_kinds() {
  static const Fields kComparison = comparison(), kDifference = difference(),
                      kPrediction = prediction(), kRun = run_folder(), kScaling = scaling(),
                      kShot = shot_result(), kStudy = study(), kSurvey = survey();
  static const std::vector<FileKind> kKinds = {
      {"comparison", "comparison", "What tools/compare.py --json prints", &kComparison},
      {"difference", "difference", "What tools/compare.py --difference --json prints",
       &kDifference},
      {"machine", "machine file",
       "What bounds a machine: measured by tessera machine, or published",
       &machine::machine_file_fields()},
      {"network", "network file", "What connects ranks, for tessera predict --ranks", &kNetwork},
      {"prediction", "prediction", "What tessera predict -o writes", &kPrediction},
      {"result", "result file", "What tessera run and tune measured", &result_file_fields()},
      {"run", "run folder",
       "run.json in the folder of a run, tune, shot, survey or study: what it holds and how far it "
       "is",
       &kRun},
      {"scaling", "predicted scaling", "What tessera predict --ranks -o writes", &kScaling},
      {"shot-result", "shot result", "shot.json of tessera shot", &kShot},
      {"study", "study manifest", "manifest.json of tessera study", &kStudy},
      {"survey", "survey", "survey.json of tessera survey", &kSurvey},
      {"tuned", "winners", "What tessera tune -w writes and run --tuned reads", &tuned_fields()},
  };
  return kKinds;
}

}  // namespace tessera::results
