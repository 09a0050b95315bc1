"""How fast a game runs on this machine: minimax, perft and random playouts, compiled and interpreted."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from counterplay import native, search
from counterplay.game import Position

__all__ = ["measure"]


def measure(here: Position, seconds: float) -> list[dict[str, Any]]:
    """Rates for each kind of work; `interpreted` or `compiled` is None where it cannot be had."""
    return [
        {
            "what": what,
            "compiled": _rate(work, here, seconds, native.compiled),
            "interpreted": _rate(work, here, seconds, native.interpreted),
        }
        for what, work in (("minimax nodes", _minimax), ("perft nodes", _perft), ("playouts", _playouts))
    ]


def _rate(work: Any, here: Position, seconds: float, mode: Callable[[], Any]) -> float | None:
    """Amount of work a second: with a size that takes a while, unless the game is too small, until the time is used."""
    try:
        with mode():
            size, amount, spent = 1, work(here, 1), 0.0  # compiles, outside the clock
            while spent < seconds / 10:
                began = time.perf_counter()
                larger = work(here, size + 1)
                spent = time.perf_counter() - began
                if larger <= amount:
                    break
                size, amount = size + 1, larger
            began, done = time.perf_counter(), 0
            while (spent := time.perf_counter() - began) < seconds:
                done += work(here, size)
            return float(done / spent)
    except (native.CannotCompile, search.Unsuited):
        return None


def _minimax(here: Position, size: int) -> int:
    return search.minimax(here.game, here.state, size).nodes


def _perft(here: Position, size: int) -> int:
    return sum(search.perft(here.game, here.state, size))


def _playouts(here: Position, size: int) -> int:
    n = int(4**size)
    search.mean_utility(here.game, here.state, n, search.new_random(size))
    return n
