#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What Numba makes of a three-point stencil along the rows of a 2D array: nested loops, and the same
# inner loop in a function of its own that takes rows.
# Expected: the same vectors in both; the arrays are contiguous by their type, the loops are those of C.
# Seen: the nested loops stay scalar, a slice of a row in place of [j, i] does not help; as a function
# that the outer loop calls the inner loop becomes vectors.
set -euo pipefail
packages=(python3-numba=0.56.4+dfsg-2 python3-llvmlite=0.39.1-2 libllvm14=1:14.0.6-12 python3-numpy=1:1.24.2-1+deb12u1 libopenblas0-pthread=0.3.21+ds-4 libz3-4=4.8.12-3.1 libgfortran5=12.2.0-14+deb12u1)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq "${packages[@]}" > log 2>&1 || { cat log; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" .; done
libraries=$folder/usr/lib/x86_64-linux-gnu
export PYTHONPATH=$folder/usr/lib/python3/dist-packages LD_LIBRARY_PATH=$libraries:$libraries/openblas-pthread
cat > count.py <<'P'
import re
import numba
OF_2D, OF_1D = "void(float32[:,::1], float32[:,::1])", "void(float32[::1], float32[::1])"

@numba.njit([OF_1D])
def row(a, b):
    for i in range(b.size - 2):
        b[i + 1] = a[i] + a[i + 1] + a[i + 2]

@numba.njit([OF_2D])
def nested(a, b):
    for j in range(b.shape[0]):
        for i in range(b.shape[1] - 2):
            b[j, i + 1] = a[j, i] + a[j, i + 1] + a[j, i + 2]

@numba.njit([OF_2D])
def slices(a, b):
    for j in range(b.shape[0]):
        p, q = a[j], b[j]
        for i in range(q.size - 2):
            q[i + 1] = p[i] + p[i + 1] + p[i + 2]

@numba.njit([OF_2D])
def by_function(a, b):
    for j in range(b.shape[0]):
        row(a[j], b[j])

def additions(of, kind):
    return len(re.findall(rf"\bv?add{kind}\b", "\n".join(of.inspect_asm().values())))

print("Numba", numba.__version__)
vectors = {of.__name__: additions(of, "ps") for of in (nested, slices, by_function)}
for name, count in vectors.items():
    print(f"{name}: {count} vector additions")
if vectors["nested"] or vectors["slices"] or not vectors["by_function"]:
    raise SystemExit("changed")
P
/usr/bin/python3 count.py
