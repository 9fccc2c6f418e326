# SPDX-License-Identifier: Apache-2.0
"""Commands in the docs: the program, the tools and the build understand them."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib

from .references import PLACEHOLDER
from .shell import (
    LAUNCHERS,
    all_commands,
    commands_in_blocks,
    commands_in_spans,
    options_among,
    options_in,
    program_words,
)

NO_WINNERS = "/no/such/winners.json"
# A build of few configurations has every variant, but not every tile that decks name.
FEW = os.environ.get("TESSERA_FEW_CONFIGURATIONS") == "1"
NOT_BUILT = re.compile(r'is not in this build')
# Without an optional library its decks are read to the end, and that is what stops them.
NO_LIBRARY = "this build has no Kokkos Kernels"
EXTRA = "--no-such-option"
WITH_DECK = {"run", "tune", "predict", "shot", "survey", "fit"}


class Program:
    """The binary, asked without letting it act."""

    def __init__(self, binary, root):
        self.binary, self.root = binary, root
        self.known = {}

    def ask(self, *words):
        """Runs it in the tree's root."""
        return subprocess.run(
            [self.binary, *words], cwd=self.root, capture_output=True, text=True, check=False
        )

    def complaint(self, words):
        """What its own parser has against a command line; None where it has nothing.

        An option that no command has keeps it from acting; if that is all it complains about, the
        rest is well-formed.
        """
        if "--help" in words or "--version" in words:
            result = self.ask(*words)
            return None if result.returncode == 0 else result.stderr.strip()
        if not words:
            return None
        result = self.ask(words[0], EXTRA, *words[1:])
        only = f"The following argument was not expected: {EXTRA};"
        if result.returncode != 0 and only in result.stderr:
            return None
        return result.stderr.strip() or "it would have run"

    def options(self, command):
        """The options of a sub-command by its help; None where there is no such command."""
        if command not in self.known:
            exists = "there is no subcommand" not in self.ask(command, EXTRA).stderr
            self.known[command] = options_in(self.ask(command, "--help").stdout) if exists else None
        return self.known[command]


def check_program(pages, root, tessera):
    """Commands in blocks parse; in code spans, which may be cut short, options exist."""
    program, seen = Program(tessera, root), set()
    for page in pages:
        for where, words in commands_in_blocks(page):
            arguments = program_words(words)
            if not arguments or tuple(arguments) in seen:
                continue
            seen.add(tuple(arguments))
            complaint = program.complaint(arguments)
            if complaint:
                yield f"{where}: tessera {shlex.join(arguments)}: {complaint}"
        for where, words in commands_in_spans(page):
            # `tessera COMMAND --help` has no command to ask about.
            arguments = program_words(words[:1]) is not None and words[1:]
            if arguments and not PLACEHOLDER.fullmatch(arguments[0]):
                yield from unknown_options(program, where, arguments)


def unknown_options(program, where, arguments):
    """Complaints about a sub-command and its options."""
    command = arguments[0]
    if command.startswith("-"):
        return
    options = program.options(command)
    if options is None:
        yield f"{where}: tessera {command}: there is no such command"
        return
    for option in options_among(arguments[1:]):
        if option not in options:
            yield f"{where}: tessera {command} has no option {option}"


def deck_runs(pages):
    """Each deck of a command, with its overrides and selections: where it is."""
    runs = {}
    for where, words in all_commands(pages):
        arguments = program_words(words) or []
        # The check runs one process, which cannot be cut into groups of ranks.
        ranks = "survey.ranks_per_shot=" if words[:1] and words[0] in LAUNCHERS else None
        decks = [word for word in arguments[1:] if re.fullmatch(r"[\w./-]+\.toml", word)]
        if decks and arguments[0] in WITH_DECK:
            kept = []
            for flag, value in zip(arguments, arguments[1:]):
                if flag in ("--set", "-v", "-x") and not (ranks and value.startswith(ranks)):
                    kept += [flag, value]
            runs.setdefault((decks[0], *kept), where)
    return runs


