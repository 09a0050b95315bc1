"""The same work in both modes."""

from counterplay import native


def both_modes(work):
    """What `work` gives compiled, having checked that it gives the same interpreted."""
    with native.compiled():
        compiled = work()
    with native.interpreted():
        assert work() == compiled
    return compiled
