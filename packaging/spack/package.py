# SPDX-License-Identifier: Apache-2.0
"""Tessera's recipe for Spack 1.0 and newer. packaging/README.md has the commands."""

import os

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage

from spack.package import Executable, conflicts, depends_on, license, variant, version


class Tessera(CMakePackage, CudaPackage, ROCmPackage):
    """Stencil mini-app on Kokkos: blocking strategies of five families, each verified against a
    reference and measured in one way; also models acoustic seismic shots."""

    # Where your clone is: there is no address that all could name.
    git = os.environ.get("TESSERA_SOURCE", "file:///usr/src/tessera")
    tags = ["proxy-app", "benchmark"]
    license("Apache-2.0")
    version("main", branch="main")

    variant("openmp", default=True, description="Kokkos' OpenMP backend; without it one thread")
    variant("mpi", default=True, description="several ranks")
    variant("hdf5", default=True, description="velocity models and snapshots in HDF5")
    variant("hwloc", default=True, description="cores, caches and the binding of threads")
    variant("segyio", default=False,
            description="SEG-Y; Spack has no segyio: its prefix goes into CMAKE_PREFIX_PATH")
    variant("kernels", default=True, description="Kokkos Kernels, which ete/spmv and fits call")
    variant("few", default=False, description="only a handful of tiles a variant: builds fast")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("fmt")
    depends_on("cli11")
    depends_on("tomlplusplus")
    depends_on("nlohmann-json")
    depends_on("googletest", type="test")
    depends_on("mpi", when="+mpi")
    depends_on("hdf5+hl", when="+hdf5")
    depends_on("hdf5~mpi", when="+hdf5~mpi")
    depends_on("hwloc@2:", when="+hwloc")

    # One backend a binary. With a device the host's part runs on one thread.
    depends_on("kokkos@3.4: +serial cxxstd=20")
    depends_on("kokkos+openmp", when="+openmp~cuda~rocm")
    depends_on("kokkos~openmp", when="~openmp")
    depends_on("kokkos-kernels", when="+kernels")
    # From 4.5 to 4.7 a View's layout differs between host and device under CUDA, and GCC 12 breaks it on
    # hosts, unless Kokkos is built with IMPL_VIEW_LEGACY: Spack's recipe does so for 4.7.00 alone.
    depends_on("kokkos@:4.4,4.7.00 +wrapper+cuda_lambda", when="+cuda")
    depends_on("cuda@:12", when="+cuda")  # these know no newer one
    for arch in ("100", "120"):
        conflicts(f"cuda_arch={arch}", when="^kokkos@:4.4")
    conflicts("^kokkos@4.5:4.6,4.7.01:4", when="%gcc@12")
    conflicts("+cuda", when="+rocm", msg="one binary has one device backend")
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos+cuda cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
    for target in ROCmPackage.amdgpu_targets:
        depends_on(f"kokkos+rocm amdgpu_target={target}", when=f"+rocm amdgpu_target={target}")
    # Kokkos takes no second one.
    conflicts("cuda_arch=none", when="+cuda", msg="a binary is built for one GPU architecture: set cuda_arch")
    conflicts("amdgpu_target=none", when="+rocm",
              msg="a binary is built for one GPU architecture: set amdgpu_target")
    conflicts("%gcc@:11")
    conflicts("%clang@:15")

    def cmake_args(self):
        args = [
            self.define("TESSERA_FETCH", False),
            self.define("TESSERA_ENABLE_TESTS", self.run_tests),
            self.define("TESSERA_ENABLE_NCCL", False),
            self.define("TESSERA_CONFIGURATIONS", "few" if "+few" in self.spec else "all"),
            self.define_from_variant("TESSERA_ENABLE_KOKKOSKERNELS", "kernels"),
            self.define("Kokkos_ROOT", self.spec["kokkos"].prefix),
        ]
        for part, name in (("mpi", "MPI"), ("hdf5", "HDF5"), ("hwloc", "HWLOC"), ("segyio", "SEGY")):
            args += [self.define_from_variant(f"TESSERA_ENABLE_{name}", part),
                     self.define_from_variant(f"TESSERA_REQUIRE_{name}", part)]
        if "+cuda" in self.spec:
            args.append(self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx))
        if "+rocm" in self.spec:
            args.append(self.define("CMAKE_CXX_COMPILER", self.spec["hip"].hipcc))
        return args

    def test_quick(self):
        """a small deck: every variant of it equals the reference, and the run ends with PASS"""
        tessera = Executable(self.prefix.bin.tessera)
        said = tessera("run", "inputs/quick.toml", "--quick-roofs", "--fom", "-v", "acoustic/gmem:8x8x8",
                       "--set", "case.nx=64", "--set", "case.ny=64", "--set", "case.nz=64", "-o", "quick",
                       output=str, error=str.split)
        assert said.rstrip().endswith("PASS"), said
