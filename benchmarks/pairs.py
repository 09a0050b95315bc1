"""The comparisons: one function each. To add one, write a function that returns a `Pair` and list it in `pairs`."""

from __future__ import annotations

import time

import peers
from measure import Pair, Work

from counterplay import games, search
from counterplay.search.minimax import value
from counterplay.search.perft import lines
from counterplay.search.run import new_tally


def pairs(quick: bool = False) -> list[Pair]:
    """Every comparison, in the order of the table. `quick` does next to nothing, to see that all of it runs.

    The amounts are such that one measurement takes some tenths of a second.
    """
    return [
        minimax_twin(depth=4 if quick else 8, times=1 if quick else 5),
        perft_twin(depth=4 if quick else 8, times=1 if quick else 8),
        playouts("tic_tac_toe", *((100, 100) if quick else (1_500_000, 100_000))),
        playouts("connect_four", *((100, 100) if quick else (400_000, 10_000))),
        minimax_states("tic_tac_toe", depth=9, times=1 if quick else 20),
        minimax_states("connect_four", depth=4 if quick else 7, times=1 if quick else 4),
        minimax_alpha_beta("tic_tac_toe", depth=9, ours=1 if quick else 50, theirs=1 if quick else 200),
        minimax_alpha_beta("connect_four", depth=4 if quick else 8, ours=1 if quick else 4, theirs=1 if quick else 60),
        minimax_python("tic_tac_toe", depth=9, ours=1 if quick else 50, theirs=1 if quick else 10),
        minimax_python("connect_four", depth=4 if quick else 8, ours=1 if quick else 4, theirs=1 if quick else 20),
        minimax_interpreted(depth=2 if quick else 5, ours=1 if quick else 1000),
        playouts_interpreted(*((10, 1) if quick else (400_000, 200))),
    ]


# Ours


def our_minimax(name: str, depth: int, times: int = 1, interpreted: bool = False) -> Work:
    """The kernel itself, from the initial state: `search.minimax` does more (each action's value, the line)."""
    game = games.load(name)
    kernel = value.interpreted if interpreted else value.compiled

    def work() -> tuple[float, float]:
        s, tally = game.initial(), new_tally(depth)
        began = time.perf_counter()
        for _ in range(times):
            kernel(game, s, depth, tally)
        return int(tally.nodes), time.perf_counter() - began

    return work


def our_perft(name: str, depth: int, times: int) -> Work:
    game = games.load(name)

    def work() -> tuple[float, float]:
        s, tally, n = game.initial(), new_tally(), 0
        began = time.perf_counter()
        for _ in range(times):
            n += lines.compiled(game, s, depth, tally)
        return int(n), time.perf_counter() - began

    return work


def our_playouts(name: str, n: int, interpreted: bool = False) -> Work:
    game = games.load(name)
    kernel = search.mean_utility.interpreted if interpreted else search.mean_utility.compiled

    def work() -> tuple[float, float]:
        s, random = game.initial(), search.new_random(1)
        began = time.perf_counter()
        kernel(game, s, n, random)
        return n, time.perf_counter() - began

    return work


# The comparisons


def minimax_twin(depth: int, times: int) -> Pair:
    return Pair(
        "minimax-connect_four-twin",
        "nodes",
        "the same in C++",
        our_minimax("connect_four", depth, times),
        peers.twin("minimax", depth, times),
        target=0.7,
        same_amount=True,
    )


def perft_twin(depth: int, times: int) -> Pair:
    return Pair(
        "perft-connect_four-twin",
        "lines",
        "the same in C++",
        our_perft("connect_four", depth, times),
        peers.twin("perft", depth, times),
        same_amount=True,
    )


def playouts(name: str, ours: int, theirs: int) -> Pair:
    return Pair(
        f"playouts-{name}-openspiel",
        "games",
        "OpenSpiel's C++ rollouts",
        our_playouts(name, ours),
        peers.open_spiel_rollouts(name, theirs),
        target=10,
    )


def minimax_states(name: str, depth: int, times: int) -> Pair:
    return Pair(
        f"minimax-{name}-openspiel",
        "nodes",
        "the same in C++ over OpenSpiel's states",
        our_minimax(name, depth, times),
        peers.open_spiel_minimax(name, depth, times),
        same_amount=True,
    )


def minimax_alpha_beta(name: str, depth: int, ours: int, theirs: int) -> Pair:
    return Pair(
        f"minimax-{name}-alpha_beta",
        "nodes",
        "OpenSpiel's C++ alpha-beta, another tree",
        our_minimax(name, depth, ours),
        peers.open_spiel_alpha_beta(name, depth, theirs),
    )


def minimax_python(name: str, depth: int, ours: int, theirs: int) -> Pair:
    return Pair(
        f"minimax-{name}-python",
        "nodes",
        "OpenSpiel's Python alpha-beta, another tree",
        our_minimax(name, depth, ours),
        peers.open_spiel_python(name, depth, theirs),
    )


def minimax_interpreted(depth: int, ours: int) -> Pair:
    return Pair(
        "minimax-connect_four-interpreted",
        "nodes",
        "ours as plain Python",
        our_minimax("connect_four", depth, ours),
        our_minimax("connect_four", depth, interpreted=True),
    )


def playouts_interpreted(ours: int, theirs: int) -> Pair:
    return Pair(
        "playouts-connect_four-interpreted",
        "games",
        "ours as plain Python",
        our_playouts("connect_four", ours),
        our_playouts("connect_four", theirs, interpreted=True),
    )
