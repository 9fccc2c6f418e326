#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The third tier: what takes hours. Runs its parts one after another, continues where one fails, and
# ends with a line for each; the exit status is not zero where one failed.
# Usage: ci/nightly.sh [part]...      (default: all)
#   docs     the comments of the sources as pages, without a warning (build/doxygen/html)
#   figures  every figure of a table of README.md and docs/performance made again from its file
#   tiles    every test, every tile of every variant (preset openmp); 20,000 fuzzed inputs, and 2,000
#            of the tools; every call of every writer failing; fifty kills; a shot of 10 minutes with
#            a reader, a neighbour and a disk that fills
#   debug    bounds checking and device assertions
#   asan     address and undefined behaviour, of 20,000 fuzzed inputs too
#   backends a shot by the Serial backend and by OpenMP: equal byte by byte
#   mpich    the tests on several ranks with MPICH in place of Open MPI
#   readme   the commands of README.md's blocks, in its order, in one fresh clone
#   course   every command of the course and of its solutions as it stands, also as notebooks; each of
#            its patches builds and verifies
#   study    ci/study.sh as a new user runs it: a study of this machine and its report, timed, and the
#            page opened in a browser
#   packaging  Spack, Ramble and ReFrame read packaging/, each where it is found on PATH
#   current  the newest packaged Kokkos and compiler    weight   time and memory of each unit
#   vectorisation  GCC vectorises every loop of the variants that is marked for it
#   knl      every family compiles for Knights Landing
#   hip      every family compiles for gfx90a with the distribution's clang
#   cuda     every family compiles for sm_90, where nvcc is found
# A Kokkos for hip and cuda: $KOKKOS_SOURCE, an unpacked source tree; else CMake fetches its release.

# shellcheck disable=SC2317  # the parts are called by their names
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
source "$ROOT/ci/lib/packages.sh"
source "$ROOT/ci/lib/kokkos.sh"
source "$ROOT/ci/lib/build.sh"

PARTS=(docs figures tiles debug asan backends mpich readme course study packaging current weight vectorisation knl hip cuda)
HIP_PACKAGES=(clang-16 clang-tools-16 lld-16 libclang-rt-16-dev hipcc libamdhip64-dev
  rocm-device-libs)
# A status that says "not here", as Automake and CTest have it.
SKIPPED=77

build_and_test() {
  configure "$1"
  build "$1"
  run_tests "$2"
}

# Options of a build whose Kokkos is part of it, for another compiler than the host's.
fetched_kokkos() {
  KOKKOS_OPTIONS=(-DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON -DTESSERA_ENABLE_KOKKOSKERNELS=OFF
    -DTESSERA_ENABLE_TESTS=OFF -DTESSERA_CONFIGURATIONS=few)
  if [ -n "${KOKKOS_SOURCE:-}" ]; then
    [ -f "$KOKKOS_SOURCE/CMakeLists.txt" ] || fail "KOKKOS_SOURCE: no sources of Kokkos in $KOKKOS_SOURCE"
    KOKKOS_OPTIONS+=(-DFETCHCONTENT_SOURCE_DIR_KOKKOS="$KOKKOS_SOURCE")
  fi
}

