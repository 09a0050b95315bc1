"""The command line: `counterplay COMMAND`; the commands are in `app.py`."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]

_INTERRUPTED = 130
_LONGEST = 2_000
"""Characters of an error; it may have a whole file in it that was none."""


def main() -> None:
    """Run the command line. What the user can mend is one line on standard error and exit status 2."""
    from counterplay.apps.cli.app import app
    from counterplay.apps.cli.interrupting import heard_while_compiling
    from counterplay.core.game import UserError

    try:
        with heard_while_compiling():
            app()
    except SystemExit as exit:
        if exit.code == _INTERRUPTED:  # it was heard by typer, which says nothing
            _fail("interrupted", _INTERRUPTED)
        raise
    except UserError as error:
        _fail(str(error))
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        _fail("interrupted", _INTERRUPTED)
    except Exception as error:
        from counterplay.study.check.mistakes import place, reason

        where = place(error) or "; ".join(getattr(error, "__notes__", ()))
        if not where:  # not the doing of a user's file: a mistake of ours
            raise
        _fail(f"{where}: {reason(error)}")


def _fail(message: str, status: int = 2) -> None:
    from counterplay.core.texts import printable

    print(f"counterplay: {printable(' '.join(message.splitlines()), _LONGEST)}", file=sys.stderr)
    # Python notes a KeyboardInterrupt that left an `exec`, of which Numba has many, and dies of the signal at its end,
    # though we have caught it since. Running another text makes it forget.
    exec("")  # noqa: S102
    sys.exit(status)
