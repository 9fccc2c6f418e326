// SPDX-License-Identifier: Apache-2.0
// The program as a user's shell starts it: arguments in; exit status, stdout and stderr out.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

namespace tessera::test {

/// What is left of a process. A signal's end is 128 + its number, as shells say it.
struct Outcome {
  int status = -1;
  std::string out, err;
};

struct ProcessOptions {
  rlim_t file_bytes = RLIM_INFINITY;  ///< no file can grow beyond: a full disk
  bool terminal = false;              ///< stderr is a terminal, on which progress is shown
};

/// A running program. Whatever happens, it is gone with the object.
class ChildProcess {
 public:
  explicit ChildProcess(const std::vector<std::string>& arguments,
                        const ProcessOptions& options = {}) {
    std::vector<char*> argv{const_cast<char*>(TESSERA_BINARY)};
    for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    int out[2];
    int err[2];
    open_pipe(out);
    options.terminal ? open_terminal(err) : open_pipe(err);
    // Between fork and exec only what a program with threads may call there.
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(out[1], STDOUT_FILENO);
      ::dup2(err[1], STDERR_FILENO);
      if (options.file_bytes != RLIM_INFINITY) {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{options.file_bytes, options.file_bytes};
        ::setrlimit(RLIMIT_FSIZE, &limit);
      }
      ::execv(TESSERA_BINARY, argv.data());
      ::_exit(127);
    }
    ::close(out[1]);
    ::close(err[1]);
    streams_[0].descriptor = out[0];
    streams_[1].descriptor = err[0];
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    for (Stream& stream : streams_)
      if (stream.descriptor >= 0) ::close(stream.descriptor);
  }

  [[nodiscard]] const std::string& err() const { return streams_[1].text; }

  /// Waits until `text` is on stderr `times` times; false if the program ends or two minutes pass.
  [[nodiscard]] bool wait_for_err(const std::string& text, int times = 1) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (std::chrono::steady_clock::now() < limit) {
      int seen = 0;
      for (auto at = err().find(text); at != std::string::npos; at = err().find(text, at + 1))
        ++seen;
      if (seen >= times) return true;
      if (!pump(100)) return false;
    }
    return false;
  }

  void send(int signal) const { ::kill(pid_, signal); }

  /// Reads to the end and waits.
  Outcome finish() {
    while (pump(1000)) {
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return {code, streams_[0].text, streams_[1].text};
  }

 private:
  struct Stream {
    int descriptor = -1;
    std::string text;
  };

  static void open_pipe(int (&ends)[2]) {
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  }

  static void open_terminal(int (&ends)[2]) {
    ends[0] = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    const bool ready = ends[0] >= 0 && ::grantpt(ends[0]) == 0 && ::unlockpt(ends[0]) == 0;
    ends[1] = ready ? ::open(::ptsname(ends[0]), O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
    if (ends[1] < 0) throw std::runtime_error("no terminal");
  }

  /// Reads what is there, or waits for it; false once both streams have ended.
  bool pump(int milliseconds) {
    pollfd waits[2];
    for (int i = 0; i < 2; ++i) waits[i] = {streams_[i].descriptor, POLLIN, 0};
    ::poll(waits, 2, milliseconds);
    for (int i = 0; i < 2; ++i) {
      if (streams_[i].descriptor < 0 || waits[i].revents == 0) continue;
      char buffer[4096];
      const ssize_t got = ::read(streams_[i].descriptor, buffer, sizeof buffer);
      if (got > 0) {
        streams_[i].text.append(buffer, static_cast<std::size_t>(got));
      } else {  // a terminal without a program reads as an error
        ::close(streams_[i].descriptor);
        streams_[i].descriptor = -1;
      }
    }
    return streams_[0].descriptor >= 0 || streams_[1].descriptor >= 0;
  }

  pid_t pid_ = -1;
  Stream streams_[2];
};

/// Runs the program to its end.
inline Outcome run_program(const std::vector<std::string>& arguments,
                           const ProcessOptions& options = {}) {
  return ChildProcess(arguments, options).finish();
}

}  // namespace tessera::test
