# SPDX-License-Identifier: Apache-2.0
"""What tests of shots that are killed share, on one rank and on several: waiting for a checkpoint,
killing behind it, and the files that must be as if nothing had been."""

import shutil
import time

import h5py


def wait_for_checkpoint(process, out):
    """Until a shot that runs has a checkpoint on the disk, or has ended."""
    while process.poll() is None and not (out / "checkpoint.h5").exists():
        time.sleep(0.002)


def step_of(out):
    """The step of the checkpoint in a folder; 0 where there is none."""
    path = out / "checkpoint.h5"
    if not path.exists():
        return 0
    with h5py.File(path, "r") as file:
        return int(file.attrs["step"])


def killed_behind_checkpoint(out, start, kill):
    """The step of the checkpoint that a shot has left: `start()` begins one, and `kill(process)`
    ends it and says whether it did so before its own end. A shot that was faster, and so left none,
    is made again; 0 after many of these."""
    for _ in range(20):
        process = start()
        wait_for_checkpoint(process, out)
        if kill(process) and step_of(out) > 0:
            return step_of(out)
        shutil.rmtree(out, ignore_errors=True)
    return 0


def goes_on(result, step):
    """Whether a shot that ran to its end says that it began at a checkpoint: only what ended by
    itself has printed all that it had to say."""
    return f"continues from the checkpoint at step {step}\n" in result.stdout


def contents(folder, names):
    """The bytes of the files of a shot that are there."""
    return {name: (folder / name).read_bytes() for name in names if (folder / name).exists()}


def differences(out, wanted):
    """What in a complete shot's folder is not as it should be, a line each; `wanted` as of
    contents()."""
    found = contents(out, wanted)
    lines = [f"{name} differs" for name in wanted if found.get(name) != wanted[name]]
    return lines + [f"{path.name} is left" for path in sorted(out.iterdir())
                    if ".part." in path.name or path.name == "checkpoint.h5"]
