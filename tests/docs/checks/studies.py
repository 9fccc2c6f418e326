# SPDX-License-Identifier: Apache-2.0
"""results/: a folder a machine holds one study, of one revision, and machines are of the same."""

import json


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


def check_folder(name, manifest, files):
    """Every run that the machine takes is done and there; nothing else is; one revision, no row
    twice with other steps or another grid."""
    done = {run["name"] for run in manifest["runs"] if run["status"] == "done"}
    for run in manifest["runs"]:
        reason = run.get("reason", "")
        if run["status"] != "done" and not reason.startswith("for a "):
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


def check_studies(_pages, root, _tessera):
    """Folders of results/ with a manifest, and the predictions beside them."""
    revisions = {}
    manifests = sorted((root / "results").glob("*/manifest.json"))
    if not manifests:
        yield "results/: no study there"
    for path in manifests:
        name = f"results/{path.parent.name}"
        manifest = read(path)
        yield from check_folder(name, manifest, result_files(path.parent))
        revisions.setdefault(revision_of(manifest), []).append(name)
    for folder in sorted((root / "results" / "predicted").glob("*")):
        name = f"results/predicted/{folder.name}"
        for run, content in result_files(folder).items():
            revisions.setdefault(revision_of(content), []).append(f"{name}/{run}.json")
    if len(revisions) > 1:
        first = sorted(revisions.items(), key=lambda entry: len(entry[1]), reverse=True)
        yield "results/ mixes revisions: " + "; ".join(
            f"{revision[:8]} in {', '.join(names[:3])}" for revision, names in first)
