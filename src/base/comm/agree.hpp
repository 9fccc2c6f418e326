// SPDX-License-Identifier: Apache-2.0
// What ranks do by themselves, and how they agree on the outcome: none may continue where another
// cannot.
#pragma once

#include "base/comm/ranks.hpp"
#include "base/support/error.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace tessera::comm {

/// An error that every rank of a group has thrown at the same place: the group may continue with
/// something else.
class AgreedError : public Error {
 public:
  using Error::Error;
};

/// Collective. Calls `body`, which must not be collective, on every rank, and returns when all have
/// done so. Where it throws on some, all throw AgreedError with the message of the first of these;
/// a rank alone lets it through.
void together(const Ranks& ranks, const std::function<void()>& body);

/// Collective: the numbers of rank 0.
[[nodiscard]] std::vector<std::uint64_t> share(const Ranks& ranks,
                                               const std::vector<std::uint64_t>& numbers);

/// Collective: the sum on all ranks, modulo 2^64.
[[nodiscard]] std::uint64_t wrapping_sum(const Ranks& ranks, std::uint64_t number);

}  // namespace tessera::comm
