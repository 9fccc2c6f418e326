// SPDX-License-Identifier: Apache-2.0
// Whose constants a machine is given that lacks some.
#include "program/predict/kernel.hpp"

#include "base/support/error.hpp"
#include "fixtures/machines.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tessera::model {
namespace {

using test::shipped;

TEST(DefaultConstants, ShippedMachinesHaveTheirOwn) {
  for (const char* name : {"B200", "H100", "H200", "A100", "V100", "V100-32GB", "P100", "K20",
                           "MI250X", "KNL7250", "Zen4-AVX2", "Zen4-AVX512"}) {
    EXPECT_EQ(completed_constants(shipped(name)).defaults_of, "") << name;
  }
}

TEST(DefaultConstants, AGpuWithoutAnyTakesAnH100s) {
  machine::Machine machine = shipped("H200");
  machine.name = "other";
  machine.model = {};
  machine.model.tail = 0.25;
  const Constants all = completed_constants(machine);
  EXPECT_EQ(all.defaults_of, "H100");
  EXPECT_EQ(all.values.trip_cycles, shipped("H100").model.trip_cycles);
  EXPECT_EQ(*all.values.tail, 0.25) << "its own stay";
  EXPECT_FALSE(all.values.time_residual.has_value()) << "how well they fit is the lender's";
  const MachineModel target = machine_model_of(machine);
  EXPECT_EQ(target.constants_of, "H100");
  EXPECT_EQ(target.constants.trip_cycles, all.values.trip_cycles);
}

TEST(DefaultConstants, AMachineFileNamesItsModel) {
  machine::Machine gpu, cpu;
  gpu.kind = "gpu", cpu.kind = "cpu", cpu.clock_ghz = 2;
  EXPECT_EQ(model_of(gpu), machine::kDeviceModel);
  EXPECT_EQ(model_of(cpu), machine::kTrafficModel) << "no ports";
  cpu.core = {{"float", 32.0, 2.0, 1.0, 2.0, 2.0, 4.0, 0.8}};
  EXPECT_EQ(model_of(cpu), machine::kHostModel);
  cpu.predicted_by = machine::kTrafficModel;
  EXPECT_EQ(model_of(cpu), machine::kTrafficModel);
  nlohmann::json file = machine::to_json(shipped("V100"));
  EXPECT_EQ(file.at("predicted_by"), machine::kTrafficModel);
  file["predicted_by"] = machine::kHostModel;  // of a GPU
  EXPECT_THROW(static_cast<void>(machine::machine_from_json(file, "file")), Error);
}

TEST(DefaultConstants, AGpuOfTheTrafficModelKeepsToIt) {
  machine::Machine machine = shipped("V100");
  machine.model.tail.reset();
  const Constants all = completed_constants(machine);
  EXPECT_EQ(all.defaults_of, "A100");
  EXPECT_EQ(all.values.tail, shipped("A100").model.tail);
  EXPECT_FALSE(all.values.trip_cycles.has_value());
}

TEST(DefaultConstants, AHostByItsVectors) {
  machine::Machine machine = shipped("Zen4-AVX512");
  machine.name = "other";
  machine.model = {};
  machine.predicted_by.clear();
  EXPECT_EQ(lender_of(machine), "KNL7250") << "no ports: bandwidths alone";
  machine.core = {{"float", 32.0, 2.0, 1.0, 2.0, 2.0, 4.0, 0.8}};
  EXPECT_EQ(lender_of(machine), "Zen4-AVX2");
  machine.core.push_back({"float", 64.0, 2.0, 1.0, 2.0, 2.0, 4.0, 0.8});
  EXPECT_EQ(lender_of(machine), "Zen4-AVX512");
}

TEST(DefaultConstants, SusConstantsAreHisPapers) {
  const Constants all = completed_constants(shipped("V100"));
  EXPECT_EQ(all.values.delta, shipped("K20").model.delta);
  EXPECT_EQ(completed_constants(shipped("H100")).values.delta, shipped("H100").model.delta);
}

// What plans are made for where nobody names a device is an H100.
TEST(DefaultConstants, AnyDeviceIsAsTheFileOfAnH100) {
  const MachineLimits file = machine_limits(shipped("H100"));
  EXPECT_EQ(kAnyDevice.register_base, file.register_base);
  EXPECT_EQ(kAnyDevice.unit_registers, file.unit_registers);
  EXPECT_EQ(kAnyDevice.thread_registers, file.thread_registers);
  EXPECT_EQ(kAnyDevice.unit_scratch_bytes, file.unit_scratch_bytes);
  EXPECT_EQ(kAnyDevice.units, file.units);
}

}  // namespace
}  // namespace tessera::model
