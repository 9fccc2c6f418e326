# SPDX-License-Identifier: Apache-2.0
"""Changed copies of the files that tools read: bytes, words, and structure that is still sound."""

import copy
import json
import random

WORDS = ("nan", "inf", "-1", "1e400", "9999999999999999999999", "null", "true", '""', "[]", "{}",
         ",", "\n", "\t", "-", "0", "\\u0000", "ä")
VALUES = (None, True, "", "nan", [], {}, -1, 0, 1e308, 5e-324, 10**30, 0.5, "x" * 400, [[[]]],
          "a\nb", {"median": "1"}, {"median": None})


def at(content, path):
    for key in path:
        content = content[key]
    return content


class Mutator:
    """The same seed makes the same copies."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def some_place(self, content):
        """Of shallow files any value; of rows one of a row that is drawn first."""
        path = ()
        while self.random.random() < 0.8:
            here = at(content, path)
            if isinstance(here, dict) and here:
                path += (self.random.choice(list(here)),)
            elif isinstance(here, list) and here:
                path += (self.random.randrange(len(here)),)
            else:
                break
        return path

    def structure(self, text, other):
        """JSON with a value changed, removed, doubled, or another file's."""
        try:
            content, donor = json.loads(text), json.loads(other)
        except ValueError:
            return self.noise(text)
        for _ in range(self.random.randint(1, 3)):
            content = self.change(content, donor)
        return json.dumps(content)

    def change(self, content, donor):
        path = self.some_place(content)
        if not path:
            return self.random.choice((donor, [content], self.random.choice(VALUES), content))
        holder, key = at(content, path[:-1]), path[-1]
        kind = self.random.randrange(5)
        if kind == 0:
            del holder[key]
        elif kind == 1:
            holder[key] = copy.deepcopy(at(donor, self.some_place(donor)))
        elif kind == 2 and isinstance(donor, dict) and path[0] in donor:  # another file's section
            content[path[0]] = copy.deepcopy(donor[path[0]])
        elif kind == 3:
            holder[key] = self.random.choice(([holder[key]] * 2, {"value": holder[key]}))
        else:
            holder[key] = copy.deepcopy(self.random.choice(VALUES))
        return content

    def table(self, text, other):
        """CSV with cells, lines and columns changed, or another table's."""
        rows = [line.split(",") for line in text.splitlines()]
        for _ in range(self.random.randint(1, 4)):
            row, kind = self.random.randrange(len(rows)), self.random.randrange(5)
            if kind == 0 and len(rows) > 1:
                del rows[row]
            elif kind == 1:
                rows.append(self.random.choice(other.splitlines() or [""]).split(","))
            elif kind == 2:
                rows[0], rows[row] = rows[row], rows[0]
            elif rows[row]:
                rows[row][self.random.randrange(len(rows[row]))] = self.random.choice(WORDS)
        return "\n".join(",".join(row) for row in rows) + "\n"

    def noise(self, text):
        """Bytes: cut, removed, doubled, words put in."""
        place = self.random.randrange(len(text) + 1)
        piece = text[place:place + self.random.randint(1, 40)]
        return self.random.choice((text[:place], text[:place] + text[place + len(piece):],
                                   text[:place] + piece + text[place:],
                                   text[:place] + self.random.choice(WORDS) + text[place:]))

    def __call__(self, text, other, ending):
        if self.random.random() < 0.15:
            return self.noise(text)
        if ending == ".json":
            return self.structure(text, other)
        return self.table(text, other) if ending == ".csv" else self.noise(text)
