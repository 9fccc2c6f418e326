# SPDX-License-Identifier: Apache-2.0
"""std::filesystem's questions are asked in forms that do not throw.

A name that is too long or a loop of links makes the others throw the library's own words. Argument:
the repository's root. What support/files.hpp wraps, or an overload with an error_code, is wanted.
"""

import re
import sys
from pathlib import Path

ROOT = Path(sys.argv[1])
CALL = re.compile(r"\b(?:std::filesystem|fs)::(exists|is_directory|is_regular_file|is_symlink|"
                  r"file_size|status|symlink_status|equivalent|canonical|weakly_canonical|absolute|"
                  r"remove|remove_all|rename|create_directory|create_directories|resize_file|"
                  r"directory_iterator|recursive_directory_iterator|last_write_time|copy_file|"
                  r"is_empty|current_path|relative|read_symlink|space|permissions|"
                  r"temp_directory_path)\(")
# The last argument is an error_code, or the only one a file_status.
FINE = re.compile(r"(?:^|,)\s*(?:error|ignored|none|unknown)$|^status$")


def arguments(text, begin):
    """What stands between the bracket before `begin` and the one that closes it."""
    depth, end = 1, begin
    while depth > 0:
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    return text[begin:end - 1].strip()


def throwing(text):
    """The calls in a source that may throw, as (line, call)."""
    for call in CALL.finditer(text):
        inside = arguments(text, call.end())
        if not FINE.search(inside):
            yield text.count("\n", 0, call.start()) + 1, f"{call[0]}{inside})"


def main():
    """Prints each; first that the search can find one."""
    samples = {"fs::exists(path)": 1, "fs::exists(path, error)": 0, "fs::exists(status)": 0,
               "std::filesystem::remove(f(a), ignored)": 0, "fs::rename(a, f(b, error))": 1}
    failed = [text for text, count in samples.items() if len(list(throwing(text))) != count]
    for text in failed:
        print(f"the search is wrong about {text}")
    files = sorted([*ROOT.glob("src/**/*.[ch]pp"), *ROOT.glob("variants/**/*.[ch]pp")])
    for path in files:
        for line, call in throwing(path.read_text("utf-8")):
            failed.append(call)
            print(f"{path.relative_to(ROOT)}:{line}: {call} may throw: see support/files.hpp")
    sys.exit(1 if failed or not files else 0)


if __name__ == "__main__":
    main()
