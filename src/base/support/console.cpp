// SPDX-License-Identifier: Apache-2.0
#include "base/support/console.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <system_error>

namespace tessera {
namespace {

int output_error = 0;  // errno of the first write that failed
bool is_silent = false;

/// Bytes of the UTF-8 character that `text` begins with; 0 where it begins with none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  }
  return length;
}

void append_byte(std::string& out, char c) {
  switch (c) {
    case '\n':
      out += "\\n";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\r':
      out += "\\r";
      break;
    default:
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
  }
}

}  // namespace

void guard_descriptors() {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // a pipe's reader sees lines as they come
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files makes writes fail
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is this one. What is written there fails, as it should.
    static_cast<void>(::open("/dev/null", O_RDONLY));
  }
}

void silence_output(bool silent) { is_silent = silent; }

void write_output(std::string_view text) {
  if (is_silent) return;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && output_error == 0) {
    output_error = errno != 0 ? errno : EIO;
  }
}

void write_to(std::FILE* stream, std::string_view text) {
  if (stream == stdout) return write_output(text);
  if (is_silent) return;
  std::fwrite(text.data(), 1, text.size(), stream);
}

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) != 0 && output_error == 0) output_error = errno != 0 ? errno : EIO;
}

void write_error(std::string_view text) {
  if (is_silent) return;
  flush_output();  // in the order in which it was said
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void warn(std::string_view text) { write_error("tessera: warning: " + shown(text) + "\n"); }

std::string finish_output() {
  flush_output();
  // A reader that has seen enough (`| head`) is no fault.
  const bool is_fault = output_error != 0 && output_error != EPIPE;
  return is_fault ? std::generic_category().message(output_error) : std::string();
}

std::size_t terminal_width() {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const int given = columns == nullptr ? 0 : std::atoi(columns);
  return given > 0 ? static_cast<std::size_t>(given) : kUsual;
}

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 600;
  constexpr std::size_t kHead = 200;
  constexpr std::size_t kTail = 80;
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (length == 0 || first < 0x20 || first == 0x7f) {
      append_byte(out, text[0]);
      text.remove_prefix(1);
    } else {
      out.append(text.substr(0, length));
      text.remove_prefix(length);
    }
  }
  if (out.size() <= kMost) return out;
  std::size_t head = kHead;  // never in the middle of a character
  while ((static_cast<unsigned char>(out[head]) & 0xc0U) == 0x80) --head;
  std::size_t tail = out.size() - kTail;
  while ((static_cast<unsigned char>(out[tail]) & 0xc0U) == 0x80) ++tail;
  return out.substr(0, head) + " [...] " + out.substr(tail);
}

}  // namespace tessera
