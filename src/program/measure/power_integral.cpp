// SPDX-License-Identifier: Apache-2.0
#include "program/measure/energy_counter.hpp"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace tessera::measure {
namespace {

class PowerIntegral {
 public:
  PowerIntegral(ReadPower watts, double interval_s)
      : watts_(std::move(watts)), interval_s_(interval_s), thread_([this] { sample(); }) {}
  PowerIntegral(const PowerIntegral&) = delete;
  PowerIntegral& operator=(const PowerIntegral&) = delete;
  ~PowerIntegral() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

  std::optional<double> joules() {
    const std::lock_guard lock(mutex_);
    return readable_ ? std::optional(joules_) : std::nullopt;
  }

 private:
  void sample() {
    using Clock = std::chrono::steady_clock;
    auto before = Clock::now();
    std::optional<double> last = watts_();
    std::unique_lock lock(mutex_);
    while (
        !wake_.wait_for(lock, std::chrono::duration<double>(interval_s_), [&] { return stop_; })) {
      const std::optional<double> watts = watts_();
      const auto now = Clock::now();
      readable_ = last && watts;
      if (readable_) {
        joules_ += 0.5 * (*last + *watts) * std::chrono::duration<double>(now - before).count();
      }
      before = now;
      last = watts;
    }
  }

  ReadPower watts_;
  double interval_s_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  bool readable_ = true;
  double joules_ = 0;
  std::thread thread_;  // the last: it uses the others
};

}  // namespace

EnergyCounter integrate_power(std::string source, ReadPower watts, double interval_s) {
  auto integral = std::make_shared<PowerIntegral>(std::move(watts), interval_s);
  return {std::move(source), [integral] { return integral->joules(); }};
}

}  // namespace tessera::measure
