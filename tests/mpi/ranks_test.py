# SPDX-License-Identifier: Apache-2.0
"""Several ranks: fields and gathers equal one rank's to the bit, results say what ran, errors are one
line, and a lost rank ends the job.

Arguments: the repository's root, the tessera binary, mpirun, and the flag that takes the number of
ranks; then nothing for the commands, or patterns of variants to compare on grids of ranks: three of
all, or as many as TESSERA_TEST_DRAWS says; after --quick on grids of two.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT, TESSERA, MPIRUN, COUNT = Path(sys.argv[1]), *sys.argv[2:5]
sys.path.insert(0, str(ROOT / "tests" / "fixtures"))
from built import HAVE_FITS, SANITIZED  # noqa: E402
from checks import check, failures, finish  # noqa: E402
from decks import shot_deck, source_at, spread  # noqa: E402
from drawn import drawn  # noqa: E402
# Tests run side by side on few cores, as root in containers.
ENVIRONMENT = dict(os.environ, OMP_NUM_THREADS="1", TESSERA_QUICK_ROOFS="1", OMPI_ALLOW_RUN_AS_ROOT="1",
                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                   OMPI_MCA_hwloc_base_binding_policy="none", OMPI_MCA_mpi_yield_when_idle="1",
                   PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",  # Open MPI 5 and newer
                   PRTE_MCA_hwloc_default_binding_policy="none",
                   HYDRA_BIND="none")
if SANITIZED:
    # MPI's plugins are unloaded at the end: what they keep has no name left to be suppressed by.
    ENVIRONMENT["ASAN_OPTIONS"] += ":detect_leaks=0"
# The rank grids that are asked for: along any axis, and along several.
GRIDS = ["1x1x2", "1x2x1", "2x1x1", "1x1x3", "1x3x1", "3x1x1", "1x1x4", "1x4x1", "1x2x2", "2x1x2",
         "3x2x1", "1x1x6", "2x2x2", "1x1x8", "1x8x1"]
QUICK_GRIDS = ["1x1x2", "2x1x1"]
MOST_RANKS = 8
SMALL = ["--set", "case.nx=61", "--set", "case.ny=53", "--set", "case.nz=47",
         "--set", "measure.warmup_s=0"]


def command(ranks, *arguments):
    return [MPIRUN, COUNT, str(ranks), TESSERA, *map(str, arguments)]


def run(ranks, *arguments, timeout=600):
    """A command on so many ranks, or without a launcher on 0."""
    line = command(ranks, *arguments) if ranks else [TESSERA, *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, check=False, env=ENVIRONMENT,
                          timeout=timeout)


def open_mpi():
    """Whether mpirun is Open MPI's, else MPICH's or one that descends from it."""
    version = subprocess.run([MPIRUN, "--version"], capture_output=True, text=True, check=False)
    said = version.stdout + version.stderr
    return "Open MPI" in said or "OpenRTE" in said  # as mpirun, or as mpiexec


def ranks_of(grid):
    x, y, z = map(int, grid.split("x"))
    return x * y * z


def test_verify(patterns, grids):
    """Each pattern on every grid of ranks in both precisions, transports in turn: all valid, and one
    set of lines. Where there are cores for it, several grids at a time."""
    def verify(grid, transport):
        return run(ranks_of(grid), "verify", *patterns, "--ranks", grid, "--transport", transport,
                   "--seed", 5, timeout=3600)

    transports = [["mpi", "staged"][i % 2] for i in range(len(grids))]
    with ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // MOST_RANKS)) as pool:
        results = list(pool.map(verify, grids, transports))
    for grid, transport, result in zip(grids, transports, results):
        check(result.returncode == 0, f"verify on {grid}: {result.stdout} {result.stderr}")
        check(f"{ranks_of(grid)} ranks, transport {transport}" in result.stdout,
              f"verify on {grid} names its transport")
        check(re.search(r"[1-9]\d* valid, 0 invalid", result.stdout), f"verify on {grid}: counts")
        check(result.stdout.count("repeats this run") == 1, f"verify on {grid}: one rank prints")


def test_run(folder):
    """The final field of a run, and what its result says; resumed, the first rank says what is kept
    of ranks that differ in their environment, as by the device that each is given."""
    arguments = ["run", ROOT / "inputs" / "quick.toml", *SMALL, "--set", "acoustic.pml_cells=5", "--set",
                 "case.steps=7", "--set", "acoustic.source_at=[30, 26, 23]", "-v",
                 "acoustic/st_reg_fixed:32x16"]
    one = folder / "run-one"
    result = run(0, *arguments, "-o", one)
    check(result.returncode == 0, f"run on one rank: {result.stderr}")
    wanted = json.loads((one / "result.json").read_text("utf-8"))["results"]
    for ranks, grid in drawn(((2, None), (4, [1, 2, 2]), (3, [3, 1, 1])), "runs"):
        path = folder / f"run-{ranks}"
        more = ["--set", f"parallel.ranks={grid}"] if grid else []
        result = run(ranks, *arguments, *more, "-o", path)
        check(result.returncode == 0, f"run on {ranks} ranks: {result.stderr}")
        if not path.exists():
            continue
        got = json.loads((path / "result.json").read_text("utf-8"))
        check("mpi" in got["build"], "the build names its MPI")
        for row, reference in zip(got["results"], wanted):
            name = f"{row['decomposition']} on {ranks} ranks"
            check(row["status"] == "valid", f"{name}: {row['reason']}")
            for key in ("u_min", "u_max", "nx", "ny", "nz"):
                check(row[key] == reference[key], f"{name}: {key} {row[key]} {reference[key]}")
            check_parallel(row["parallel"], ranks, grid or [1, 1, ranks], name)
    wrapper = folder / "own_device.sh"
    wrapper.write_text(
        '#!/bin/sh\nCUDA_VISIBLE_DEVICES=${OMPI_COMM_WORLD_RANK:-$PMI_RANK} exec "$@"\n', "utf-8")
    wrapper.chmod(0o755)
    resumed = folder / "resumed"
    for more in ([], ["-v", "acoustic/naive:default", "--resume", "--time-budget", "0.001s"]):
        line = [MPIRUN, COUNT, "2", str(wrapper), TESSERA, *map(str, arguments), "-o", str(resumed), *more]
        result = subprocess.run(line, capture_output=True, text=True, check=False, env=ENVIRONMENT,
                                timeout=600)
        check(result.returncode == 0, f"{more}: {result.stdout} {result.stderr}")
    rows = json.loads((resumed / "result.json").read_text("utf-8"))["results"]
    states = {row["variant"]: row["status"] for row in rows}
    check(states == {"acoustic/st_reg_fixed": "valid", "acoustic/naive": "unmeasured"},
          f"resumed: {states}")


def check_parallel(parallel, ranks, grid, name):
    """What a file says of its ranks."""
    check(parallel["ranks"] == ranks and parallel["rank_grid"] == grid, f"{name}: {parallel}")
    for key in ("compute_s", "pack_s", "exchange_s", "exchange_hidden_s", "bytes_sent"):
        check(len(parallel[key]) == ranks and min(parallel[key]) >= 0, f"{name}: {key} of each rank")
    check(min(parallel["bytes_sent"]) > 0 <= parallel["exchange_exposed_s"], f"{name}: {parallel}")


def test_shot(folder):
    """Gathers and snapshots, byte by byte: a source between the cells, whose cells several ranks
    have, receivers at cells; under a free surface, receivers between cells too. The ete operator
    reads cells off the axes: of ranks across edges, and images above them."""
    surface = ("--set", "acoustic.free_surface=true")
    ete = ("--set", 'shot.operator="ete"', "--set", "shot.velocities=7", "--set", "case.steps=60")
    above = (*ete, *surface, "--set", 'shot.ete_stencil="37pt"', "--set", 'case.precision="double"')
    shots = [("layers", (), ((2, [1, 1, 2]), (3, [1, 3, 1]), (4, [2, 1, 2]), (8, [2, 2, 2]))),
             ("surface", (*surface, "--set", "receivers[1].start=[123, 13, 21]", "--set",
                          "receivers[1].end=[123, 13, 41]", "--set", "source[0].z=13"),
              ((2, [1, 1, 2]), (4, [2, 2, 1]), (3, None))),
             ("half", ("--set", "acoustic.storage=half_difference", "--set",
                       "shot.variant=acoustic/naive:default", "--set", "acoustic.free_surface=true"),
              ((2, [1, 1, 2]), (2, [2, 1, 1]), (4, [1, 2, 2]))),
             ("half-layers", ("--set", "acoustic.storage=half_difference", "--set", "acoustic.layers=convolutional",
                              "--set", "shot.variant=acoustic/naive:default"), ((2, [2, 1, 1]), (4, [1, 2, 2])))]
    if HAVE_FITS:
        shots += [("ete", ete, ((2, [1, 1, 2]), (2, [2, 1, 1]), (3, [1, 3, 1]), (6, [3, 2, 1]))),
                  ("ete-surface", above, ((2, [1, 2, 1]), (4, [2, 2, 1]), (8, [2, 2, 2]))),
                  ("ete-first", (*above, "--set", "parallel.overlap=false"), ((2, [1, 2, 1]),))]
    for name, more, grids in drawn(shots, "shots"):
        compare_shots(folder, name, grids, *more)


def compare_shots(folder, name, grids, *more):
    """One rank's files against those of several."""
    grids = drawn(grids, name)
    folder = folder / name
    folder.mkdir()
    small = folder / "shot.toml"
    small.write_text(SHOT, "utf-8")
    result = run(0, "shot", small, *more, "-o", folder / "one")
    check(result.returncode == 0, f"shot on one rank, {name}: {result.stderr}")
    if result.returncode:
        return
    for ranks, grid in grids:
        out = folder / f"shot{ranks}-{grid}"
        asked = ["--set", f"parallel.ranks={grid}"] if grid else []
        result = run(ranks, "shot", small, *more, *asked, "-o", out)
        check(result.returncode == 0, f"shot on {ranks} ranks, {name}: {result.stderr}")
        if result.returncode:
            continue
        for file in ("gather.csv", "gather.sgy"):
            if (folder / "one" / file).exists():
                same = (out / file).read_bytes() == (folder / "one" / file).read_bytes()
                check(same, f"{file} on {ranks} ranks equals one rank's, {name}")
        one, several = (json.loads((f / "shot.json").read_text("utf-8"))
                        for f in (folder / "one", out))
        for key in ("u_min", "u_max", "files", "steps_done", "fingerprint"):
            check(one[key] == several[key], f"shot on {ranks} ranks, {name}: {key}")
        check_parallel(several["parallel"], ranks, grid or [1, 1, ranks], f"shot on {ranks} ranks")
        if (folder / "one" / "snapshots.h5").exists():
            import h5py
            import numpy
            with h5py.File(folder / "one" / "snapshots.h5") as a, \
                    h5py.File(out / "snapshots.h5") as b:
                keys = []
                a.visititems(lambda key, item: keys.append(key) if hasattr(item, "shape") else None)
                check(keys and all(numpy.array_equal(a[key][...], b[key][...]) for key in keys),
                      f"snapshots on {ranks} ranks equal one rank's, {name}")


