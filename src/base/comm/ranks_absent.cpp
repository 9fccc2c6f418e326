// SPDX-License-Identifier: Apache-2.0
// A build without MPI: there is one rank, and what several would do is never requested.
#include "base/comm/ranks.hpp"

#include <cstring>

namespace tessera::comm {

struct Ranks::Communicator {};

Ranks::Ranks(std::shared_ptr<const Communicator> /*communicator*/) {}

void Ranks::barrier() const {}
double Ranks::max(double value) const { return value; }
double Ranks::sum(double value) const { return value; }
std::string Ranks::broadcast(const std::string& text, int /*root*/) const { return text; }
Ranks Ranks::split(int /*colour*/) const { return *this; }
void Ranks::broadcast_bytes(void* /*data*/, std::size_t /*bytes*/, int /*root*/) const {}
void Ranks::gather_bytes(const void* data, std::size_t bytes,
                         const std::function<void*(std::size_t)>& room) const {
  std::memcpy(room(bytes), data, bytes);
}

}  // namespace tessera::comm
