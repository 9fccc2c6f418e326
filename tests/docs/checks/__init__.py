# SPDX-License-Identifier: Apache-2.0
"""What the docs promise, held against the tree and the program."""
