// SPDX-License-Identifier: Apache-2.0
// The ranks of a job, or a group of them: what MPI calls a communicator. One rank is no special
// case: everything here then returns at once what it was given, in builds without MPI too.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace tessera::comm {

/// Copies are the same group. What is said to be collective must be called by every rank of it.
class Ranks {
 public:
  /// MPI's communicator; known to the files that call MPI only.
  struct Communicator;

  /// This process alone.
  Ranks() = default;
  /// A group that MPI knows.
  explicit Ranks(std::shared_ptr<const Communicator> communicator);
  /// Rank `rank` of `size` ranks that do not run, to compute what it would hold. What is collective
  /// must not be called.
  [[nodiscard]] static Ranks imagined(int rank, int size) {
    Ranks ranks;
    ranks.rank_ = rank;
    ranks.size_ = size;
    return ranks;
  }

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool alone() const { return size_ == 1; }
  /// Rank 0, which prints and writes files.
  [[nodiscard]] bool first() const { return rank_ == 0; }

  /// Collective: returns when all have called it.
  void barrier() const;
  /// Collective: the largest, the sum.
  [[nodiscard]] double max(double value) const;
  [[nodiscard]] double sum(double value) const;
  [[nodiscard]] double min(double value) const { return -max(-value); }
  /// Collective: whether it holds on any rank, on all.
  [[nodiscard]] bool any(bool holds) const { return alone() ? holds : max(holds ? 1 : 0) > 0; }
  [[nodiscard]] bool all(bool holds) const { return !any(!holds); }

  /// Collective: what rank `root` has.
  template <class T>
  requires std::is_trivially_copyable_v<T>
  [[nodiscard]] T broadcast(T value, int root = 0) const {
    if (!alone()) broadcast_bytes(&value, sizeof value, root);
    return value;
  }
  /// The same of a text; its length on the other ranks does not matter.
  [[nodiscard]] std::string broadcast(const std::string& text, int root = 0) const;

  /// Collective: the elements of all ranks, rank after rank, on rank 0; nothing on the others.
  /// Their numbers may differ.
  template <class T>
  requires std::is_trivially_copyable_v<T>
  [[nodiscard]] std::vector<T> gather(const std::vector<T>& mine) const {
    if (alone()) return mine;
    std::vector<T> all;
    gather_bytes(mine.data(), mine.size() * sizeof(T), [&](std::size_t bytes) -> void* {
      all.resize(bytes / sizeof(T));
      return all.data();
    });
    return all;
  }

  /// Collective: the ranks of this group that name the same colour, in this group's order.
  [[nodiscard]] Ranks split(int colour) const;

  /// null where alone.
  [[nodiscard]] const Communicator* communicator() const { return communicator_.get(); }

 private:
  void broadcast_bytes(void* data, std::size_t bytes, int root) const;
  /// `room` is asked on rank 0 for memory for all.
  void gather_bytes(const void* data, std::size_t bytes,
                    const std::function<void*(std::size_t)>& room) const;

  std::shared_ptr<const Communicator> communicator_;
  int rank_ = 0, size_ = 1;
};

}  // namespace tessera::comm
