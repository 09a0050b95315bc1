"""Talking to an engine: in this process, line by line, or in another."""

import re
import subprocess
import sys

from counterplay import games
from counterplay.apps.protocols import protocol_for
from counterplay.apps.protocols.dispatcher import Dispatcher
from counterplay.apps.protocols.lines import Line
from counterplay.search import Limits
from tests.processes import WATCHDOG_SECONDS


def new_dispatcher(game, said, protocol=None):
    loaded = games.load(game)
    dispatcher = Dispatcher(loaded, protocol_for(loaded, protocol), said.append)
    dispatcher.protocol.begins_warm = False  # what is compiled is compiled by the first search
    dispatcher.thinker.usual = Limits(nodes=300)
    return dispatcher


def talk(game, *lines, protocol=None):
    """All that an engine says to these lines, after which the input ends."""
    said = []
    dispatcher = new_dispatcher(game, said, protocol)
    for line in lines:
        dispatcher.hear(Line(line))
    dispatcher.hear(None)
    dispatcher.serve()
    return "\n".join(said).split("\n") if said else []


def timeless(line):
    """A line of an answer without what differs from run to run."""
    line = re.sub(r"\b(nps|time) \d+", r"\1 *", line)
    line = re.sub(r"^(nodestats \d+) [\d.]+", r"\1 *", line)
    return re.sub(r"^(=== \S+? ?-?[\d.]*?)([ /])[\d.]+$", r"\1\2*", line)


def engine_process(*arguments):
    """An engine as a GUI starts it."""
    return subprocess.Popen(
        [sys.executable, "-m", "counterplay", "engine", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def run_engine(text, *arguments):
    """Exit status, output and errors of an engine that gets `text`, bytes, and then the end of the input."""
    with engine_process(*arguments) as process:
        out, err = process.communicate(text, timeout=WATCHDOG_SECONDS)
    return process.returncode, out.decode(), err.decode()