def check_decks(pages, root, tessera):
    """Decks exist and load, with the keys and patterns that a command gives; and each of inputs/ alone,
    in a build of few tiles too."""
    program, runs = Program(tessera, root), deck_runs(pages)
    for path in sorted((root / "inputs").glob("*.toml")):
        runs.setdefault((f"inputs/{path.name}",), "inputs/")
    for (deck, *rest), where in runs.items():
        path = root / deck
        if not path.exists():
            yield f"{where}: {deck}: there is no such deck"
            continue
        try:
            keys = tomllib.loads(path.read_text("utf-8"))
        except tomllib.TOMLDecodeError as error:
            yield f"{where}: {deck}: {error}"
            continue
        if "run" in keys:
            result = program.ask("study", deck, "--dry-run")
            loaded = result.returncode == 0
        elif "receivers" in keys:
            command = "survey" if "survey" in keys else "shot"
            result = program.ask(command, str(path), *rest, "--dry-run")
            loaded = result.returncode == 0
        else:
            # A list of winners that does not exist stops the run when it has read all the rest.
            result = program.ask("run", deck, *rest, "--dry-run", "--tuned", NO_WINNERS)
            loaded = f"tessera: error: {NO_WINNERS}: cannot be read" in result.stderr
            loaded = loaded or (FEW and "-v" in rest and NOT_BUILT.search(result.stderr))
            loaded = loaded or NO_LIBRARY in result.stderr
        if not loaded:
            yield f"{where}: {deck}: {result.stderr.strip() or 'it would have run'}"


def check_tools(pages, root, _tessera):
    """Programs in tools/ and ci/ that pages call exist and have the options that they are given."""
    known = {}
    for where, words in all_commands(pages):
        if re.fullmatch(r"(/usr/bin/)?python3?", words[0]):
            words = words[1:]
        if not words or not re.fullmatch(r"(tools/\w+\.py|ci/[\w-]+\.sh)", words[0]):
            continue
        script = root / words[0]
        if not script.exists():
            yield f"{where}: {words[0]}: there is no such program"
            continue
        if words[0] not in known:
            known[words[0]] = options_of(script)
        for option in options_among(words[1:]):
            if option not in known[words[0]]:
                yield f"{where}: {words[0]} has no option {option}"


def options_of(script):
    """The options that a tool's help lists, or that a shell script names."""
    if script.suffix != ".py":
        return options_in(script.read_text("utf-8"))
    result = subprocess.run(
        [sys.executable, script, "--help"], capture_output=True, text=True, check=False
    )
    return options_in(result.stdout)


def check_build(pages, root, _tessera):
    """Presets and options that cmake and ctest are given exist."""
    presets = json.loads((root / "CMakePresets.json").read_text("utf-8"))
    names = {
        kind: {preset["name"] for preset in presets[kind] if not preset.get("hidden")}
        for kind in ("configurePresets", "buildPresets", "testPresets")
    }
    cmake = "".join(path.read_text("utf-8") for path in sorted((root / "cmake").glob("*.cmake")))
    options = set(re.findall(r"(?:set|option)\(\s*(TESSERA_\w+)", cmake))
    for where, words in all_commands(pages):
        if words[0] not in ("cmake", "ctest"):
            continue
        kind = "configurePresets"
        if words[0] == "ctest":
            kind = "testPresets"
        elif "--build" in words:
            kind = "buildPresets"
        for flag, value in zip(words, words[1:]):
            if flag == "--preset" and value not in names[kind] and not PLACEHOLDER.fullmatch(value):
                yield f"{where}: {words[0]}: there is no preset {value}"
        for word in words[1:]:
            match = re.match(r"-D(TESSERA_\w+)", word)
            if match and match[1] not in options:
                yield f"{where}: there is no option {match[1]}"
