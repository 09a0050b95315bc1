"""The examination of somebody's file, in a process of its own that is ended if a rule never returns.

Nothing else can stop a rule that loops for ever, least of all a compiled one. The process notes which rule it is about
to ask, in memory that both see, and counts; if the count stands still for longer than anybody should wait, the rule
that is noted is the one to blame. Python's `faulthandler` says at which line it was.
"""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

from counterplay.study.check import Problem, Report, examine_text
from counterplay.study.check.mistakes import place_in_dump
from counterplay.study.check.modes import COMPILER

__all__ = ["PATIENCE", "examine_watched"]

PATIENCE = 20.0
"""Seconds that a rule may take to answer once."""
_TO_COMPILE = 30  # times that: compiling is slow, and is no rule
_POLL_SECONDS = 0.1
_NOTE_BYTES = 80


def examine_watched(text: str, playouts: int = 20, seed: int = 0, patience: float = PATIENCE) -> Report:
    """`examine_text`, whatever the file does: a rule that does not return, or ends the process, is a problem too."""
    spawn = multiprocessing.get_context("spawn")
    note, count = spawn.RawArray("c", _NOTE_BYTES), spawn.RawValue("q", 0)
    ours, theirs = spawn.Pipe(duplex=False)
    with tempfile.TemporaryDirectory() as folder:
        dump = Path(folder) / "dump"
        arguments = (text, playouts, seed, note, count, theirs, str(dump))
        process = spawn.Process(target=_examine, args=arguments, daemon=True)
        process.start()
        theirs.close()
        try:
            return _wait(text, process, ours, note, count, patience, dump)
        finally:  # at ctrl-C too
            process.kill()
            process.join()


def _wait(text: str, process: Any, ours: Any, note: Any, count: Any, patience: float, dump: Path) -> Report:
    """The report of the process, or what is wrong with a rule that keeps it from giving one."""
    seen, since = int(count.value), time.monotonic()
    while True:
        try:
            if ours.poll(_POLL_SECONDS):
                report: Report = ours.recv()
                return report
        except (EOFError, OSError):
            process.join()
            message = f"the process ended (status {process.exitcode}) while it asked {_rule(note)}"
            return Report(text, (Problem("no crash", message),))
        if count.value != seen:
            seen, since = int(count.value), time.monotonic()
        is_compiling = seen == 0 or _rule(note) == COMPILER
        if time.monotonic() - since > patience * (_TO_COMPILE if is_compiling else 1):
            message = f"{_rule(note)} did not return within {patience:g} seconds; does it loop for ever?"
            return Report(text, (Problem("rules return", message, _where(process, dump)),))


def _rule(note: Any) -> str:
    return str(note.value.decode("ascii", errors="replace")) or "the file"


def _where(process: Any, dump: Path) -> str | None:
    """The line of the user's file that the process is at, if it can say."""
    if not hasattr(signal, "SIGUSR1"):  # on Windows
        return None
    os.kill(process.pid, signal.SIGUSR1)
    time.sleep(5 * _POLL_SECONDS)
    return place_in_dump(dump.read_text(errors="replace")) if dump.exists() else None


def _examine(text: str, playouts: int, seed: int, note: Any, count: Any, answer: Any, dump: str) -> None:
    """In the other process: examine, and note every rule before it is asked."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who waits hears ctrl-C, and ends this process

    def told(rule: str) -> None:
        note.value = rule.encode("ascii", errors="replace")[: _NOTE_BYTES - 1]
        count.value += 1

    with open(dump, "w") as file:
        if hasattr(faulthandler, "register"):
            faulthandler.register(signal.SIGUSR1, file, all_threads=False)
        told("the file")
        answer.send(examine_text(text, playouts, seed, told=told))
