// SPDX-License-Identifier: Apache-2.0
#include "program/measure/device.hpp"

#include "base/device/space.hpp"
#include "base/support/error.hpp"

#include <cstdio>
#include <fstream>
#include <memory>

namespace tessera::measure {

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)

namespace {

// Output of a command, without its last line break; "" where it fails.
std::string output_of(const std::string& command) {
  struct Close {
    void operator()(std::FILE* pipe) const { pclose(pipe); }
  };
  const std::unique_ptr<std::FILE, Close> pipe(popen(command.c_str(), "r"));
  std::string text;
  char buffer[256];
  while (pipe && std::fgets(buffer, sizeof buffer, pipe.get()) != nullptr) text += buffer;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// 13020 -> "13.2"
[[maybe_unused]] std::string dotted(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

#endif

#if defined(KOKKOS_ENABLE_CUDA)

namespace {

void check(cudaError_t status, const char* call) {
  require(status == cudaSuccess, "{}: {}", call, cudaGetErrorString(status));
}

// Attributes, not cudaDeviceProp: CUDA 13 took the clocks out of the structure.
int attribute(cudaDeviceAttr which) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, ExecSpace().cuda_device()), "cudaDeviceGetAttribute");
  return value;
}

}  // namespace

void require_device() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  require(status == cudaSuccess && count > 0, "this binary needs a CUDA device: {}",
          status == cudaSuccess ? "none is visible" : cudaGetErrorString(status));
}

DeviceMemory device_memory() {
  std::size_t available = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
  return {static_cast<std::int64_t>(total), static_cast<std::int64_t>(available)};
}

DeviceProperties device_properties() {
  const int device = ExecSpace().cuda_device();
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  DeviceProperties p;
  p.name = properties.name;
  p.architecture = fmt::format("sm_{}{}", properties.major, properties.minor);
  char bus[32] = "";
  check(cudaDeviceGetPCIBusId(bus, sizeof bus, device), "cudaDeviceGetPCIBusId");
  p.pci_bus = bus;
  p.units = attribute(cudaDevAttrMultiProcessorCount);
  p.lanes = attribute(cudaDevAttrWarpSize);
  p.clock_ghz = attribute(cudaDevAttrClockRate) * 1e-6;
  p.memory_clock_ghz = attribute(cudaDevAttrMemoryClockRate) * 1e-6;
  p.memory_bus_bits = attribute(cudaDevAttrGlobalMemoryBusWidth);
  p.theoretical_gb_per_s = 2 * p.memory_clock_ghz * p.memory_bus_bits / 8;
  p.ecc = attribute(cudaDevAttrEccEnabled) != 0;
  p.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  p.l2_bytes = attribute(cudaDevAttrL2CacheSize);
  p.scratch_bytes_per_unit = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  p.scratch_bytes_per_team = attribute(cudaDevAttrMaxSharedMemoryPerBlock);
  p.scratch_bytes_per_team_optin = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  p.registers_per_unit = attribute(cudaDevAttrMaxRegistersPerMultiprocessor);
  p.registers_per_team = attribute(cudaDevAttrMaxRegistersPerBlock);
  p.threads_per_unit = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  p.threads_per_team = attribute(cudaDevAttrMaxThreadsPerBlock);
  p.teams_per_unit = attribute(cudaDevAttrMaxBlocksPerMultiprocessor);
  int version = 0;
  check(cudaDriverGetVersion(&version), "cudaDriverGetVersion");
  p.driver_api = "CUDA " + dotted(version);
  check(cudaRuntimeGetVersion(&version), "cudaRuntimeGetVersion");
  p.runtime_version = "CUDA " + dotted(version);
  p.driver = first_line("/proc/driver/nvidia/version");
  p.state = output_of(
      "nvidia-smi -i " + p.pci_bus +
      " --query-gpu=clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,power.limit,temperature.gpu"
      " --format=csv 2>/dev/null | tr '\\n' ';'");
  return p;
}

#elif defined(KOKKOS_ENABLE_HIP)

namespace {

void check(hipError_t status, const char* call) {
  require(status == hipSuccess, "{}: {}", call, hipGetErrorString(status));
}

}  // namespace

void require_device() {
  int count = 0;
  const hipError_t status = hipGetDeviceCount(&count);
  require(status == hipSuccess && count > 0, "this binary needs a HIP device: {}",
          status == hipSuccess ? "none is visible" : hipGetErrorString(status));
}

DeviceMemory device_memory() {
  std::size_t available = 0;
  std::size_t total = 0;
  check(hipMemGetInfo(&available, &total), "hipMemGetInfo");
  return {static_cast<std::int64_t>(total), static_cast<std::int64_t>(available)};
}

DeviceProperties device_properties() {
  const int device = ExecSpace().hip_device();
  hipDeviceProp_t properties{};
  check(hipGetDeviceProperties(&properties, device), "hipGetDeviceProperties");
  DeviceProperties p;
  p.name = properties.name;
  p.architecture = properties.gcnArchName;
  char bus[32] = "";
  check(hipDeviceGetPCIBusId(bus, sizeof bus, device), "hipDeviceGetPCIBusId");
  p.pci_bus = bus;
  p.units = properties.multiProcessorCount;
  p.lanes = properties.warpSize;
  p.clock_ghz = properties.clockRate * 1e-6;
  p.memory_clock_ghz = properties.memoryClockRate * 1e-6;
  p.memory_bus_bits = properties.memoryBusWidth;
  p.theoretical_gb_per_s = 2 * p.memory_clock_ghz * p.memory_bus_bits / 8;
  p.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  p.l2_bytes = properties.l2CacheSize;
  p.scratch_bytes_per_unit = static_cast<std::int64_t>(properties.maxSharedMemoryPerMultiProcessor);
  p.scratch_bytes_per_team = static_cast<std::int64_t>(properties.sharedMemPerBlock);
  p.scratch_bytes_per_team_optin = p.scratch_bytes_per_team;
  p.registers_per_team = properties.regsPerBlock;
  p.threads_per_unit = properties.maxThreadsPerMultiProcessor;
  p.threads_per_team = properties.maxThreadsPerBlock;
  int version = 0;
  check(hipDriverGetVersion(&version), "hipDriverGetVersion");
  p.driver_api = "HIP " + std::to_string(version);
  check(hipRuntimeGetVersion(&version), "hipRuntimeGetVersion");
  p.runtime_version = "HIP " + std::to_string(version);
  p.driver = first_line("/sys/module/amdgpu/version");
  p.state = output_of("rocm-smi --showclocks --showmaxpower --csv 2>/dev/null | tr '\\n' ';'");
  return p;
}

#else

void require_device() {}

DeviceMemory device_memory() { fail("this binary has no device backend: no device memory"); }

DeviceProperties device_properties() { fail("this binary has no device backend: no device"); }

#endif

}  // namespace tessera::measure
