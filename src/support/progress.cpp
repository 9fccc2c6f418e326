// SPDX-License-Identifier: Apache-2.0
#include "shot/progress.hpp"

#include <fmt/core.h>

#include <unistd.h>
#include <cmath>
#include <cstdio>
#include <string>

namespace tessera {
namespace {

/// "42 s", "3 min 05 s" or "2 h 07 min".
std::string duration_text(double seconds) {
  const auto s = std::llround(seconds);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  return fmt::format("{} h {:02} min", s / 3600, s % 3600 / 60);
}

}  // namespace

Progress::Progress(std::int64_t steps, double cells)
    : steps_(steps),
      cells_(cells),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      drawn_(start_) {}

void Progress::update(std::int64_t done) {
  const auto now = Clock::now();
  const std::int64_t tenths = 10 * done / steps_;
  const bool due = terminal_ ? now - drawn_ > std::chrono::milliseconds(100) : tenths > tenths_;
  if (!due) return;
  drawn_ = now;
  tenths_ = tenths;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const auto part = static_cast<double>(done) / static_cast<double>(steps_);
  const double rate = cells_ * static_cast<double>(done) / seconds / 1e9;
  const std::string left = duration_text(seconds * (1 - part) / part);
  if (terminal_) {
    constexpr int kWidth = 32;
    const auto full = static_cast<std::size_t>(part * kWidth);
    fmt::print(stderr, "\r\033[K[{}{}] {:3.0f} %  step {} of {}  {:.3g} GCell/s  {} left",
               std::string(full, '#'), std::string(kWidth - full, '.'), 100 * part, done, steps_,
               rate, left);
  } else {
    fmt::print("{:3.0f} %  step {} of {}  {:.3g} GCell/s  {} left\n", 100 * part, done, steps_,
               rate, left);
  }
  std::fflush(stdout);
}

void Progress::clear() const {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

}  // namespace tessera
