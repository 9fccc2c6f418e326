#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# segyio.tools.dt where the sample intervals of a file's headers disagree.
# Expected: one of the two intervals that the file holds, or an error.
# Seen: the function's fallback of 4000 us, which stands nowhere in the file; no warning.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq python3-segyio=1.8.3-1.2 libsegyio1=1.8.3-1.2 > log 2>&1 || { cat log; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" .; done
library=$(dirname "$(find . -name 'libsegyio.so*' | head -1)")
LD_LIBRARY_PATH=$library PYTHONPATH=usr/lib/python3/dist-packages /usr/bin/python3 - <<'P'
import numpy, segyio
segyio.tools.from_array("two.sgy", numpy.ones((2, 4), "f4"), dt=1000)
with segyio.open("two.sgy", "r+", ignore_geometry=True) as file:
    for trace in range(2):
        file.header[trace] = {segyio.TraceField.TRACE_SAMPLE_INTERVAL: 2000}
with segyio.open("two.sgy", ignore_geometry=True) as file:
    held = {file.bin[segyio.BinField.Interval], *(h[segyio.TraceField.TRACE_SAMPLE_INTERVAL] for h in file.header)}
    told = segyio.tools.dt(file)
print(f"segyio {segyio.__version__}: the file holds {sorted(held)} us, tools.dt says {told:g} us")
assert held == {1000, 2000} and told == 4000, "changed"
P
