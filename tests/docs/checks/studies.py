# SPDX-License-Identifier: Apache-2.0
"""results/: a folder a machine holds one study, of one revision and of today's suite, and machines
are of the same. What is of another revision or behind the suite is marked in a README there. No file is older than its revision."""

import json
import re
import subprocess
import tomllib
from datetime import datetime
from pathlib import Path


def read(path):
    """A JSON file."""
    return json.loads(path.read_text("utf-8"))


def revision_of(content):
    """The revision of the code that a file is of; of a tree with changes another one."""
    build = content.get("build") or {}
    return build.get("git_revision", "none") + (" with changes" if build.get("git_dirty") else "")


def result_files(folder):
    """The result files of a folder by their names without extension."""
    return {
        path.stem: read(path)
        for path in sorted(folder.glob("*.json"))
        if path.stem not in ("machine", "manifest")
    }


def marked(folder, mark):
    """The runs that paragraphs of a folder's README that begin with a mark name."""
    text = (folder / "README.md").read_text("utf-8") if (folder / "README.md").is_file() else ""
    return {run for part in text.split("\n\n") if part.startswith(mark)
            for run in re.findall(r"`([^`]+)`", part[len(mark):])}


def check_folder(name, folder, manifest, files):
    """Every run that the machine takes is done and there; nothing else is; one revision, no row twice
    with other steps or another grid."""
    done = {run["name"] for run in manifest["runs"] if run["status"] == "done"}
    for run in manifest["runs"]:
        reason = run.get("reason", "")
        if run["name"] not in done and not reason.startswith("for a "):
            yield f"{name}: the study's run {run['name']} is {run['status']}"
    for missing in sorted(done - set(files)):
        yield f"{name}/{missing}.json: missing, though the manifest says that it is done"
    for other in sorted(set(files) - done):
        yield f"{name}/{other}.json: no run of the study there: keep one study a machine"
    wanted = revision_of(manifest)
    if wanted.endswith("with changes"):
        yield f"{name}/manifest.json: of {wanted}: a study is of a clean tree"
    for run, content in files.items():
        if revision_of(content) != wanted:
            yield f"{name}/{run}.json: of revision {revision_of(content)}, the study of {wanted}"
        for row in content["results"]:
            if row["status"] not in ("valid", "unsupported"):
                yield f"{name}/{run}.json: {row['variant']}:{row['configuration']} is {row['status']}"


SUITE = "inputs/study.toml"
SETTINGS = ("deck", "set", "variants", "exclude")
MARK = f"Behind `{SUITE}`:"


def check_suite(name, folder, manifest, suite):
    """The manifest's runs are those of the suite for that kind of machine, set alike, but for those
    that a paragraph of the README, which begins with MARK, names; and it names no other."""
    kind = read(folder / "machine.json").get("kind")
    there = {run["name"]: run for run in manifest["runs"]}
    wanted = {run: of for run, of in suite.items() if of.get("on", kind) == kind}
    settings = lambda run: [run.get(key) or [] for key in SETTINGS]  # noqa: E731
    behind = {run: "is not there" for run in set(wanted) - set(there)}
    behind |= {run: "is no run of the suite" for run in set(there) - set(suite)}
    behind |= {run: "was run with other settings" for run in set(wanted) & set(there)
               if settings(there[run]) != settings(wanted[run])}
    known = marked(folder, MARK)
    for run in sorted(set(behind) - known):
        yield (f"{name}: {run} {behind[run]}: run the study again, or mark it in its README "
               f"({MARK} `{run}`)")
    for run in sorted(known - set(behind)):
        yield f"{name}/README.md: {run} is marked as behind {SUITE} and is not"


def item_of(path, top):
    """The item of the nearest README, below results/, that names a file or its folder."""
    folder = next(up for up in path.parents if up == top or (up / "README.md").is_file())
    names = [path.stem, path.name, *(f"{part}/" for part in path.relative_to(folder).parts[:-1])]
    text = (folder / "README.md").read_text("utf-8") if folder != top else ""
    return next((item for item in re.split(r"\n(?=- |\n)", text)
                 if any(f"`{name}`" in item for name in names)), "")


def check_strays(root):
    """A result file that is in no study, or a prediction: an item of the nearest README names it, or
    its folder, and its revision."""
    top = root / "results"
    for path in sorted(top.rglob("*.json")):
        content = read(path)
        schema = content.get("schema", "") if isinstance(content, dict) else ""
        if (not schema.startswith(("tessera-result-", "tessera-prediction-"))
                or (path.parent / "manifest.json").exists()):
            continue
        revision = revision_of(content)[:7]
        if revision not in item_of(path, top):
            yield (f"{path.relative_to(root)}: is in no study, and no README says so with its "
                   f"revision {revision}")


CLOCKS = 300  # seconds that the clocks of two machines may be apart
EARLIER = "before it was committed"


def check_revisions(_pages, root, _tessera):
    """No file began before its revision was committed, where this repository knows the revision, unless
    its README says so (EARLIER)."""
    log = ["git", "-C", Path(__file__).parent, "log", "--all", "--format=%H %ct"]
    words, compared = subprocess.run(log, capture_output=True, text=True, check=False).stdout.split(), 0
    committed = dict(zip(words[::2], map(int, words[1::2])))  # seconds since 1970
    for path in sorted((root / "results").rglob("*.json")):
        content = read(path)
        revision, began = revision_of(content).split()[0], content.get("begun") or content.get("date")
        if revision in committed and began:
            compared += 1
            late = committed[revision] - datetime.fromisoformat(began).timestamp()
            if late > CLOCKS and EARLIER not in " ".join(item_of(path, root / "results").split()):
                yield (f"{path.relative_to(root)}: began {began}, {late / 60:.0f} minutes before its revision "
                       f"{revision[:7]} was committed")
    if not compared:
        print("docs_test.py: revisions: skipped: a repository that knows none of them (a shallow clone), or none")


OLDER = "Of an earlier revision than other machines' studies:"


def check_studies(_pages, root, _tessera):
    """Folders of results/ with a manifest, of one revision but for those whose README says OLDER, which
    not all may."""
    revisions, older = {}, {}
    with (root / SUITE).open("rb") as file:
        runs = tomllib.load(file)["run"]
    suite = {run.get("name", run["deck"].removesuffix(".toml")): run for run in runs}
    manifests = sorted((root / "results").glob("*/manifest.json"))
    if not manifests:
        yield "results/: no study there"
    for path in manifests:
        name = f"results/{path.parent.name}"
        manifest = read(path)
        yield from check_folder(name, path.parent, manifest, result_files(path.parent))
        yield from check_suite(name, path.parent, manifest, suite)
        kept = older if marked(path.parent, OLDER) == {revision_of(manifest)[:7]} else revisions
        kept.setdefault(revision_of(manifest), []).append(name)
    for revision in set(older) & set(revisions) if revisions else set(older):
        yield f"{older[revision][0]}/README.md: its revision is marked as earlier and is not"
    yield from check_strays(root)
    if len(revisions) > 1:
        first = sorted(revisions.items(), key=lambda entry: len(entry[1]), reverse=True)
        yield "results/ mixes revisions: " + "; ".join(
            f"{revision[:8]} in {', '.join(names[:3])}" for revision, names in first)