SHOT = shot_deck((61, 53, 47), 90, 6, {"f_max": 60.0},
                 model={"kind": "layered", "v": [1500.0, 2200.0, 3000.0], "tops": [0.0, 120.0, 210.0]},
                 source=[source_at(243, 206, 178, 24.0)],
                 receivers=[{**spread((10, 200), (480, 200), 48), "depth": 20.0},
                            spread((240, 10, 10), (240, 310, 310), 11)],
                 snapshots={"every": 30, "stride": 3})


def test_errors(folder):
    """One line, whatever the number of ranks, and a status that is not 0."""
    quick = ROOT / "inputs" / "quick.toml"
    small = folder / "errors.toml"
    small.write_text(SHOT, "utf-8")
    dry = ["shot", small, "--dry-run", "--set"]
    cut = ["--set", "parallel.ranks=[1, 1, 2]"]
    for arguments, wanted in (
            (["run", quick, "--set", "case.nx=-1"], "case.nx"),
            (["run", quick, "--set", "parallel.ranks=[1, 1, 3]"], "parallel.ranks"),
            (["verify", "acoustic/naive", "--ranks", "1x2"], "1x1x4"),
            (["run", quick, "--transport", "nccl"], "nccl"),
            (["tune", quick], "one rank"),
            ([*dry, "acoustic.free_surface=true", "--set", "case.nz=8", "--set",
              "receivers[0].depth=0", "--set", "receivers[1].end=[240, 310, 10]", "--set",
              "source[0].z=10", "--set", "acoustic.pml_cells=4", *cut], "4 planes")):
        result = run(2, *arguments)
        lines = [line for line in result.stderr.splitlines() if line.startswith("tessera: ")]
        check(result.returncode != 0, f"{arguments[:2]}: exit status {result.returncode}")
        check(len(lines) == 1 and wanted in lines[0], f"{arguments}: {result.stderr}")
    # Ranks of a machine share its memory.
    free = [float(re.search(r"([0-9.]+) GiB available", run(
        ranks, "run", quick, *SMALL, "--set", "acoustic.pml_cells=5", "--dry-run").stdout)[1])
        for ranks in (0, 4)]
    check(0.15 * free[0] < free[1] < 0.4 * free[0], f"free memory of one rank and of four: {free}")


