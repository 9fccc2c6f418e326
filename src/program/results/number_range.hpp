// SPDX-License-Identifier: Apache-2.0
// What a number of a machine file may be: wide enough for machines to come, narrow enough for
// models, which divide by it, make a whole number of it or loop over it.
// schemas/machine.schema.json has the same ranges, and a test compares them.
#pragma once

#include "base/io/json_file.hpp"
#include "base/support/error.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <string>

namespace tessera::machine {

/// From `least` to `most`; a count is `whole`.
struct NumberRange {
  double least, most;
  bool whole = false;
};

inline constexpr NumberRange kUnits{1, 1e6, true};
inline constexpr NumberRange kLanes{1, 1024, true};
inline constexpr NumberRange kThreads{1, 65536, true};
inline constexpr NumberRange kTeams{1, 4096, true};
inline constexpr NumberRange kProcessors{1, 65536, true};
inline constexpr NumberRange kRegistersOfUnit{1024, 1e7, true};
inline constexpr NumberRange kRegistersOfThread{1, 65536, true};
inline constexpr NumberRange kScratch{1, 1e9, true};
inline constexpr NumberRange kLine{1, 65536, true};
inline constexpr NumberRange kBytes{1, 1e15, true};
inline constexpr NumberRange kClock{1e-3, 100};           ///< GHz
inline constexpr NumberRange kBandwidth{1e-3, 1e6};       ///< GB/s of memory
inline constexpr NumberRange kCacheBandwidth{1e-3, 1e8};  ///< GB/s of all instances together
inline constexpr NumberRange kRate{1e-3, 1e9};            ///< GFLOP/s
inline constexpr NumberRange kLatency{1e-6, 1e6};         ///< cycles or microseconds
inline constexpr NumberRange kInACycle{1e-6, 1e6};        ///< instructions or elements

/// A constant of a model may be 0: the effect is not there.
inline constexpr NumberRange kEffect{0, 1e6};
inline constexpr NumberRange kShare{0, 100};
inline constexpr NumberRange kRegisterBase{0, 1024};
// What models divide by.
inline constexpr NumberRange kDivisor{1e-6, 1e6};
inline constexpr NumberRange kScale{1e-2, 100};
inline constexpr NumberRange kBytesInACycle{1e-2, 1e6};
/// An exponent: times of nanoseconds to its power are numbers yet.
inline constexpr NumberRange kExponent{0.5, 32};

/// The number of `value`. Throws Error, with the range, where it is none or outside of it.
inline double number_in(const NumberRange& range, const nlohmann::json& value,
                        const std::string& where) {
  require(value.is_number(), "{} is {}, not a number", where, io::brief(value));
  const auto number = value.get<double>();
  const bool fine = number >= range.least && number <= range.most &&
                    (!range.whole || number == std::floor(number));
  require(fine, "{} is {}, must be a {}number from {} to {}", where, number,
          range.whole ? "whole " : "", range.least, range.most);
  return number;
}

}  // namespace tessera::machine
