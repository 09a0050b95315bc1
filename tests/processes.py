"""Other processes that a test starts: how long it waits for them, and that they hear ctrl-C."""

import signal

WATCHDOG_SECONDS = 500
"""Far longer than the slowest command takes on the busiest machine: it ends a hang, and no test depends on it.

Shorter than the timeout of a whole test, which ends the process and with it all that could be said of the cause."""


def hear_ctrl_c():
    """For `preexec_fn`. What a shell starts in the background ignores ctrl-C, and so does all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
