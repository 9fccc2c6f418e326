#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A compiler launcher that weighs: runs the compiler given and appends a line to $WEIGHTS.

The line: processor seconds, peak memory in MB, source file. The exit status is the compiler's.
"""

import os
import resource
import subprocess
import sys

status = subprocess.call(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
sources = [word for word in sys.argv[1:] if word.endswith((".cpp", ".cxx", ".cc", ".c"))]
if sources and "-c" in sys.argv:
    line = f"{used.ru_utime + used.ru_stime:.1f},{used.ru_maxrss / 1e3:.0f},{sources[-1]}\n"
    with open(os.environ["WEIGHTS"], "a", encoding="utf-8") as weights:
        weights.write(line)
sys.exit(status)
