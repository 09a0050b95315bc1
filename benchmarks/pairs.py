"""The comparisons: one function each. To add one, write a function that returns a `Pair` and list it in `pairs`."""

from __future__ import annotations

import time
from math import inf
from typing import Any

import peers
from measure import Pair, Work

from counterplay import CHANCE, Game, games, native, search
from counterplay.search.alphabeta.kernel import value as alphabeta_value
from counterplay.search.alphabeta.workspace import REFINEMENTS, new_workspace
from counterplay.search.perft import lines
from counterplay.search.plain.minimax import value
from counterplay.search.playout import total_utility
from counterplay.search.run import new_tally

STARTPOS = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def pairs(quick: bool = False) -> list[Pair]:
    """Every comparison, in the order of the table. `quick` does next to nothing, to see that all of it runs.

    The amounts are such that one measurement takes some tenths of a second.
    """
    return [
        minimax_twin("connect_four", depth=4 if quick else 8, times=1 if quick else 5, target=0.7),
        minimax_twin("kalah", depth=4 if quick else 9, times=1 if quick else 5, target=0.8),
        perft_twin(depth=4 if quick else 8, times=1 if quick else 8),
        playouts("tic_tac_toe", *((100, 100) if quick else (1_500_000, 100_000))),
        playouts("connect_four", *((100, 100) if quick else (400_000, 10_000))),
        playouts("chess", *((10, 2) if quick else (10_000, 100)), target=30),
        playouts("checkers", *((10, 2) if quick else (100_000, 800)), target=30),
        playouts("othello", *((10, 2) if quick else (60_000, 600)), target=30),
        playouts("go", *((10, 2) if quick else (40_000, 1_500)), target=10),
        playouts("breakthrough", *((10, 2) if quick else (100_000, 4_000)), target=10),
        playouts("backgammon", *((10, 2) if quick else (8_000, 150)), target=20),
        perft_stockfish("start", STARTPOS, depth=3 if quick else 6),
        perft_stockfish("kiwipete", KIWIPETE, depth=3 if quick else 5),
        tree_search("tic_tac_toe", *((1, 10) if quick else (60, 100_000)), target=3),
        tree_search("connect_four", *((1, 10) if quick else (20, 10_000)), target=8),
        tree_search("othello", *((1, 2) if quick else (10, 600)), target=30),
        tree_search("checkers", *((1, 2) if quick else (10, 1_000)), target=30),
        tree_search("chess", *((1, 2) if quick else (1, 100)), target=30),
        tree_search("backgammon", *((1, 2) if quick else (1, 150)), target=20),
        tree_search("go", *((1, 2) if quick else (3, 1_500)), target=10),
        tree_search("breakthrough", *((1, 2) if quick else (5, 4_000)), target=10),
        minimax_states("tic_tac_toe", depth=9, times=1 if quick else 20),
        minimax_states("connect_four", depth=4 if quick else 7, times=1 if quick else 4),
        alphabeta_cpp("tic_tac_toe", depth=9, ours=1 if quick else 500, theirs=1 if quick else 200),
        alphabeta_cpp("connect_four", depth=4 if quick else 10, ours=1 if quick else 60, theirs=1 if quick else 6),
        alphabeta_python("tic_tac_toe", depth=9, ours=1 if quick else 500, theirs=1 if quick else 10),
        alphabeta_python("connect_four", depth=4 if quick else 10, ours=1 if quick else 60, theirs=1),
        expectiminimax("backgammon", depth=1 if quick else 3, ours=1 if quick else 40, theirs=1),
        alphabeta_threads("444", depth=8 if quick else 23),
        minimax_interpreted(depth=2 if quick else 5, ours=1 if quick else 1000),
        playouts_interpreted("connect_four", *((10, 1) if quick else (400_000, 200))),
        playouts_interpreted("pacman", *((10, 1) if quick else (40_000, 20))),
        alphabeta_interpreted("connect_four", depth=4 if quick else 6, times=1 if quick else 200),
        alphabeta_interpreted("chess", depth=1 if quick else 3, times=1 if quick else 100),
        alphabeta_interpreted("checkers", depth=2 if quick else 5, times=1 if quick else 100),
        alphabeta_interpreted("othello", depth=2 if quick else 4, times=1 if quick else 100),
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


def our_expectiminimax(name: str, depth: int, times: int) -> Work:
    """Every line to the depth, without pruning, after the first throw; counts the positions estimated, each as 0."""
    rules = type(games.load(name))
    game = type(rules.__name__, (rules,), {"evaluate": _nothing})()

    def work() -> tuple[float, float]:
        s, tally = _after_dice(game), new_tally(depth)
        began = time.perf_counter()
        for _ in range(times):
            value.compiled(game, s, depth, tally)
        return int(tally.cutoffs), time.perf_counter() - began

    return work


def our_alphabeta(name: str, depth: int, times: int) -> Work:
    """The textbook's alpha-beta: every refinement off, the same tree as OpenSpiel's, which is checked."""
    game = games.load(name)

    def work() -> tuple[float, float]:
        s, w = game.initial(), new_workspace(game, None, frozenset(REFINEMENTS))
        began = time.perf_counter()
        for _ in range(times):
            alphabeta_value.compiled(game, s, -inf, inf, depth, 0, w)
        seconds = time.perf_counter() - began
        peers.must_be_nodes_of_alpha_beta(name, depth, int(w.nodes) // times)
        return int(w.nodes), seconds

    return work


def our_search(name: str, position: str, depth: int, threads: int) -> Work:
    """A whole search to a fixed depth, all refinements on, with an empty table each time."""
    game = games.load(name)
    s = game.from_text(position)

    def work() -> tuple[float, float]:
        result = search.alphabeta(game, s, depth, threads=threads, table_mb=64)
        return 1, result.seconds

    return work


def our_whole_search(name: str, depth: int, times: int, interpreted: bool = False) -> Work:
    game = games.load(name)

    def work() -> tuple[float, float]:
        nodes, seconds = 0, 0.0
        with native.interpreted() if interpreted else native.compiled():
            for _ in range(times):
                result = search.alphabeta(game, depth=depth, table_mb=1)
                nodes, seconds = nodes + result.nodes, seconds + result.seconds
        return nodes, seconds

    return work


def our_perft(name: str, depth: int, times: int, position: str | None = None) -> Work:
    game = games.load(name)

    def work() -> tuple[float, float]:
        s = game.initial() if position is None else game.from_text(position)
        tally, n = new_tally(), 0
        began = time.perf_counter()
        for _ in range(times):
            n += lines.compiled(game, s, depth, tally)
        return int(n), time.perf_counter() - began

    return work


def our_playouts(name: str, n: int, interpreted: bool = False) -> Work:
    game = games.load(name)
    kernel = total_utility.interpreted if interpreted else total_utility.compiled

    def work() -> tuple[float, float]:
        s, random = game.initial(), search.new_random(1)
        began = time.perf_counter()
        kernel(game, s, n, random, new_tally())
        return n, time.perf_counter() - began

    return work


def our_tree_search(name: str, times: int) -> Work:
    """Searches of `peers.SIMULATIONS` each, from the start or after the first throw of dice, each with an empty tree.

    As the peer's bot is kept from round to round, so is our engine with its memory.
    """
    game = games.load(name)
    engine = search.MonteCarlo(game, exploration=2.0)

    def work() -> tuple[float, float]:
        s, seconds = _after_dice(game), 0.0
        for _ in range(times):
            engine.new_game()
            seconds += engine.search(s, search.Limits(simulations=peers.SIMULATIONS)).seconds
        return times * peers.SIMULATIONS, seconds

    return work


def _nothing(self: Any, s: Any, p: int) -> float:
    """The estimate that costs nothing, so that it is the search and the rules that are compared."""
    return 0.0


def _after_dice(game: Game) -> Any:
    """The initial state, or what the first throw makes of it."""
    s = game.initial()
    return game.result(s, next(iter(game.actions(s)))) if game.player(s) == CHANCE else s


# The comparisons


def minimax_twin(name: str, depth: int, times: int, target: float) -> Pair:
    return Pair(
        f"minimax-{name}-twin",
        "nodes",
        "the same in C++",
        our_minimax(name, depth, times),
        peers.twin(name, "minimax", depth, times),
        target=target,
        same_amount=True,
    )


def perft_twin(depth: int, times: int) -> Pair:
    return Pair(
        "perft-connect_four-twin",
        "lines",
        "the same in C++",
        our_perft("connect_four", depth, times),
        peers.twin("connect_four", "perft", depth, times),
        same_amount=True,
    )


def playouts(name: str, ours: int, theirs: int, target: float = 10) -> Pair:
    return Pair(
        f"playouts-{name}-openspiel",
        "games",
        "OpenSpiel's C++ rollouts",
        our_playouts(name, ours),
        peers.open_spiel_rollouts(name, theirs),
        target=target,
    )


def perft_stockfish(name: str, position: str, depth: int) -> Pair:
    return Pair(
        f"perft-chess-{name}-stockfish",
        "lines",
        "Stockfish's perft",
        our_perft("chess", depth, 1, position),
        peers.stockfish_perft(position, depth),
        target=1,
        same_amount=True,
    )


def tree_search(name: str, ours: int, theirs: int, target: float) -> Pair:
    """`ours` searches of 10,000 simulations; `theirs` simulations, up to 10,000 a search."""
    return Pair(
        f"mcts-{name}-openspiel",
        "simulations",
        "OpenSpiel's C++ MCTSBot",
        our_tree_search(name, ours),
        peers.open_spiel_mcts(name, theirs),
        target=target,
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


def alphabeta_cpp(name: str, depth: int, ours: int, theirs: int) -> Pair:
    return Pair(
        f"alphabeta-{name}-openspiel",
        "nodes",
        "OpenSpiel's C++ alpha-beta",
        our_alphabeta(name, depth, ours),
        peers.open_spiel_alpha_beta(name, depth, theirs),
    )


def alphabeta_python(name: str, depth: int, ours: int, theirs: int) -> Pair:
    return Pair(
        f"alphabeta-{name}-python",
        "nodes",
        "OpenSpiel's Python alpha-beta",
        our_alphabeta(name, depth, ours),
        peers.open_spiel_python(name, depth, theirs),
        target=40 if name == "connect_four" else None,
    )


def expectiminimax(name: str, depth: int, ours: int, theirs: int) -> Pair:
    """Move, throw, reply: `depth` is ours, in which a throw is a ply."""
    return Pair(
        f"expectiminimax-{name}-openspiel",
        "positions",
        "OpenSpiel's C++ expectiminimax",
        our_expectiminimax(name, depth, ours),
        peers.open_spiel_expectiminimax(name, (depth + 1) // 2, theirs),
    )


def alphabeta_threads(position: str, depth: int) -> Pair:
    return Pair(
        "alphabeta-connect_four-threads",
        "searches",
        "the same with one thread, not two",
        our_search("connect_four", position, depth, threads=2),
        our_search("connect_four", position, depth, threads=1),
        target=1 / 0.65,
    )


def minimax_interpreted(depth: int, ours: int) -> Pair:
    return Pair(
        "minimax-connect_four-interpreted",
        "nodes",
        "ours as plain Python",
        our_minimax("connect_four", depth, ours),
        our_minimax("connect_four", depth, interpreted=True),
    )


def playouts_interpreted(name: str, ours: int, theirs: int) -> Pair:
    return Pair(
        f"playouts-{name}-interpreted",
        "games",
        "ours as plain Python",
        our_playouts(name, ours),
        our_playouts(name, theirs, interpreted=True),
    )


def alphabeta_interpreted(name: str, depth: int, times: int) -> Pair:
    """Alpha-beta with all refinements to a fixed depth: nodes a second, against the same source interpreted."""
    return Pair(
        f"alphabeta-{name}-interpreted",
        "nodes",
        "ours as plain Python",
        our_whole_search(name, depth, times),
        our_whole_search(name, depth, 1, interpreted=True),
    )
