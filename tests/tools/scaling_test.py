# SPDX-License-Identifier: Apache-2.0
"""tools/scaling.py on small made-up result files."""

import tempfile
from pathlib import Path

from common import check, check_error, equal, finish, made, preload, tool_named

preload("matplotlib.pyplot")
scaling = tool_named("scaling")


def file_of(path, ranks, grid, rate, transport="mpi", exposed=2e-5, device="H100", threads=None,
            bytes_per_cell=None, **more):
    parallel = {} if ranks == 1 else {
        "ranks": ranks, "rank_grid": [1, 1, ranks], "transport": transport, "overlap": True,
        "exchange_exposed_s": exposed, "exchange_hidden_s": [1e-4] * ranks, "imbalance": 0.01,
    }
    if bytes_per_cell:
        more["predicted"] = {"bytes_per_cell": bytes_per_cell}
    machine = {"device": device}
    if threads:
        machine.update(kind="cpu", concurrency=threads)
    return made.write(path, made.content([made.row("acoustic/naive:default", rate, **{
        "decomposition": "single", "nx": grid[0], "ny": grid[1], "nz": grid[2], "parallel": parallel,
        **more})], machine))


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    one = file_of(folder / "one.json", 1, (100, 100, 100), 10.0)
    strong = file_of(folder / "strong.json", 2, (100, 100, 100), 19.0)
    weak = file_of(folder / "weak.json", 4, (100, 100, 401), 39.2)
    staged = file_of(folder / "staged.json", 2, (100, 100, 100), 15.0, "staged", 9e-5)
    other = file_of(folder / "other.json", 2, (100, 100, 100), 30.0, device="V100")
    done = scaling(one, strong, weak, staged, other, "--plot", folder / "x.png")
    check(done.returncode == 0, f"exit status {done.returncode}: {done.stderr}")
    tables = [t for t in done.stdout.split("\n\n") if t.strip()]
    check(done.stdout.count("strong scaling") == 2, "a series a transport")
    check(done.stdout.count("weak scaling") == 1, "one weak series")
    check("V100" not in done.stdout, "another machine's rows are no series of this one's")
    lines = [line.split() for line in done.stdout.splitlines()]
    check(any(line[:3] == ["2", "2", "1x1x2"] and "95.0" in line and "20.0" in line for line in lines),
          f"strong efficiency and exposed time: {done.stdout}")
    check(any(line[:3] == ["2", "2", "1x1x2"] and "75.0" in line and "90.0" in line for line in lines),
          "the staged one's")
    check(any(line[:3] == ["4", "4", "1x1x4"] and "98.0" in line for line in lines), "weak efficiency")
    check((folder / "x.png").stat().st_size > 1000, "a picture")
    check(len(tables) >= 3, "tables")
    markdown = scaling(one, strong, "--markdown")
    check("| ranks | devices or cores |" in markdown.stdout, "tables for Markdown")
    # As many cores: two ranks of one thread beside one rank of two.
    cores = scaling(file_of(folder / "threads.json", 1, (100, 100, 100), 2.0, device="EPYC", threads=2),
                    file_of(folder / "ranks.json", 2, (100, 100, 100), 1.96, device="EPYC", threads=1))
    lines = [line.split() for line in cores.stdout.splitlines()]
    check(any(line[:2] == ["2", "2"] and "98.0" in line for line in lines),
          f"equal cores: {cores.stdout} {cores.stderr}")
    # The same in turn: a machine that slows down meets both.
    turns = []
    for round_, (slow, ratio) in enumerate(((1.0, 0.98), (0.5, 0.97), (0.9, 0.99))):
        for ranks, threads, share in ((1, 2, 1.0), (2, 1, ratio)):
            turns.append(file_of(folder / f"turn-{round_}-{ranks}.json", ranks, (100, 100, 100),
                                 2.0 * slow * share, device="EPYC", threads=threads))
    pairs = scaling("--pairs", *turns)
    lines = [line.split() for line in pairs.stdout.splitlines()]
    check(len(lines) == 2 and lines[1][-4:] == ["3", "98.0", "97.0", "99.0"],
          f"pairs: {pairs.stdout} {pairs.stderr}")
    # One, two and four devices: a series of three.
    four = scaling(file_of(folder / "g1.json", 1, (100, 100, 100), 10.0),
                   file_of(folder / "g2.json", 2, (100, 100, 200), 19.8, "nccl"),
                   file_of(folder / "g4.json", 4, (100, 100, 400), 39.0, "nccl"))
    lines = [line.split() for line in four.stdout.splitlines()]
    check([line[:3] + line[9:10] for line in lines if line[:1] in (["1"], ["2"], ["4"])] ==
          [["1", "1", "1x1x1", "100.0"], ["2", "2", "1x1x2", "99.0"], ["4", "4", "1x1x4", "97.5"]],
          f"one, two, four: {four.stdout} {four.stderr}")
    # Fewer bytes a cell make a higher rate, not a better efficiency: 20 x 17 / (10 x 17.6) / 2.
    light = scaling(file_of(folder / "short.json", 1, (100, 100, 100), 10.0, bytes_per_cell=17.6),
                    file_of(folder / "long.json", 2, (100, 100, 200), 20.0, bytes_per_cell=17.0))
    check(" 96.6" in light.stdout, f"bytes a cell: {light.stdout} {light.stderr}")
    # Rows of two problems are no series; older files do not tell their details.
    cube = (100, 100, 100)
    for mine, theirs, said in ((
            {"steps": 2}, {"steps": 7}, "steps"), (
            {"model": "random"}, {"model": "layered"}, "model"), (
            {"details": "velocities=902"}, {"details": "velocities=9"}, "details")):
        two = (file_of(folder / "mine.json", 1, cube, 10.0, **mine),
               file_of(folder / "theirs.json", 2, cube, 13.6, **theirs))
        for options in ((), ("--pairs",)):
            done = scaling(*options, *two)
            check(done.returncode == 1 and not done.stdout and f"some differ in {said} too" in
                  done.stderr, f"{options} of two {said}: {done.stdout} {done.stderr}")
    older = scaling(file_of(folder / "older.json", 1, cube, 10.0, details=""), two[1])
    check(" 68.0" in older.stdout, f"details of an older file: {older.stdout} {older.stderr}")
    # A file that is named twice counts once; in pairs it is refused.
    equal(scaling(one, one, strong).stdout, scaling(one, strong).stdout, "one file twice")
    for arguments, part in ((("--pairs", one, strong, one, strong), "one.json is given twice"),
                            (("--pairs", one), "1 files"), ((one,), "nothing to compare")):
        check_error(scaling(*arguments), part, part)

finish()