def children(pid):
    """The processes below one."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text("utf-8").rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            child = int(path.parent.name)
            found += [child, *children(child)]
    return found


def test_other_launcher(_folder):
    """What another MPI's launcher starts is told so in one line, whatever the number of processes."""
    size, rank = ("PMI_SIZE", "PMI_RANK") if open_mpi() else ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK")
    for place, lines in ((0, 1), (1, 0)):
        alone = {key: value for key, value in ENVIRONMENT.items()
                 if not key.startswith(("OMPI_COMM", "PMI_", "PMIX_"))}
        result = subprocess.run([TESSERA, "list"], capture_output=True, text=True, check=False,
                                env={**alone, size: "2", rank: str(place)}, timeout=60)
        check(result.returncode == 1, f"process {place} of another launcher: {result.returncode}")
        said = result.stderr.splitlines()
        check(len(said) == lines and all("started 2 processes" in line for line in said),
              f"process {place} of another launcher: {result.stderr}")


def test_lost_rank(folder):
    """SIGKILL of one rank, the first or another, ends the job within seconds, and a line says so: ours
    where the launcher tells the ranks that are left, as Open MPI's does; MPICH's kills them."""
    for lost in drawn((min, max), "lost ranks"):
        lose_rank(folder, lost)


def tessera_below(pid):
    """The ranks of a job."""
    found = []
    for child in children(pid):
        try:
            if Path(f"/proc/{child}/comm").read_text("utf-8").strip() == "tessera":
                found.append(child)
        except OSError:
            continue
    return found


