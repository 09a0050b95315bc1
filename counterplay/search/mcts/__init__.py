"""Monte Carlo tree search: the kernel, its nodes, leaves and variations, and the engine around them."""
