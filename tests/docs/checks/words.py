# SPDX-License-Identifier: Apache-2.0
"""One word for one thing (docs/glossary.md): words that it replaced do not come back."""

import re

# The old word, and the glossary's.
OLD_WORDS = {
    "yardstick": "baseline",
    "forget_origin": "opaque value",
    "lifted row": "transposed layout",
    "TileEdges": "halo exchange between tiles",
    "RowSums": "register block",
    "WarpSums": "partial sums",
    "ColumnKernel": "the strategy's name",
    "RowsKernel": "the strategy's name",
    "WarpKernel": "the strategy's name",
}


def check_words(pages, _root, _tessera):
    """Each old word in a page, with the one that is wanted."""
    for page in pages:
        for number, line in enumerate(page.text.split("\n"), 1):
            for old, wanted in OLD_WORDS.items():
                if re.search(rf"\b{re.escape(old)}s?\b", line, re.IGNORECASE):
                    yield f"{page.name}:{number}: \"{old}\" is an old word: {wanted}"
