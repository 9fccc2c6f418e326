// SPDX-License-Identifier: Apache-2.0
// What a result file says of the machine and the build.
#include "program/results/file_fields.hpp"

namespace tessera::results {
namespace {

const Fields kCache = {
    {"level", text(), "L1, L2, L3"},
    {"bytes", whole(0), "of one instance, as far as it is believed"},
    {"reported_bytes?", whole(0), "by the system, where it is more than such a processor has"},
    {"line_bytes?", whole(0)},
    {"instances?", whole(0)},
    {"cores?", maybe(whole(0)), "that share an instance"},
};

const Fields kHost = {
    {"hostname", text(), "`redacted` on request"},
    {"cpu", text(), "the vendor's name"},
    {"vendor?", text()},
    {"family?", whole(0)},
    {"model?", whole(0)},
    {"stepping?", whole(0)},
    {"microarchitecture?", text()},
    {"vector_bits?", whole(0)},
    {"load?", maybe(number(0)), "before the run; null where a run of the same study came before"},
    {"operating_system?", text()},
    {"logical_cpus?", maybe(whole(0))},
    {"cores", maybe(whole(0))},
    {"sockets?", maybe(whole(0))},
    {"max_clock_ghz?", maybe(number(0))},
    {"frequency_governor?", text()},
    {"memory_bytes?", maybe(whole(0))},
    {"memory_available_bytes?", maybe(whole(0))},
    {"caches", list(object(kCache))},
};

const Fields kTopology = {
    {"source", text(), "`hwloc 2.9.0`, or `system`: then `binding` is `unknown`"},
    {"threads", whole(0), "of Kokkos' host execution space"},
    {"binding", text({"core", "numa_node", "none", "unknown"}),
     "`core`: each thread is kept on one core; `none`: some thread may cross NUMA nodes"},
    {"thread_cpus", list(text()), "of each thread the CPUs that it may use: `0,64`"},
    {"cpus", maybe(whole(0)), "that the threads may use, all together"},
    {"cores", maybe(whole(0)), "of these CPUs"},
    {"machine_cores", maybe(whole(0)), "also where a control group forbids them"},
    {"numa_nodes", maybe(whole(0)), "of the machine, those with CPUs of their own"},
    {"cpu_quota", maybe(number(0)), "CPUs whose time the control group allows"},
};

const Fields kDevice = all_of({
    {{"name", text()}},
    fields({"architecture?", "pci_bus?", "driver?", "driver_api?", "runtime?", "state?"}, text()),
    {{"units", whole(0), "multiprocessors, compute units"}},
    fields({"lanes?", "memory_bus_bits?", "memory_bytes?", "memory_available_bytes?", "l2_bytes?",
            "scratch_bytes_per_unit?", "scratch_bytes_per_team?", "scratch_bytes_per_team_optin?",
            "registers_per_unit?", "registers_per_team?", "threads_per_unit?", "threads_per_team?",
            "teams_per_unit?"},
           whole(0)),
    fields({"clock_ghz?", "memory_clock_ghz?", "theoretical_gb_per_s?"}, number(0)),
    {{"ecc?", maybe(flag())}},
});

const Fields kMachine = {
    {"name", text(),
     "the platform: a GPU's name; of a host microarchitecture, vectors, "
     "threads; or --platform"},
    {"kind", text({"cpu", "gpu"})},
    {"device", text(), "the vendor's name"},
    {"hostname", text(), "`redacted` on request"},
    {"execution_space", text(), "of Kokkos"},
    {"concurrency", whole(0)},
    {"host_concurrency?", whole(0)},
    {"flush_to_zero?", flag(), "whether denormals are zero"},
    {"environment?", map(text()), "thread binding and visible devices"},
    {"host", object(kHost)},
    {"topology?", object(kTopology)},
    {"device_properties?", object(kDevice)},
};

const Fields kBuild = all_of({
    fields({"version", "git_revision"}, text()),
    {{"mpi?", text(), "the library, of builds with MPI"}},
    fields({"compiler", "flags", "build_type", "kokkos_version", "kokkos_devices", "kokkos_arch",
            "kokkos_options"},
           text()),
    {{"git_dirty", flag(), "whether the tree held changes"}},
});

}  // namespace

const Fields& machine_info_fields() { return kMachine; }
const Fields& build_fields() { return kBuild; }

}  // namespace tessera::results
