# SPDX-License-Identifier: Apache-2.0
"""Several machines side by side: their comparison, and the rows of its files.

    from tessera_tools import study
    found = study.read(["results/nvidia-h100", "out/study"])
    print(found.comparison["families"])  # the keys are those of `tools/compare.py --json`
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from . import comparison, points, results
from .comparison_text import letter, letters
from .errors import ToolError
from .results import ResultFile, Row


@dataclass(frozen=True)
class Study:
    comparison: dict
    files: list[ResultFile]
    platform_of: dict[Path, str]  # file -> platform

    @property
    def platforms(self) -> list[dict]:
        return self.comparison["platforms"]

    @property
    def problems(self) -> list[dict]:
        """Those that most platforms ran first."""
        return sorted(self.comparison["problems"], key=lambda found: -len(found["platforms"]))

    @property
    def rows(self) -> list[Row]:
        return results.rows_of(self.files)

    def platform(self, file: ResultFile) -> str:
        """The platform that the comparison took a file for."""
        return self.platform_of.get(file.path, file.machine_name)

    def name(self, platform: int) -> str:
        return self.platforms[platform]["name"]

    def letter(self, platform: int) -> str:
        """What stands for a platform in tables, as in tools/compare.py."""
        return letter(platform)

    def letters(self, platforms: Sequence[int]) -> str:
        return letters(platforms)

    def set_name(self, found: dict) -> str:
        """A set and the platforms in it, as it stands beside each Phi."""
        return f"{found['name']}: {', '.join(self.name(p) for p in found['platforms'])}"

    @cached_property
    def _by_rate(self) -> dict[tuple, Row]:
        return {(str(row.file.path), row.stencil, row.today_variant, row.configuration, row.rate): row
                for row in self.rows if row.valid}

    def row(self, problem: dict, cell: dict | None) -> Row | None:
        """The row of a result file that a cell of the comparison stands for; None where it has no
        rate."""
        return cell and self._by_rate.get((cell["file"], problem["stencil"], cell["variant"],
                                           cell["configuration"], cell["gcell_per_s"]))


def problem_name(problem: dict) -> str:
    """Family, stencil, kind of model, decomposition, precision: "acoustic iso25 single, float"."""
    words = [problem["family"], problem["stencil"].split("/")[-1], problem.get("model"),
             problem["decomposition"]]
    return f"{' '.join(filter(None, words))}, {problem['precision']}"


def read(inputs: Sequence[str], platforms: Sequence[str] = ()) -> Study:
    """Compares the inputs (points.collect) and reads the rows of those that are result files. Rows of
    `tessera tune` are read and not compared, unless there is nothing else."""
    data = points.collect(inputs)
    if not data.points.tuning.all():
        data = data.without_tunings()
    found = comparison.compare(data, platforms)
    if not found["problems"]:
        raise ToolError("the files hold no rows to report")
    platform_of = {Path(path): platform["name"] for platform in found["platforms"]
                   for path in platform["files"]}
    return Study(found, data.files, platform_of)
