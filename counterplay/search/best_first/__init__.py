"""Unbounded best-first minimax: the kernel, and the engine around it."""
