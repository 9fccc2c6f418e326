# SPDX-License-Identifier: Apache-2.0
"""One word for one thing (docs/glossary.md): words that it replaced do not come back, neither in a
page nor in code, decks and output."""

import re

from .pages import all_files

# The old word (also with an s behind it), and the glossary's.
OLD_WORDS = {
    "yardstick": "baseline",
    "survives": "supports",
    "mended": "refined",
    "card": "GPU, device or machine model",
    "oldest set": "in-place update, compressed grid",
    "is not to be had": "not enough, missing",
    "seed paper": "paper",
    "Origin::seed": "Origin::paper",
    "seed experiment": "the paper's experiment",
}
PATTERN = re.compile(rf"\b({'|'.join(map(re.escape, OLD_WORDS))})s?\b", re.IGNORECASE)
# Where words of a name meet: CardTerms, card_terms.
WITHIN_NAMES = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
WANTED = {old.lower(): wanted for old, wanted in OLD_WORDS.items()}

# What people write, in the folders of the tree; results keep the words that ran, inputs that once
# failed are what they are, and this list has to name the words.
ENDINGS = (".md", ".cpp", ".hpp", ".c", ".in", ".cmake", ".txt", ".py", ".sh", ".toml", ".json")
FOLDERS = re.compile(r"[^/]+$|(ci|cmake|docs|inputs|results|schemas|src|tests|tools|variants)/")
APART = re.compile(r"results/.*(?<!\.md)$|tests/docs/|tests/fuzz/corpus/")


def check_words(_pages, root, _tessera):
    """Each old word in a file, with the one that is wanted."""
    for name in sorted(all_files(root)):
        if not name.endswith(ENDINGS) or not FOLDERS.match(name) or APART.match(name):
            continue
        written = (root / name).read_text("utf-8")
        for text in (written, WITHIN_NAMES.sub(" ", written)):
            lower = text.lower()
            if not any(old in lower for old in WANTED):
                continue
            for found in PATTERN.finditer(text):
                line = text.count("\n", 0, found.start()) + 1
                yield f"{name}:{line}: \"{found[0]}\" is an old word: {WANTED[found[1].lower()]}"
