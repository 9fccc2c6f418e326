#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The style checks that need no build. Says what is wrong, and fails where anything is.
# Usage: ci/style.sh [check]... [file]...      (default: every check, every file of the tree)
#   - clang-format: C++, with clang-format 14; other versions format otherwise
#   - ruff: Python, by pyproject.toml; where ruff is not installed, pyflakes, which sees less
#   - shellcheck: shell scripts
#   - spdx: SPDX-License-Identifier among the first three lines of each file
# Files are named from the repository's root; a check takes those of its kind.
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
source "$ROOT/ci/lib/packages.sh"

CHECKS=(clang-format ruff shellcheck spdx)

# ensure_program <name> <package>: installs the package where there is no such program.
ensure_program() { command -v "$1" >/dev/null || ensure_packages "$2"; }

# Prints the files that a check has to read, each ended by a zero byte.
files_of() {
  local file first
  for file in "${files[@]}"; do
    case $1:$file in
      clang-format:*.[ch]pp | ruff:*.py | shellcheck:*.sh) ;;
      shellcheck:*) # one without an ending says by its first line what it is
        if [[ ${file##*/} = *.* ]]; then continue; fi
        read -r first <"$file" || true
        if [[ $first != '#!'*sh ]]; then continue; fi
        ;;
      # What holds no comments, and what people read: the licence itself, pages, data, pictures.
      spdx:LICENSE | spdx:results/*.txt | spdx:*.md | spdx:*.json | spdx:*.csv | spdx:*.png | spdx:*.svg | spdx:*.h5 | spdx:*.gz | spdx:*.f32) continue ;;
      spdx:*) ;;
      *) continue ;;
    esac
    printf '%s\0' "$file"
  done
}

check_clang-format() {
  local program=clang-format version
  if command -v clang-format-14 >/dev/null; then program=clang-format-14; fi
  ensure_program "$program" clang-format
  version=$("$program" --version)
  [[ $version = *"version 14."* ]] || say "clang-format 14 is required, and this is another: $version"
  "$program" --dry-run --Werror "$@"
}

check_ruff() {
  if command -v ruff >/dev/null; then
    ruff check --quiet "$@"
  else
    say "no ruff here: pyflakes in its place"
    ensure_program pyflakes3 pyflakes3
    pyflakes3 "$@"
  fi
}

check_shellcheck() {
  ensure_program shellcheck shellcheck
  shellcheck --external-sources --source-path=SCRIPTDIR "$@"
}

check_spdx() {
  local file head status=0
  for file in "$@"; do
    mapfile -t -n 3 head <"$file"
    if [[ ${head[*]} != *"SPDX-License-Identifier: Apache-2.0"* ]]; then
      printf '%s: no SPDX-License-Identifier in the first three lines\n' "$file" >&2
      status=1
    fi
  done
  return "$status"
}

checks=()
while [[ $# != 0 && " ${CHECKS[*]} " = *" $1 "* ]]; do
  checks+=("$1")
  shift
done
if [ ${#checks[@]} = 0 ]; then checks=("${CHECKS[@]}"); fi
files=("$@")
if [ ${#files[@]} = 0 ] && git rev-parse --git-dir >/dev/null 2>&1; then # not what git ignores
  mapfile -d '' files < <(git ls-files -coz --exclude-standard | while read -r -d '' file; do
    if [ -f "$file" ]; then printf '%s\0' "$file"; fi
  done | sort -z)
elif [ ${#files[@]} = 0 ]; then
  mapfile -d '' files < <(find . \( -name .git -o -name __pycache__ -o -path './build*' \
    -o -path ./.deps -o -path ./out \) -prune -o -type f ! -name '*.pyc' -printf '%P\0' | sort -z)
fi
for file in "${files[@]}"; do
  [ -f "$file" ] || fail "there is no check and no file $file; the checks are ${CHECKS[*]}"
done

failed=()
for check in "${checks[@]}"; do
  mapfile -d '' chosen < <(files_of "$check")
  if [ ${#chosen[@]} = 0 ]; then continue; fi
  say "$check: ${#chosen[@]} files"
  "check_$check" "${chosen[@]}" || failed+=("$check")
done
[ ${#failed[@]} = 0 ] || fail "not clean: ${failed[*]}"
