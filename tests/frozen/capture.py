# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of commands.toml with a binary and reads the values that they leave.

Values are flat: {command: {key: value}}, a value a number, a text that names a choice, a list of these,
or an array as {"array": ...}. No timings, no rates of this machine, no wording, no file names.
"""

import base64
import csv
import fnmatch
import hashlib
import json
import math
import os
import platform
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import tomllib
import zlib
from pathlib import Path

import adapter
import h5py
import models
import numpy

HERE = Path(__file__).resolve().parent
TIMEOUT_S = 300
FULL = 4000  # values of an array that are kept whole at the most

# Facts of a row that this machine's load, memory or clock do not change.
ROW = ("details", "nx", "ny", "nz", "steps", "status", "baseline", "steps_per_sample", "temporal_depth",
       "flop_per_byte", "moved_bytes_per_cell", "u_min", "u_max")
RANDOM = ("verify_seed", "verify_worst_of_bound")  # of fresh random data
WORDS = {"summary", "formula", "source", "memory", "loses", "supports", "note", "remark", "reason", "what"}
SHOT = ("status", "variant", "configuration", "decomposition", "operator", "precision", "nx", "ny", "nz",
        "pml_cells", "free_surface", "steps", "steps_done", "restarted_at_step", "time_step_s",
        "v_min_m_per_s", "v_max_m_per_s", "cfl_fraction", "points_per_wavelength", "pml_wavelengths",
        "sources", "receivers", "u_min", "u_max", "segy_interval_us")
SURVEY_SHOT = ("number", "x_m", "y_m", "z_m", "receivers", "receivers_left_out", "status")


class Program:
    def __init__(self, binary, work):
        self.binary, self.work = str(Path(binary).resolve()), work
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("TESSERA_", "OMP_"))}
        self.environment |= adapter.ENVIRONMENT

    def run(self, words):
        return subprocess.run([self.binary, *words], cwd=self.work, env=self.environment, text=True,
                              capture_output=True, check=False, timeout=TIMEOUT_S,
                              stdin=subprocess.DEVNULL)

    def kill_when(self, words, ready):
        """Runs a command and kills it at once when ready() holds; the exit code of one that ended first."""
        child = subprocess.Popen([self.binary, *words], cwd=self.work, env=self.environment,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 stdin=subprocess.DEVNULL)
        end = time.monotonic() + TIMEOUT_S
        while child.poll() is None and not ready() and time.monotonic() < end:
            time.sleep(0.001)
        if child.poll() is None:
            child.send_signal(signal.SIGKILL)
        return child.wait()


# ---- values ------------------------------------------------------------------------------------------

def array(values):
    """A field or traces: the checksum of its bits as little-endian floats, and what judges other bits."""
    values = numpy.ascontiguousarray(values)
    if values.dtype.kind != "f":
        values = values.astype("<i8")
    values = values.astype(values.dtype.newbyteorder("<"))
    data = values.tobytes()
    wide = values.astype("f8")
    out = {"array": values.dtype.str, "shape": list(values.shape), "sha256": hashlib.sha256(data).hexdigest()}
    if values.size:
        out |= {"min": float(wide.min()), "max": float(wide.max()),
                "rms": math.sqrt(float((wide * wide).mean()))}
    if values.size <= FULL:
        out["values"] = base64.b64encode(zlib.compress(data, 9)).decode()
    return out


def whole(value):
    """The values of an array that was kept whole, else None."""
    if "values" not in value:
        return None
    data = zlib.decompress(base64.b64decode(value["values"]))
    return numpy.frombuffer(data, value["array"]).reshape(value["shape"]).astype("f8")


def flatten(value, name, into, leave_out=()):
    """Numbers, flags and choices of nested JSON by key; rows of a list by name where they have one."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "unsupported" and isinstance(inner, str):
                into[f"{name}.supported" if name else "supported"] = inner == ""
            elif key not in leave_out and key not in WORDS:
                flatten(inner, f"{name}.{key}" if name else key, into, leave_out)
    elif isinstance(value, list) and any(isinstance(inner, (dict, list)) for inner in value):
        seen = {}
        for i, inner in enumerate(value):
            label = inner.get("name") or inner.get("configuration") if isinstance(inner, dict) else None
            label = str(label) if label else str(i)
            seen[label] = seen.get(label, 0) + 1
            label = label if seen[label] == 1 else f"{label}#{seen[label]}"
            flatten(inner, f"{name}[{label}]", into, (*leave_out, "name"))
    else:
        into[name] = value


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def put(into, key, value):
    """Two values under one key would hide one."""
    base, i = key, 1
    while key in into:
        i += 1
        key = f"{base}#{i}"
    into[key] = value


