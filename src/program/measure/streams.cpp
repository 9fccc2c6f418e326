// SPDX-License-Identifier: Apache-2.0
#include "program/measure/streams.hpp"

#include "base/support/error.hpp"
#include "program/measure/memory.hpp"
#include "program/measure/stream_kernels.hpp"
#include "program/measure/timing.hpp"
#include "program/measure/topology.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tessera::measure {

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
// A sample must outlast the launch by far; on a device one pass takes a millisecond or less.
constexpr double kSampleSeconds = 0.005;
// The samples of all loops together take about this at most.
constexpr double kMostSeconds = 3;
// Offset between the arrays' alignment, so that equal indices do not meet in one cache set.
constexpr std::int64_t kAlignment = 4096;
constexpr std::int64_t kStagger = 1024;

// Three arrays in one allocation, aligned for vectors and staggered.
template <class T>
class StreamArrays {
 public:
  explicit StreamArrays(std::int64_t array_bytes) {
    const auto bytes_per_chunk = kChunkElements<T> * static_cast<std::int64_t>(sizeof(T));
    const std::int64_t chunks = std::max<std::int64_t>(array_bytes / bytes_per_chunk, 1);
    const std::int64_t bytes = chunks * bytes_per_chunk;
    const std::int64_t slot = (bytes + kAlignment - 1) / kAlignment * kAlignment + kStagger;
    memory_ = Memory(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera::measure::arrays"),
                     static_cast<std::size_t>(3 * slot + kAlignment));
    const auto base = reinterpret_cast<std::uintptr_t>(memory_.data());
    char* start = memory_.data() + (kAlignment - base % kAlignment) % kAlignment;
    const auto array = [&](int i) { return reinterpret_cast<T*>(start + i * slot); };
    arrays_ = {array(0), array(1), array(2), chunks * kChunkElements<T>};
  }
  [[nodiscard]] const Arrays<T>& get() const { return arrays_; }

 private:
  using Memory = Kokkos::View<char*, ExecSpace::memory_space>;
  Memory memory_;
  Arrays<T> arrays_{};
};

template <class T>
void require_written(const ExecSpace& exec, const Arrays<T>& arrays, double value,
                     const char* label) {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  const T tolerance = T(1e-5 * value);
  const OutsideKernel<T> kernel{arrays.out, T(value) - tolerance, T(value) + tolerance};
  std::int64_t outside = 0;
  Kokkos::parallel_reduce("tessera::measure::check", Policy(exec, 0, arrays.count), kernel,
                          outside);
  exec.fence();
  require(outside == 0, "{}: {} of {} elements are wrong: this machine's memory is not reliable",
          label, outside, arrays.count);
}

// A loop with the value that it leaves in every element of `out`, given the fill below.
struct Loop {
  const char* label;
  int accesses;
  double value;
  StepFunction pass;
};

template <class Kernel>
StepFunction pass_of(const Kernel& kernel) {
  return [kernel](const ExecSpace& exec) { enqueue(exec, kernel); };
}

template <class T>
std::vector<Loop> loops_over(const Arrays<T>& a) {
  std::vector<Loop> loops = {
      {Copy::kLabel, Copy::kAccesses, 1.0, pass_of(StreamKernel<Copy, T>{a})},
      {Triad::kLabel, Triad::kAccesses, 1.25, pass_of(StreamKernel<Triad, T>{a})},
      // b = 1 + b/2 stays at 2, where prepare puts it.
      {Update::kLabel, Update::kAccesses, 2.0, pass_of(StreamKernel<Update, T>{a})}};
#if defined(TESSERA_HAVE_STREAMING_STORES)
  loops.push_back(
      {StreamingCopyKernel<T>::kLabel, Copy::kAccesses, 1.0, pass_of(StreamingCopyKernel<T>{a})});
#endif
  return loops;
}

template <class T>
machine::StreamRates measure_for(const StreamOptions& options) {
  const ExecSpace exec;
  const std::int64_t wanted =
      options.array_bytes > 0 ? options.array_bytes : array_bytes_here(options.most_bytes);
  const std::int64_t available = available_memory_bytes();
  require(3 * wanted <= available,
          "streams: three arrays of {} bytes do not fit in the {} bytes of memory that are free",
          wanted, available);
  const StreamArrays<T> storage(wanted);
  const Arrays<T> arrays = storage.get();
  const FillKernel<T> fill{arrays, T(2), T(1), T(0.5)};

  std::vector<Loop> loops = loops_over(arrays);
  std::vector<Sampler> samplers;
  double round_s = 0;  // of one sample of each loop
  for (const Loop& loop : loops) {
    // The value left by a pass proves that it ran: poison first, then look.
    enqueue(exec, fill);
    loop.pass(exec);
    require_written(exec, arrays, loop.value, loop.label);
    Sampler sampler(exec, loop.pass);
    const double pass_s = sampler.warm_up(quick_roofs() ? 0 : options.warmup_s);
    sampler.lengthen(quick_roofs() ? 0 : kSampleSeconds, pass_s);
    round_s += std::max(pass_s, kSampleSeconds);
    samplers.push_back(std::move(sampler));
  }
  // Slow memory gets fewer samples; spoiled ones are taken again, once.
  const int repetitions =
      quick_roofs() ? 0
                    : std::clamp(static_cast<int>(kMostSeconds / round_s), kMinRepetitions,
                                 std::max(options.repetitions, kMinRepetitions));
  const std::vector<machine::Summary> times = steadiest([&] {
    std::vector<std::vector<double>> samples;
    std::vector<Sampler> round = samplers;
    measure_interleaved(round, 0, repetitions);
    for (const Sampler& sampler : round) samples.push_back(sampler.samples_s());
    return samples;
  });

  const double array_gb = static_cast<double>(arrays.count) * sizeof(T) * 1e-9;
  std::vector<machine::Rate> rates;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    rates.push_back(rate(loops[i].accesses * array_gb, times[i]));
  }
  machine::StreamRates result;
  result.precision = options.precision;
  result.array_bytes = arrays.count * static_cast<std::int64_t>(sizeof(T));
  result.copy = rates[0];
  result.triad = rates[1];
  result.update = rates[2];
  if (rates.size() > 3) result.copy_streaming.emplace(rates[3]);
  return result;
}

}  // namespace

std::int64_t array_bytes_for(std::int64_t cache_bytes, std::int64_t available_bytes,
                             std::int64_t most_bytes) {
  const std::int64_t least = kOnDevice ? 1024 * kMiB : kLeastRoofsBytes / 3;
  const std::int64_t most =
      kOnDevice ? available_bytes / 4 : std::min(available_bytes / 4, most_bytes);
  return std::min(std::max(4 * cache_bytes, least), most / 3);
}

std::int64_t array_bytes_here(std::int64_t most_bytes) {
  if (quick_roofs()) return 4 * kMiB;
  return array_bytes_for(last_level_cache_bytes(), available_memory_bytes(), most_bytes);
}

machine::StreamRates measure_streams(const StreamOptions& options) {
  return options.precision == "float" ? measure_for<float>(options) : measure_for<double>(options);
}

}  // namespace tessera::measure
