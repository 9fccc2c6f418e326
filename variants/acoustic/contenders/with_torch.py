# SPDX-License-Identifier: Apache-2.0
"""PyTorch: slices, as they are and compiled."""

import torch

from . import contender, slices

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def wait(_):
    if DEVICE == "cuda":
        torch.cuda.synchronize()


CONTENDERS = {name: contender(update, lambda array: torch.from_numpy(array).to(DEVICE),
                              wait, lambda array: array.cpu().numpy())
              for name, update in (("torch, eager", slices),
                                   ("torch.compile", torch.compile(slices)))}
