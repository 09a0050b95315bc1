"""Other processes that a test starts: how long it waits for them, and that they hear ctrl-C."""

import signal

WATCHDOG_SECONDS = 1800
"""Far longer than the slowest command takes on the busiest machine: it ends a hang, and no test depends on it."""


def hear_ctrl_c():
    """For `preexec_fn`. What a shell starts in the background ignores ctrl-C, and so does all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