part_docs() {
  ensure_packages doxygen
  mkdir -p build
  doxygen docs/Doxyfile
}
part_figures() { /usr/bin/python3 ci/figures.py; }
part_tiles() {
  ensure_packages "${BROWSER_PACKAGES[@]}"
  ensure_kokkos
  build_and_test openmp nightly
}
part_debug() {
  ensure_debug_kokkos
  build_and_test debug debug
}
part_asan() {
  ensure_kokkos
  build_and_test asan asan
}
part_backends() {
  local shot=(shot inputs/shot.toml --set snapshots.every=0 --set case.duration_s=0.2) file
  ensure_kokkos
  configure few -DTESSERA_FAMILIES=acoustic -DTESSERA_ENABLE_TESTS=OFF -B build/backends-openmp
  quietly backends-openmp cmake --build build/backends-openmp -j "$JOBS"
  fetched_kokkos
  configure serial -DTESSERA_FAMILIES=acoustic -B build/backends-serial
  quietly backends-serial cmake --build build/backends-serial -j "$JOBS"
  rm -rf out/backends
  for file in openmp serial; do
    "build/backends-$file/tessera" "${shot[@]}" -o "out/backends/$file"
  done
  for file in gather.csv gather.sgy; do
    cmp "out/backends/openmp/$file" "out/backends/serial/$file"
  done
  say "backends: the gathers of OpenMP and Serial are equal byte by byte"
}
part_mpich() {
  ensure_packages libmpich-dev mpich
  ensure_kokkos
  # Both MPIs may be installed: the compiler's wrapper says which one is meant.
  configure few -B build/mpich -DTESSERA_REQUIRE_MPI=ON -DMPI_C_COMPILER="$(command -v mpicc.mpich)" \
    -DMPIEXEC_EXECUTABLE="$(command -v mpiexec.mpich)"
  quietly mpich cmake --build build/mpich -j "$JOBS"
  ctest --test-dir build/mpich -L mpi --output-on-failure
}
part_readme() {
  rm -rf build/readme
  git clone --quiet . build/readme
  awk '/^```/ { block = !block } block && /^(ci\/|tools\/|tessera |PATH=)/' README.md >build/readme.sh
  say "readme: $(wc -l <build/readme.sh) commands"
  (cd build/readme && bash -exo pipefail ../readme.sh)
}
part_course() {
  local patch tree=build/course
  ensure_packages jupyter-nbconvert python3-ipykernel
  ensure_kokkos
  configure study
  build study --target tessera
  TESSERA_COURSE=whole /usr/bin/python3 tests/docs/docs_test.py . build/study/tessera course
  rm -rf out/notebooks "$tree"
  /usr/bin/python3 ci/lib/notebooks.py docs/course.md docs/course/solutions.md
  # Debian's Python, which has the tools' packages. Only as root, as in a container, does Open MPI
  # ask for the last two.
  PATH=$ROOT/build/study:/usr/bin:$PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 jupyter-nbconvert --execute \
    --to notebook --inplace --ExecutePreprocessor.timeout=600 out/notebooks/*.ipynb
  git clone --quiet . "$tree"
  for patch in docs/course/patches/*.patch; do
    say "course: $patch"
    git -C "$tree" checkout --quiet .
    git -C "$tree" apply "$ROOT/$patch"
    (
      cd "$tree"
      configure few -DTESSERA_ENABLE_TESTS=OFF
      build few --target tessera
      build/few/tessera verify "$(sed -n 's/^Verify: //p' "$ROOT/$patch")"
    )
  done
}
part_study() {
  local begin=$SECONDS page=build/nightly-study.html
  ensure_packages "${BROWSER_PACKAGES[@]}"
  rm -rf out/study out/report.html
  ci/study.sh
  say "study: from the tree to the report in $((SECONDS - begin)) s"
  [ $((SECONDS - begin)) -le 1200 ] || say "study: more than the 20 minutes that ci/study.sh says"
  chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr --dump-dom \
    --virtual-time-budget=60000 "file://$ROOT/out/report.html#all" >"$page" 2>build/nightly-study.log
  if grep CONSOLE build/nightly-study.log; then fail "study: errors on the page's console"; fi
  if grep -q 'data-traces="0"' "$page" || ! grep -q 'data-traces=' "$page"; then
    fail "study: a chart of out/report.html was not drawn"
  fi
}
part_packaging() {
  local folder=$ROOT/build/packaging found=0 tool
  rm -rf "$folder"
  local recipes=$folder/spack_repo/tessera
  mkdir -p "$recipes/packages/tessera" "$folder/applications/tessera"
  printf 'repo:\n  namespace: tessera\n' >"$folder/repo.yaml"
  printf 'repo:\n  namespace: tessera\n  api: v2.0\n' >"$recipes/repo.yaml"
  cp packaging/spack/package.py "$recipes/packages/tessera/"
  cp packaging/benchpark/application.py "$folder/applications/tessera/"
  for tool in spack ramble reframe; do
    if ! command -v "$tool" >/dev/null; then
      say "packaging: no $tool on PATH: skipped"
      continue
    fi
    found=1
    say "packaging: $tool $("$tool" --version)"
    case $tool in # HOME: the repository is added for this part alone
      spack)
        HOME=$folder spack repo add "$recipes"
        HOME=$folder spack audit packages tessera
        HOME=$folder spack spec tessera
        ;;
      ramble) HOME=$folder ramble repo add "$folder" && HOME=$folder ramble info tessera ;;
      reframe)
        [ -x build/openmp/tessera ] || fail "packaging: ReFrame's tests run build/openmp/tessera: build it first"
        reframe --prefix "$folder" -c packaging/reframe/tessera.py -r -S "program=$ROOT/build/openmp/tessera"
        ;;
    esac
  done
  [ "$found" = 1 ] || return "$SKIPPED"
}
part_current() { ci/kokkos-current.sh; }
part_weight() { ci/build-weight.sh; }
part_vectorisation() { ci/vectorisation.sh; }
part_knl() {
  ensure_kokkos
  configure openmp-knl -DTESSERA_CONFIGURATIONS=few -DTESSERA_ENABLE_TESTS=OFF
  build openmp-knl
}
part_hip() {
  ensure_packages "${HIP_PACKAGES[@]}"
  fetched_kokkos
  # Debian has no rocThrust. The compiler by its full path: clang++-16 finds another lld.
  configure hip-mi250x -DKokkos_ENABLE_ROCTHRUST=OFF -DCMAKE_CXX_COMPILER=/usr/lib/llvm-16/bin/clang++ \
    "-DCMAKE_CXX_FLAGS=--rocm-path=/usr --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
  build hip-mi250x
}
part_cuda() {
  local nvcc
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  if [ ! -x "$nvcc" ]; then
    say "no nvcc here"
    return "$SKIPPED"
  fi
  PATH=$PATH:$(dirname "$nvcc") # nvcc_wrapper calls it by its name
  fetched_kokkos
  if [ -n "${KOKKOS_SOURCE:-}" ]; then
    KOKKOS_OPTIONS+=(-DCMAKE_CXX_COMPILER="$KOKKOS_SOURCE/bin/nvcc_wrapper")
  fi
  configure cuda-hopper90
  build cuda-hopper90
}
if [ "${1:-}" = --part ]; then # one part, in a process of its own
  ensure_packages "${BUILD_PACKAGES[@]}" "${TOOLS_PACKAGES[@]}"
  "part_$2"
  exit
fi
for part in "$@"; do
  [[ " ${PARTS[*]} " = *" $part "* ]] || fail "there is no part $part; there are ${PARTS[*]}"
done
if [ $# != 0 ]; then PARTS=("$@"); fi

export TESSERA_FUZZ_SEED=${TESSERA_FUZZ_SEED:-$RANDOM} # other mutations each night; the tests print it

failed=0
summary=()
for part in "${PARTS[@]}"; do
  begin=$SECONDS
  status=0
  "$ROOT/ci/nightly.sh" --part "$part" || status=$?
  case $status in
    0) outcome=passed ;;
    "$SKIPPED") outcome=skipped ;;
    *)
      outcome=FAILED
      failed=1
      ;;
  esac
  summary+=("$(printf '%-13s %-8s %5d s' "$part" "$outcome" $((SECONDS - begin)))")
done
printf '== nightly\n'
printf '   %s\n' "${summary[@]}"
exit "$failed"
