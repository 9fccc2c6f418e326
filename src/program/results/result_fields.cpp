// SPDX-License-Identifier: Apache-2.0
// What a result file holds beside its rows.
#include "program/results/file_fields.hpp"
#include "program/results/result.hpp"

namespace tessera::results {
namespace {

using machine::Rate;
using machine::StreamRates;

const Fields kStream = {
    {"min", number(kMemoryRate), "", &Rate::min},
    {"median", number(kMemoryRate), "", &Rate::median},
    {"max", number(kMemoryRate), "", &Rate::max},
};

const Fields kStreamRanges = {
    {"copy", object(kStream), "", Member(&StreamRates::copy, kStream)},
    {"triad", object(kStream), "", Member(&StreamRates::triad, kStream)},
    {"update", object(kStream), "", Member(&StreamRates::update, kStream)},
    {"copy_streaming?", maybe(object(kStream)), "by non-temporal stores",
     Member(&StreamRates::copy_streaming, kStream)},
};

Member median(Rate StreamRates::*stream) {
  return Member::of<StreamRates>([stream](const StreamRates& s) { return (s.*stream).median; });
}
const Fields kStreams = {
    {"unit?", text({"GB/s"})},
    {"precision", precision(), "", &StreamRates::precision},
    {"array_bytes", whole(0, 1e15), "of each array", &StreamRates::array_bytes},
    {"copy", number(kMemoryRate), "b = a, the median", median(&StreamRates::copy)},
    {"triad", number(kMemoryRate), "c = a + s b", median(&StreamRates::triad)},
    {"update", number(kMemoryRate), "b = a + q b, q an array", median(&StreamRates::update)},
    {"range", object(kStreamRanges), "min, median and max of each"},
};

const Fields kRoofline = {
    {"precision", precision(), "", &Roofline::precision},
    {"peak_gflop_per_s", number(kArithmetic), "multiply-adds", &Roofline::peak_gflop_per_s},
    {"gb_per_s", number(kMemoryRate), "of the fastest stream", &Roofline::gb_per_s},
    {"l2_gb_per_s", maybe(number(kMemoryRate)), "of a machine file", &Roofline::l2_gb_per_s},
};

}  // namespace

const Fields& result_file_fields() {
  static const Fields kFile = {
      {"schema", text({kResultSchema})},
      {"date", date(), "UTC", &ResultFile::date},
      {"begun?", maybe(date()), "date of the run that this one resumed",
       Member::of<ResultFile>(
           [](const ResultFile& f) { return f.begun.empty() ? json() : json(f.begun); },
           [](ResultFile& f, const json& value) { f.begun = value; })},
      {"command_line", text(), "", &ResultFile::command_line},
      {"machine", object(machine_info_fields()), "", &ResultFile::machine},
      {"build", object(build_fields()), "", &ResultFile::build},
      {"deck", any_object(), "the deck as it ran, with the command line's overrides",
       &ResultFile::deck},
      {"streams", maybe(object(kStreams)), "null in files of `tune` and `run --profile`",
       Member(&ResultFile::streams, kStreams)},
      {"roofline?", maybe(object(kRoofline)), "null where `streams` is",
       Member(&ResultFile::roofline, kRoofline)},
      {"results", list(object(row_fields())), "an entry a configuration and decomposition",
       Member(&ResultFile::results, row_fields())},
  };
  return kFile;
}

}  // namespace tessera::results
