"""Our games as other libraries want them, each in a file of its own that needs that library: Gymnasium, PettingZoo,
OpenSpiel. Their games as ours: `games.load("openspiel:hex")`.
"""
