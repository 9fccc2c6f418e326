# SPDX-License-Identifier: Apache-2.0
"""Commands in blocks and code spans of pages, as lists of words."""

import re
import shlex

PROGRAM = re.compile(r"(build/[\w-]+/)?tessera")
LAUNCHERS = {"mpirun", "mpiexec", "srun"}
WRAPPERS = {"ncu", "nsys", "rocprofv3", "likwid-perfctr", "compute-sanitizer", *LAUNCHERS}
SEPARATORS = re.compile(r"[|&;<>]+")


def split(line):
    """The words of each command of a line; [] where it is no shell."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:
        return []
    commands = [[]]
    for word in words:
        if SEPARATORS.fullmatch(word):
            commands.append([])
        else:
            commands[-1].append(word)
    return [command for command in commands if command]


def commands_of(block):
    """Where, and the words of, each command of a block, its variables put in."""
    variables = {}
    name, _, first = block.where.rpartition(":")
    lines = re.sub(r"\\\n", lambda _: "  ", block.text)
    for number, line in enumerate(lines.splitlines()):
        for words in split(line):
            while words and (match := re.fullmatch(r"(\w+)=(.*)", words[0], re.DOTALL)):
                variables[match[1]] = match[2]
                words = words[1:] or shlex.split(match[2])
            whole = []
            for word in words:
                value = variables.get(word[1:]) if word.startswith("$") else None
                whole += [word] if value is None else shlex.split(value)
            yield f"{name}:{int(first) + number}", whole


def program_words(words):
    """What follows the program's name, also behind a profiler; None where it is not called."""
    for place, word in enumerate(words):
        if PROGRAM.fullmatch(word) and (place == 0 or words[0] in WRAPPERS):
            return words[place + 1 :]
    return None


def commands_in_spans(page):
    """Where, and the words of, each code span of a page, taken for a command."""
    for span in page.spans():
        for words in split(span.text):
            yield span.where, words


def commands_in_blocks(page):
    """Where, and the words of, each command in the blocks of a page."""
    for block in page.blocks():
        yield from commands_of(block)


def all_commands(pages):
    """Those of blocks and of code spans."""
    for page in pages:
        yield from commands_in_blocks(page)
        yield from commands_in_spans(page)


def options_among(words):
    """The words that are options, without values behind `=`."""
    return [word.split("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)]


def options_in(text):
    """The options that a help text, or a script, names."""
    return set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", text))
