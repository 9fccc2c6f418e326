# SPDX-License-Identifier: Apache-2.0
"""What the programs in tools/ stand on: result files, the program, plots, one way to fail."""