def row_name(row, any_configuration=False):
    configuration = "*" if any_configuration else row["configuration"]
    words = [row["stencil"], f"{row['variant']}:{configuration}", row["decomposition"] or "-",
             row["precision"]]
    return " ".join(words + ([row["model"]] if row.get("model") else []))


def result_values(file, into, any_configuration=False):
    """Rows of a result file. With any configuration (of tune's winners) what a tile changes is left out."""
    rows = adapter.result_rows(file)
    for row in rows:
        name = row_name(row, any_configuration)
        if f"{name}.status" in into:
            raise SystemExit(f"two rows {name}")
        tile_free = ("details", "nx", "ny", "nz", "steps", "status", "u_min", "u_max")
        for key in tile_free if any_configuration else ROW:
            into[f"{name}.{key}"] = row[key]
        if row["status"] == "valid":
            into[f"{name}.bytes_per_cell"] = row["predicted"].get("bytes_per_cell")
            into[f"{name}.samples"] = len(row["samples_s"])
        if not any_configuration:
            flatten(row["resources"], f"{name}.resources", into, RANDOM)
    into["rows"] = len(rows)


def prediction_values(rows, into, case=""):
    for row in rows:
        words = [case, row.get("stencil", ""), row["name"], row.get("decomposition") or "-",
                 row.get("precision", ""), row.get("scaling", ""),
                 "x".join(map(str, row.get("rank_grid", [])))]
        name = " ".join(word for word in words if word)
        found = {}
        flatten(row, "", found, ("name", "stencil", "decomposition", "scaling", "rank_grid"))
        for key, value in found.items():
            put(into, f"{name}.{key}", value)
    into[f"{case} rows".strip()] = len(rows)


def csv_gather(path):
    """(times, samples [time, receiver], places {name: numbers})"""
    places, lines = {}, []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            name, *numbers = line[1:].strip().split(",")
            places[name.strip()] = [float(number) for number in numbers]
        else:
            lines.append(line.split(","))
    table = numpy.array([[float(cell) for cell in line] for line in lines[1:]])
    return table[:, 0], table[:, 1:].astype("<f4"), places


def segy_traces(path):
    """Headers' numbers, a row a trace, and the samples [trace, time]."""
    data = path.read_bytes()
    samples, form = struct.unpack_from(">H", data, 3220)[0], struct.unpack_from(">H", data, 3224)[0]
    extended = struct.unpack_from(">h", data, 3504)[0]
    first, length = 3600 + 3200 * max(extended, 0), 240 + 4 * samples
    if form != 5 or (len(data) - first) % length:
        raise SystemExit(f"{path}: format {form}, {len(data)} bytes")
    headers, traces = [], []
    for at in range(first, len(data), length):
        big = struct.unpack_from(">7i", data, at)          # sequence, record, trace, source point ...
        places = struct.unpack_from(">8i", data, at + 40)  # elevations and depths
        scalars = struct.unpack_from(">2h", data, at + 68)
        xy = struct.unpack_from(">4i", data, at + 72)
        rest = struct.unpack_from(">2h", data, at + 114)   # samples, interval
        delay = struct.unpack_from(">h", data, at + 108)
        headers.append([*big, *places, *scalars, *xy, *rest, *delay])
        traces.append(numpy.frombuffer(data, ">f4", samples, at + 240))
    return numpy.array(headers), numpy.array(traces, dtype="<f4")


