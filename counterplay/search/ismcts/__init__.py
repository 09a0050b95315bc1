"""Searches for games with something hidden, which imagine it: the kernel, what may be hidden, and the engines."""
