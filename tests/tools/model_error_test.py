# SPDX-License-Identifier: Apache-2.0
"""tools/model_error.py: its table stands in docs/model.md, and it can fail."""

from common import ROOT, TESSERA, call, check, check_error, finish

from tessera_tools import model_errors, published_errors


def tool(*arguments):
    return call(ROOT / "tools/model_error.py", "--tessera", TESSERA, *arguments)


def test_arithmetic():
    from pandas import Series
    rank = model_errors.spearman
    one = Series([1, 2, 3, 4])
    check(rank(one, 10 * one) == 1 and rank(one, -one) == -1, "same order, opposite order")
    # One pair swapped: 1 - 6 (1 + 1) / (4 (16 - 1)).
    check(abs(rank(one, Series([1, 3, 2, 4])) - 0.8) < 1e-12, "one pair swapped")
    check(abs(published_errors.mean_error([0.5, 1.5, 1.0]) - 1 / 3) < 1e-12, "mean error")


def rows(*seconds, **more):
    """Rows of one file: predicted and measured seconds."""
    return [{"file": "f", "name": f"low_order/a:{at}", "family": "low_order", "stencil": "7pt",
             "decomposition": "", "precision": "double", "cells": 1, "predicted_s": predicted,
             "measured_s": measured, "binding": "GM", "fitted": at % 2 == 0, "vectorised": True,
             **more} for at, (predicted, measured) in enumerate(seconds)]


def test_families():
    some = rows((1.1, 1), (1.5, 2), (0.9, 1), (4, 4))
    some[0] |= {"counted_bytes": 10, "predicted_bytes": 12}
    some += rows((3, 1), vectorised=False)
    family, = model_errors.by_family(model_errors.frame(some), 1)
    for key, expected in (("fitted", 0.1), ("judged", 0.125), ("volume", 0.2), ("scalar", 2)):
        check(abs(family[key] - expected) < 1e-12, f"{key}: {family[key]}")
    check((family["fitted_rows"], family["counted_rows"], family["scalar_rows"]) == (2, 1, 1), "rows")
    check(family["worst"][0]["name"] == "low_order/a:0 7pt double" and
          family["worst"][0]["predicted_over_measured"] == 3, f"worst: {family['worst']}")


def test_prune():
    """The second is predicted best, the third is; a group of one row is none."""
    table = model_errors.frame(rows((2, 1.5), (1, 1.1), (1.4, 1)) + rows((1, 1), stencil="19pt"))
    narrow, wide = (model_errors.pruned(table, factor) for factor in (1.2, 1.5))
    check((narrow["groups"], narrow["same_winner"], narrow["kept"], narrow["rows"]) == (1, 0, 1, 3) and
          abs(narrow["worst_loss"] - 0.1) < 1e-12, f"within 1.2: {narrow}")
    check((wide["same_winner"], wide["kept"], wide["worst_loss"]) == (1, 2, 0), f"within 1.5: {wide}")


def test_the_table_of_the_docs():
    asked = tool("--published")
    check(asked.returncode == 0, asked.stderr)
    check(asked.stdout.strip() in (ROOT / "docs" / "model.md").read_text("utf-8"),
          "docs/model.md has another table than tools/model_error.py prints:\n" + asked.stdout)


def test_bad_input():
    for arguments, part in ((("--published", "H100"), "no column of H100"), (("--published", "V101"), "V101"),
                            (("results/nvidia-h100", "--prune", "0.5"), "--prune"), ((), "is required")):
        check_error(tool(*arguments), part, part)


test_arithmetic()
test_families()
test_prune()
test_the_table_of_the_docs()
test_bad_input()
finish()