def segy_values(path, name, into):
    headers, traces = segy_traces(path)
    into[f"{name}.headers"] = array(headers)
    into[f"{name}.samples"] = array(traces)


def shot_values(folder, into, prefix=""):
    """All that a complete shot leaves in its folder."""
    record = read_json(adapter.shot_record(folder))
    for key in SHOT:
        flatten(record.get(key), f"{prefix}{key}", into)
    if adapter.gather_csv(folder).exists():
        times, samples, places = csv_gather(adapter.gather_csv(folder))
        into[f"{prefix}gather.times"] = array(times)
        into[f"{prefix}gather.samples"] = array(samples)
        for name, numbers in places.items():
            into[f"{prefix}gather.{name}"] = numbers
    if adapter.gather_segy(folder).exists():
        segy_values(adapter.gather_segy(folder), f"{prefix}segy", into)
    if adapter.snapshots(folder).exists():
        with h5py.File(adapter.snapshots(folder), "r") as file:
            def visit(path, item):
                if isinstance(item, h5py.Dataset) and item.dtype.kind in "fiu":
                    into[f"{prefix}snapshots./{path}"] = array(item[()])
            file.visititems(visit)


# ---- commands ----------------------------------------------------------------------------------------

class Capture:
    def __init__(self, binary, work):
        self.work, self.decks = work, work / "decks"
        self.program = Program(binary, work)
        self.values, self.seconds, self.problems = {}, {}, []
        self.decks.mkdir()
        for source in sorted((HERE / "decks").iterdir()):
            text = source.read_text(encoding="utf-8")
            if source.suffix == ".toml":
                text = (adapter.suite_text if "suite" in source.stem else adapter.deck_text)(text)
            (self.decks / source.name).write_text(text, encoding="utf-8")
        models.write(self.decks)

    def out(self, name):
        return self.work / name

    def deck(self, name):
        ours = self.decks / name
        return str(ours) if ours.exists() else name

    def filled(self, text, out):
        text = text.replace("{decks}", str(self.decks)).replace("{out}", str(out))
        while "{survey:" in text:
            name = text.split("{survey:", 1)[1].split("}", 1)[0]
            text = text.replace(f"{{survey:{name}}}", str(adapter.survey_gather(self.out(name))))
        return text

    def take(self, entry):
        entry = dict(entry)
        out = self.out(entry.get("resume", entry["id"]))
        out.mkdir(exist_ok=True)
        for key in ("set", "args"):
            if key in entry:
                entry[key] = [self.filled(word, out) for word in entry[key]]
        into = {}
        self.values[entry["id"]] = into
        begin = time.monotonic()
        try:
            getattr(self, entry["kind"])(entry, out, into)
        except (OSError, KeyError, ValueError, IndexError, struct.error, subprocess.TimeoutExpired) as error:
            into["unreadable"] = f"{type(error).__name__}: {error}"
            self.problems.append(f"{entry['id']}: {type(error).__name__}: {error}")
        self.seconds[entry["id"]] = time.monotonic() - begin

    def call(self, entry, words, into):
        """Runs, keeps the exit code; the answer, or None of a command that failed."""
        answer = self.program.run(words)
        into["exit"] = answer.returncode
        if answer.returncode != 0:
            last = (answer.stderr.strip().splitlines() or [""])[-1]
            self.problems.append(f"{entry['id']}: exit {answer.returncode}: {last}")
        return answer

    def printed(self, entry, words, into):
        return json.loads(self.call(entry, words, into).stdout or "null")

    def run(self, entry, out, into):
        tuned = adapter.tune_winners(self.out(entry["tuned"])) if "tuned" in entry else None
        self.call(entry, adapter.run_args(self.deck(entry["deck"]), out, entry, tuned), into)
        result_values(read_json(adapter.run_result(out)), into, tuned is not None)
        with adapter.run_table(out).open(encoding="utf-8", newline="") as file:
            table = list(csv.DictReader(file))
        into["table.rows"] = len(table)

    def tune(self, entry, out, into):
        self.call(entry, adapter.tune_args(self.deck(entry["deck"]), out, entry), into)
        result_values(read_json(adapter.tune_result(out)), into)
        into["winners"] = sorted(
            " ".join(str(winner[key]) for key in ("stencil", "precision", "nx", "ny", "nz", "variant",
                                                  "decomposition", "threads", "model", "details"))
            for winner in adapter.winners(read_json(adapter.tune_winners(out))))

    def verify(self, entry, out, into):
        answer = self.printed(entry, adapter.verify_args(entry), into)
        into["seed"] = answer["seed"]
        for row in answer["rows"]:
            name = " ".join([row["stencil"], row["name"], row["decomposition"] or "-", row["precision"]])
            put(into, f"{name}.status", row["status"])
            put(into, f"{name}.worst_of_bound", row["worst_of_bound"])
        into["rows"] = len(answer["rows"])

    def predict(self, entry, out, into):
        prediction_values(self.printed(entry, adapter.predict_args(self.deck(entry["deck"]), entry), into),
                          into)

    def plan(self, entry, out, into):
        flatten(self.printed(entry, adapter.plan_args(entry), into), "", into)

    def describe(self, entry, out, into):
        flatten(self.printed(entry, adapter.describe_args(entry), into), "", into)

    def list_json(self, entry, out, into):
        rows = self.printed(entry, adapter.list_json_args(entry), into)
        here = () if "machine" in entry else ("resources", "unsupported")  # plans of this machine
        for row in rows:
            name = row["name"]
            found = {}
            flatten(row, "", found, ("name", *here))
            for key, value in found.items():
                put(into, f"{name}.{key}", value)
        into["names"] = sorted(row["name"] for row in rows)

    def list(self, entry, out, into):
        for name, tiles in adapter.list_rows(
                self.call(entry, adapter.list_args(entry), into).stdout).items():
            into[f"{name}.tiles"] = tiles

    def markdown(self, entry, out, into):
        rows = adapter.markdown_rows(self.call(entry, adapter.markdown_args(entry), into).stdout)
        into["names"] = sorted(rows)
        for name, cells in rows.items():
            if all(cell.isdigit() for cell in cells):
                into[name] = [int(cell) for cell in cells]

    def launches(self, entry, out, into):
        rows = adapter.markdown_rows(self.call(entry, adapter.launches_args(entry), into).stdout)
        into["names"] = sorted(rows)
        for name, cells in rows.items():
            into[name] = cells[:2]  # on a device, on a host; the third is a reason

    def machine(self, entry, out, into):
        self.call(entry, adapter.machine_args(out, entry), into)
        file = read_json(adapter.machine_file(out))
        into["keys"] = sorted(key for key, value in file.items() if value is not None)
        for table in ("memory", "peak", "latency", "limits"):
            into[f"{table}.keys"] = sorted(file.get(table, {}))
        for table in ("caches", "core"):
            into[f"{table}.keys"] = sorted({key for row in file.get(table, []) for key in row})
        into["schema"] = file["schema"]
        into["kind"] = file["kind"]

    def fit(self, entry, out, into):
        flatten(self.printed(entry, adapter.fit_args(self.deck(entry["deck"]), out, entry), into), "", into)
        table = {}
        flatten(read_json(adapter.fit_table(out)), "table", table)
        for key, value in table.items():
            if not isinstance(value, str):
                into[key] = value

    def study(self, entry, out, into):
        machine = adapter.machine_file(self.out(entry["machine_of"]))
        self.call(entry, adapter.study_args(self.deck(entry["suite"]), out, entry, machine), into)
        record = read_json(adapter.study_record(out))
        into["schema"] = record["schema"]
        for run in record["runs"]:
            into[f"{run['name']}.status"] = run["status"]
            into[f"{run['name']}.rows of a status"] = [f"{k}={v}" for k, v in sorted(
                (run.get("rows") or {}).items())]
            if run["status"] == "done":
                found = {}
                result_values(read_json(adapter.study_result(out, run["name"])), found)
                into.update({f"{run['name']}: {key}": value for key, value in found.items()})
        into["machine"] = adapter.study_machine(out).exists()

    def study_predict(self, entry, out, into):
        self.call(entry, adapter.study_predict_args(self.deck(entry["suite"]), out, entry), into)
        with (HERE / "decks" / entry["suite"]).open("rb") as file:
            names = [run["name"] for run in tomllib.load(file)["run"]]
        for name in names:
            for case in adapter.prediction_cases(read_json(adapter.study_prediction(out, name))):
                prediction_values(case["rows"], into,
                                  f"{name} {case['stencil']} {case['precision']} "
                                  f"{case['nx']}x{case['ny']}x{case['nz']}")

    def shot(self, entry, out, into):
        deck, folder = self.deck(entry["deck"]), adapter.shot_folder(out)
        words = adapter.shot_args(deck, out, entry)
        if entry.get("interrupt"):
            path = adapter.checkpoint(folder)
            for _ in range(3):  # one that ran on to its second checkpoint or its end shows nothing
                self.program.kill_when(words, path.exists)
                if path.exists():
                    break
                shutil.rmtree(folder)
            with h5py.File(path, "r") as file:
                into["checkpoint.step"] = int(file.attrs["step"])
                for name in adapter.CHECKPOINT_FIELDS:
                    into[f"checkpoint.{name}"] = array(file[name][()])
            words = adapter.shot_args(deck, out, entry, restart=True)
        self.call(entry, words, into)
        shot_values(folder, into)

    def survey(self, entry, out, into):
        deck = self.deck(entry["deck"])
        words = adapter.survey_args(deck, out, entry)
        if entry.get("interrupt"):
            first = adapter.shot_record(adapter.survey_shot(out, 1))
            self.program.kill_when(words, first.exists)
            words = adapter.survey_args(deck, out, entry, resume=True)
        self.call(entry, words, into)
        record = read_json(adapter.survey_record(out))
        into["segy_interval_us"] = record.get("segy_interval_us", 0)
        into["shots"] = len(record["shots"])
        for shot in record["shots"]:
            number = shot["number"]
            for key in SURVEY_SHOT:
                into[f"shot {number}.{key}"] = shot.get(key)
            found = {}
            shot_values(adapter.survey_shot(out, number), found)
            found.pop("restarted_at_step")  # of a survey that was killed: by chance
            into.update({f"shot {number}: {key}": value for key, value in found.items()})
        segy_values(adapter.survey_gather(out), "all", into)

    def refusal(self, entry, out, into):
        answer = self.program.run(entry["args"])
        into["exit"] = answer.returncode
        for name in entry["names"]:
            into[f"names {name}"] = name in answer.stderr + answer.stdout


