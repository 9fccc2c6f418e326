// SPDX-License-Identifier: Apache-2.0
#include "base/comm/agree.hpp"

#include <new>
#include <numeric>
#include <string>

namespace tessera::comm {

void together(const Ranks& ranks, const std::function<void()>& body) {
  if (ranks.alone()) {
    body();
    return;
  }
  bool failed = true;
  std::string message;
  try {
    body();
    failed = false;
  } catch (const std::bad_alloc&) {
    message = "out of memory";
  } catch (const std::exception& error) {
    message = error.what();
  }
  const int who = static_cast<int>(ranks.min(failed ? ranks.rank() : ranks.size()));
  if (who == ranks.size()) return;
  message = ranks.broadcast(message, who);
  if (who != 0) message = fmt::format("rank {} of {}: {}", who, ranks.size(), message);
  throw AgreedError(message);
}

std::vector<std::uint64_t> share(const Ranks& ranks, const std::vector<std::uint64_t>& numbers) {
  if (ranks.alone()) return numbers;
  const auto* bytes = reinterpret_cast<const char*>(numbers.data());
  const std::string text =
      ranks.broadcast(std::string(bytes, numbers.size() * sizeof(std::uint64_t)));
  std::vector<std::uint64_t> shared(text.size() / sizeof(std::uint64_t));
  text.copy(reinterpret_cast<char*>(shared.data()), text.size());
  return shared;
}

std::uint64_t wrapping_sum(const Ranks& ranks, std::uint64_t number) {
  const std::vector<std::uint64_t> all = ranks.gather(std::vector<std::uint64_t>{number});
  return ranks.broadcast(std::accumulate(all.begin(), all.end(), std::uint64_t{0}));
}

}  // namespace tessera::comm
