# SPDX-License-Identifier: Apache-2.0
"""Charts of rows and of comparisons, as functions; `draw` makes a Matplotlib figure of one.

    from tessera_tools import charts, comparison
    found = comparison.compare(["results/nvidia-h100"])
    charts.draw(charts.rooflines(found)[0]).savefig("roofline.svg")
"""

from .chart import Chart, Series
from .comparison import bars, cascades, heat_maps, navigation
from .matplotlib_figures import draw
from .rows import predictions, rooflines
from .tiles import tile_maps

__all__ = ["Chart", "Series", "bars", "cascades", "draw", "heat_maps", "navigation", "predictions",
           "rooflines", "tile_maps"]
