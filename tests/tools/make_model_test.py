# SPDX-License-Identifier: Apache-2.0
"""tools/make_model.py makes the model that ships.

Arguments: the repository's root.
"""

import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1])


def values(path):
    content = path.read_bytes()
    return struct.unpack(f"<{len(content) // 4}f", content)


with tempfile.TemporaryDirectory() as folder:
    made = Path(folder) / "made.f32"
    subprocess.run([sys.executable, ROOT / "tools/make_model.py", made], check=True,
                   stdout=subprocess.DEVNULL)
    ours, shipped = values(made), values(ROOT / "inputs/models/thrust.f32")
    # Of another mathematical library a sample beside an interface may fall on its other side.
    others = sum(a != b for a, b in zip(ours, shipped))
    if len(ours) != len(shipped) or others > len(ours) // 1000:
        sys.exit(f"FAILED: {others} of {len(shipped)} samples differ from those that ship")
    wrong = subprocess.run([sys.executable, ROOT / "tools/make_model.py", "/no/such/folder/x"],
                           check=False, capture_output=True, text=True)
    if wrong.returncode != 1 or len(wrong.stderr.splitlines()) != 1:
        sys.exit(f"FAILED: {wrong.stderr}")
