"""Solving a game whose end is in sight: a kernel without estimates, its memory, and when to try it."""
