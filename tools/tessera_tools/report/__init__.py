# SPDX-License-Identifier: Apache-2.0
"""The report of a study: what is read (study), said (summary), drawn (charts) and written (page,
svg)."""
