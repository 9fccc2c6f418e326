# SPDX-License-Identifier: Apache-2.0
"""Several machines side by side: a comparison by `tessera compare`, and the rows of its files.

    from tessera_tools import program, study
    found = study.read(["results/nvidia-h100", "out/study/mine"], program.find_tessera(None))
    print(found.comparison["families"])  # the keys are those of `tessera compare --json`
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from . import results
from .errors import ToolError
from .files import note_read, read_json
from .program import ask_json
from .result_shape import SCHEMA as RESULT_SCHEMA
from .results import ResultFile, Row

SCHEMA = "tessera-comparison-1"


@dataclass(frozen=True)
class Study:
    comparison: dict
    files: list[ResultFile]
    platform_of: dict[str, str]  # file -> platform

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
        """The platform that `tessera compare` took a file for."""
        return self.platform_of.get(_key(file.path), file.machine_name)

    def name(self, platform: int) -> str:
        return self.platforms[platform]["name"]

    def letter(self, platform: int) -> str:
        """What stands for a platform in tables, as in `tessera compare`: A, B ... Z, AA."""
        text, rest = "", platform + 1
        while rest > 0:
            rest, last = divmod(rest - 1, 26)
            text = chr(ord("A") + last) + text
        return text

    def letters(self, platforms: Sequence[int]) -> str:
        return " ".join(map(self.letter, platforms))

    def set_name(self, found: dict) -> str:
        """A set and the platforms in it, as it stands beside each Phi."""
        return f"{found['name']}: {', '.join(self.name(p) for p in found['platforms'])}"

    def row(self, problem: dict, cell: dict | None) -> Row | None:
        """The row of a result file that a cell of the comparison stands for."""
        if not cell:
            return None
        wanted = _key(cell["file"])
        for file in self.files:
            if _key(file.path) != wanted:
                continue
            for row in file.rows:
                if (row.configuration == cell["configuration"]
                        and cell["variant"] in (row.today_variant, row.variant)
                        and row.point == problem["stencil"].split("/")[-1]
                        and row.decomposition == problem["decomposition"]
                        and row.model == problem.get("model", row.model)
                        and (row.details == problem.get("details", "") or not row.details)
                        and row.precision == problem["precision"]):
                    return row
        return None


def _key(path) -> str:
    return str(Path(path).resolve())


def problem_name(problem: dict) -> str:
    """Family, stencil, kind of model, decomposition, precision: "acoustic iso25 single, float"."""
    words = [problem["family"], problem["stencil"].split("/")[-1], problem.get("model"),
             problem["decomposition"]]
    return f"{' '.join(filter(None, words))}, {problem['precision']}"


def _is_tuning(path: Path) -> bool:
    """Whether a file is of `tessera tune`: rows of a few steps, without streams and roofs. Its best
    tiles are no figures of a platform."""
    if path.suffix != ".json" or path.stem.endswith(".part") or not path.is_file():
        return False
    content = read_json(path)
    return (isinstance(content, dict) and content.get("schema") == RESULT_SCHEMA
            and not content.get("streams") and not content.get("roofline"))


def _named(given: str) -> tuple[str, str]:
    """"NAME=" and PATH of an input, as `tessera compare` takes it: what is there by the whole name
    has no name before it. A ToolError where there is nothing by either."""
    name, equals, rest = given.partition("=")
    if not equals or Path(given).exists():
        return "", given
    if not Path(rest).exists():
        raise ToolError(f"{given}: there is neither this file nor {rest or 'one behind the ='}; "
                        "NAME=PATH gives a platform a name")
    return name + equals, rest


def _without_tunings(inputs: Sequence[str]) -> tuple[list[str], list[Path]]:
    """What is compared, and the files of `tune` among the inputs and in their folders."""
    compared, tunings = [], []
    for given in map(str, inputs):
        name, rest = _named(given)
        path = Path(rest)
        members = sorted(path.iterdir()) if path.is_dir() else [path]
        found = [member for member in members if _is_tuning(member)]
        tunings += found
        if not found:
            compared.append(given)
        elif path.is_dir():
            kept = [member for member in members if member not in found
                    and member.suffix == ".json" and not member.stem.endswith(".part")
                    and str(read_json(member).get("schema")).startswith(
                        ("tessera-result-", "tessera-prediction-"))]
            compared += [f"{name}{member}" for member in kept]
    return compared, tunings


def read(inputs: Sequence[str], tessera: str, platforms: Sequence[str] = ()) -> Study:
    """Compares the inputs and reads the rows of those that are result files. Files of `tessera
    tune` are read and not compared, unless there is nothing else."""
    options = [word for pattern in platforms for word in ("-p", pattern)]
    compared, tunings = _without_tunings(inputs)
    if not compared:
        compared, tunings = [str(given) for given in inputs], []
    comparison = ask_json([tessera, "compare", "--json", *compared, *options], "tessera compare")
    if comparison.get("schema") != SCHEMA:
        raise ToolError(f"{tessera} compare --json printed no {SCHEMA}")
    if not comparison["problems"]:
        raise ToolError("the files hold no rows to report")
    found, platform_of = {}, {}
    for platform in comparison["platforms"]:
        for path in platform["files"]:
            note_read(path)  # by the program: published tables too
            platform_of[_key(path)] = platform["name"]
            if path.endswith(".json") and _key(path) not in found \
                    and read_json(path).get("schema") == RESULT_SCHEMA:
                found[_key(path)] = results.read(path)
    for path in tunings:
        found[_key(path)] = results.read(path)
    return Study(comparison, list(found.values()), platform_of)
