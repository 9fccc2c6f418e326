// SPDX-License-Identifier: Apache-2.0
#include "base/support/progress.hpp"

#include "base/support/console.hpp"
#include "base/support/duration.hpp"

#include <fmt/core.h>

#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>

namespace tessera {
namespace {

/// Columns of the terminal on standard error; 80 where it is unknown.
std::size_t width_of_terminal() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace

std::string fit_line(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width);
}

Progress::Progress(std::FILE* lines, double apart)
    : lines_(lines), apart_(apart), terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::update(double part, const std::string& text) {
  const auto now = Clock::now();
  const auto since = [&](Clock::time_point then) {
    return std::chrono::duration<double>(now - then).count();
  };
  const bool begins = part < last_;
  if (begins) {
    start_ = drawn_ = now;
    tenths_ = 0;
  }
  last_ = part;
  const int tenths = static_cast<int>(10 * part + 1e-9);
  if (!(terminal_ ? begins || since(drawn_) > 0.1 : tenths > tenths_ && since(drawn_) >= apart_)) {
    return;
  }
  drawn_ = now;
  tenths_ = tenths;
  const double seconds = since(start_);
  std::string line = fmt::format("{:3.0f} %  {}", 100 * part, text);
  if (part > 0) line += fmt::format("  {} left", duration_text(seconds * (1 - part) / part));
  if (!terminal_) {
    say(lines_, "{}\n", line);
    std::fflush(lines_);
    return;
  }
  // One column stays free: a full line would wrap, and the next bar would not overwrite it.
  constexpr std::size_t kBar = 32;
  const std::size_t width = width_of_terminal() - 1;
  const std::size_t rest = width > line.size() + 3 ? width - line.size() - 3 : 0;
  const std::size_t bar = std::min(kBar, rest);
  if (bar >= 4) {
    const auto full = static_cast<std::size_t>(std::min(part, 1.0) * static_cast<double>(bar));
    line = fmt::format("[{}{}] {}", std::string(full, '#'), std::string(bar - full, '.'), line);
  }
  write_error("\r\033[K" + fit_line(line, width));
}

void Progress::clear() const {
  if (terminal_) write_error("\r\033[K");
}

}  // namespace tessera