def host():
    """What bits may depend on: vectors and fused operations follow the processor."""
    model = ""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return {"processor": model or platform.processor(), "libc": platform.libc_ver()[1]}


def capture(binary, only=("*",), keep=None, talk=print):
    """Runs the table's commands with a binary: (values, seconds, problems)."""
    with (HERE / "commands.toml").open("rb") as file:
        table = tomllib.load(file)["command"]
    chosen = [e for e in table if any(fnmatch.fnmatchcase(e["id"], pattern) for pattern in only)]
    needed = {e.get(key) for e in chosen for key in ("resume", "tuned", "machine_of")}
    for entry in chosen:
        for word in entry.get("set", []):
            if "{survey:" in word:
                needed.add(word.split("{survey:", 1)[1].split("}", 1)[0])
    wanted = {e["id"] for e in chosen} | needed
    with tempfile.TemporaryDirectory(prefix="tessera-frozen-") as temporary:
        work = Path(keep or temporary).resolve()
        if keep:
            work.mkdir(parents=True)
        taken = Capture(binary, work)
        for entry in table:
            if entry["id"] in wanted:
                taken.take(entry)
                talk(f"{taken.seconds[entry['id']]:6.2f} s  {entry['id']}: "
                     f"{len(taken.values[entry['id']])} values")
    chosen_ids = {e["id"] for e in chosen}
    return ({k: v for k, v in taken.values.items() if k in chosen_ids}, taken.seconds,
            taken.problems, host())
