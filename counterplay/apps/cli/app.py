"""All commands. Each reads its arguments, asks the library, and prints; what is heavy is imported when it is needed."""

# Each of these adds its commands; they are listed in this order.
from counterplay.apps.cli import looking, searching, solving, tabling, playing, competing, climbing  # noqa: F401, I001
from counterplay.apps.cli import training, serving, opening, checking  # noqa: F401
from counterplay.apps.cli.arguments import app

__all__ = ["app"]
