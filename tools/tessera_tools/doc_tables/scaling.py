# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/scaling.md: several GPUs as measured, and what `tessera predict --ranks` says."""

from ..errors import ToolError
from .table import Table

NAMES = ("acoustic-weak", "acoustic-strong", "acoustic-1000-strong", "jacobi-weak")


def rows_of(data, name):
    """The predicted rows of a file, of the scaling that it is named after, by ranks."""
    content = data.document(f"results/scaling/predicted-{name}.json")
    rows = [row for row in content["rows"]
            if not row["unsupported"] and name.endswith(row["scaling"])]
    if not rows:
        raise ToolError(f"results/scaling/predicted-{name}.json: no row with a prediction")
    return sorted(rows, key=lambda row: (row["name"], row["ranks"]))


def text(value):
    return lambda rows, values: (value(values), None)


COLUMNS = (
    ("variant", text(lambda row: f"`{row['name']}`")),
    ("GPUs", text(lambda row: f"{row['ranks']:,}")),
    ("rank grid", text(lambda row: "x".join(map(str, row["rank_grid"])))),
    ("cells", text(lambda row: f"{row['nx']} x {row['ny']} x {row['nz']}")),
    ("step, ms", text(lambda row: f"{1e3 * row['step_s']:.3g}")),
    ("exchange, µs", text(lambda row: f"{1e6 * (row['exchange_s'] + row['pack_s']):.0f}")),
    ("exposed, µs", text(lambda row: f"{1e6 * row['exchange_exposed_s']:.0f}")),
    ("TCell/s", text(lambda row: f"{1e-3 * row['gcell_per_s']:,.3f}")),
    ("efficiency, %", text(lambda row: f"{100 * row['efficiency']:.1f}")),
)


# Measured: (prefix of the files, the scaling, where the prediction of so few GPUs stands).
MEASURED = (("acoustic", "weak", "acoustic-weak"), ("acoustic", "strong", "acoustic-1000-strong"),
            ("jacobi", "weak", "jacobi-weak"))


def is_predicted(row):
    """Whether a row ran as devices do where they are not told otherwise: by NCCL, beside the core,
    but before passes of several steps."""
    parallel = row["parallel"]
    return parallel["transport"] == "nccl" and parallel["overlap"] == (row["temporal_depth"] == 1)


def valid_rows(content):
    return {(row["variant"], row["configuration"]): row for row in content["results"]
            if row["status"] == "valid"}


def predicted_of(data, name, key, ranks):
    """The predicted efficiency of a configuration on so many GPUs, or None."""
    if name is None:
        return None
    return next((row["efficiency"] for row in rows_of(data, name)
                 if row["name"] == ":".join(key) and row["ranks"] == ranks), None)


def measured_rows(data, folder):
    """A line for each configuration, number of GPUs, transport and way of exchange."""
    lines = []
    for case, scaling, predicted in MEASURED:
        alone = valid_rows(data.document(f"{folder}/{case}-1.json"))
        for how in ("nccl", "nccl-serial", "staged"):
            name = f"{case}-{scaling}-2-{how}.json"
            if not (data.root / folder / name).exists():
                continue
            for key, row in valid_rows(data.document(f"{folder}/{name}")).items():
                parallel = row["parallel"]
                share = row["effective_gb_per_s"] / alone[key]["effective_gb_per_s"]
                lines.append({
                    "name": ":".join(key), "scaling": scaling, "row": row, "parallel": parallel,
                    "efficiency": share / parallel["ranks"],
                    "predicted": predicted_of(data, predicted, key, parallel["ranks"])
                    if is_predicted(row) else None,
                })
    return lines


MEASURED_COLUMNS = (
    ("variant", text(lambda line: f"`{line['name']}`")),
    ("scaling", text(lambda line: line["scaling"])),
    ("transport", text(lambda line: line["parallel"]["transport"])),
    ("beside the core", text(lambda line: "yes" if line["parallel"]["overlap"] else "no")),
    ("GCell/s", text(lambda line: f"{line['row']['gcell_per_s']['median']:.1f}")),
    ("exposed, µs a step",
     text(lambda line: f"{1e6 * line['parallel']['exchange_exposed_s']:.0f}")),
    ("efficiency, %", text(lambda line: f"{100 * line['efficiency']:.1f}")),
    ("predicted, %", text(lambda line: "" if line["predicted"] is None
                          else f"{100 * line['predicted']:.1f}")),
)

MEASURED_FOLDER = "results/nvidia-h100-x2"
MEASURED_TABLE = Table(
    name="scaling-two-gpus", lines=lambda data: measured_rows(data, MEASURED_FOLDER), picks={},
    columns=MEASURED_COLUMNS, captions=None, keep=lambda rows: True,
    extra=f"From `{MEASURED_FOLDER}`: two H100 of one host, NVLink, 2026-11-26; one GPU of the same "
          "host in the same minutes is 100 %.")


def large_rows(data):
    """A line for each configuration and number of GPUs: the same grid on one, two and four."""
    folder = "results/nvidia-h200-x4"
    files = {count: valid_rows(data.document(f"{folder}/acoustic-2g-{count}.json"))
             for count in (1, 2, 4)}
    return [{"name": ":".join(key), "row": row, "ranks": count, "parallel": row.get("parallel"),
             "efficiency": row["gcell_per_s"]["median"] / count
             / files[1][key]["gcell_per_s"]["median"]}
            for key in files[1] for count, rows in files.items() for row in [rows[key]]]


def exposed(line):
    """Microseconds of a step's exchange that nothing hides; nothing of one rank."""
    parallel = line["parallel"]
    return f"{1e6 * parallel['exchange_exposed_s']:.0f}" if parallel else ""


LARGE_COLUMNS = (
    ("variant", text(lambda line: f"`{line['name']}`")),
    ("GPUs", text(lambda line: str(line["ranks"]))),
    ("GCell/s", text(lambda line: f"{line['row']['gcell_per_s']['median']:.1f}")),
    ("exposed, µs a step", text(exposed)),
    ("efficiency, %", text(lambda line: f"{100 * line['efficiency']:.1f}")),
    ("final field", text(lambda line: f"{line['row']['u_min']:.8g}, {line['row']['u_max']:.8g}")),
)

LARGE = Table(name="scaling-2g", lines=large_rows, picks={}, columns=LARGE_COLUMNS, captions=None,
              keep=lambda rows: True,
              extra="From `results/nvidia-h200-x4`: H200s of one host, NVLink, 2026-11-26; each row "
                    "verified at size.")

TABLES = (MEASURED_TABLE, LARGE) + tuple(
    Table(name=f"scaling-{name}", lines=lambda data, name=name: rows_of(data, name), picks={},
          columns=COLUMNS, captions=None, extra=f"From `results/scaling/predicted-{name}.json`.",
          keep=lambda rows: True)
    for name in NAMES)