def lose_rank(folder, lost):
    """Kills one of three ranks, which `lost` chooses, once the run has begun."""
    out = folder / f"lost-{lost.__name__}"
    job = subprocess.Popen(
        command(3, "run", ROOT / "inputs" / "quick.toml", *SMALL, "--set", "case.steps=1000000",
                "--set", "acoustic.pml_cells=5", "-v", "acoustic/naive", "-o", out),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    end = time.monotonic() + 60
    while not (out / "run.json").exists() and job.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.5)
    ranks = tessera_below(job.pid)
    check(len(ranks) == 3, f"three ranks are under way, not {len(ranks)}")
    os.kill(lost(ranks), signal.SIGKILL)
    begin = time.monotonic()
    try:
        output, error = job.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        job.kill()
        check(False, "the job goes on without a rank")
        return
    check(time.monotonic() - begin < 15, f"it took {time.monotonic() - begin:.1f} s to end")
    check(job.returncode != 0, "a lost rank is a failure")
    lines = [line for line in error.splitlines() if line.startswith("tessera: error: ")]
    if open_mpi():
        check(len(lines) == 1 and "a rank of it was lost" in lines[0], f"one line of ours: {error}")
    else:
        # Which words MPICH has depends on how its launcher learns of it.
        check(re.search(r"killed (by signal|\(signal 9\))|EXIT CODE: 9$", output + error,
                        re.I | re.M) is not None,
              f"a line of the launcher's: {output} {error}")
    check(not (out / "result.json").exists(), "no result of a job that was lost")


def main():
    what = sys.argv[5:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if what[:1] == ["--quick"]:
            test_verify(what[1:], drawn(QUICK_GRIDS, "grids of ranks"))
        elif what:
            test_verify(what, drawn(GRIDS, "grids of ranks", usual="3"))
        else:
            for test in (test_run, test_shot, test_errors, test_other_launcher, test_lost_rank):
                begin = time.monotonic()
                test(folder)
                print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
    print(f"{len(failures)} failures" if failures else "ok")
    finish()


if __name__ == "__main__":
    main()
