"""The peers: what each must have installed, how it is built, and its work by its own clock."""

from __future__ import annotations

import atexit
import ctypes
import functools
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

from measure import Mismatch, Missing, Work

HERE = Path(__file__).parent


# C++


@functools.cache
def _scratch() -> tempfile.TemporaryDirectory:
    """A folder for what is built; it goes with the process."""
    return tempfile.TemporaryDirectory(prefix="counterplay-")


@functools.cache
def build(source: str, *options: str) -> Path:
    """The program built of a file of this folder."""
    compiler = shutil.which("g++")
    if compiler is None:
        raise Missing("needs g++ (Debian: apt install g++)")
    program = Path(_scratch().name) / Path(source).with_suffix(".out")
    command = [compiler, "-O3", "-std=c++20", *options, str(HERE / source), "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{source} does not compile:\n{done.stderr}")
    return program


def twin(name: str, task: str, depth: int, times: int) -> Work:
    """`connect_four.cpp` or `kalah.cpp`: `task` is minimax or perft. Each round is a process with its clock inside."""

    def work() -> tuple[float, float]:
        program = build(f"{name}.cpp", "-march=native")
        done = subprocess.run([program, task, str(depth), str(times)], capture_output=True, text=True, check=True)
        report = json.loads(done.stdout)
        return report["nodes"], report["seconds"]

    return work


# Stockfish


def stockfish_perft(position: str, depth: int) -> Work:
    """`go perft`, in one process for all rounds; the time is from the command to its answer."""

    @functools.cache
    def engine() -> subprocess.Popen:
        program = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
        if program is None:
            raise Missing("needs Stockfish (Debian: apt install stockfish)")
        process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        atexit.register(process.kill)
        return process

    def work() -> tuple[float, float]:
        process = engine()
        process.stdin.write(f"position fen {position}\nisready\n")
        process.stdin.flush()
        while process.stdout.readline().strip() != "readyok":
            pass
        began = time.perf_counter()
        process.stdin.write(f"go perft {depth}\n")
        process.stdin.flush()
        while not (line := process.stdout.readline()).startswith("Nodes searched"):
            pass
        return int(line.split(":")[1]), time.perf_counter() - began

    return work


# OpenSpiel


@functools.cache
def open_spiel() -> Any:
    try:
        import pyspiel
    except ImportError:
        raise Missing("needs OpenSpiel (pip install 'counterplay[peers]')") from None
    return pyspiel


_SPIEL_NAMES = {"go": "go(board_size=9)", "backgammon": "backgammon(scoring_type=full_scoring)"}
"""By our name: the game of the same rules there."""


def open_spiel_rollouts(name: str, n: int) -> Work:
    """`n` random games in OpenSpiel's C++.

    Python may make a RandomRolloutEvaluator but not call it. A tree search of one simulation does: it evaluates the
    root, which is `n` rollouts from there, and the rest of it is some microseconds.
    """

    @functools.cache
    def bot_and_state() -> tuple[Any, Any]:
        spiel = open_spiel()
        game = spiel.load_game(_SPIEL_NAMES.get(name, name))
        evaluator = spiel.RandomRolloutEvaluator(n, 1)
        bot = spiel.MCTSBot(
            game, evaluator, uct_c=1.0, max_simulations=1, max_memory_mb=0, solve=False, seed=1, verbose=False
        )
        state = game.new_initial_state()
        if state.is_chance_node():  # at which MCTSBot crashes
            state.apply_action(state.legal_actions()[0])
        return bot, state

    def work() -> tuple[float, float]:
        bot, state = bot_and_state()
        began = time.perf_counter()
        root = bot.mcts_search(state)
        seconds = time.perf_counter() - began
        if root.explore_count != 1:
            raise Mismatch(f"OpenSpiel evaluated {root.explore_count} states, not the root alone")
        return n, seconds

    return work


SIMULATIONS = 10_000
"""Of one tree search. A slow peer is measured on fewer: its rate hardly depends on how many there are."""


def open_spiel_mcts(name: str, n: int) -> Work:
    """`n` simulations of OpenSpiel's C++ MCTSBot, a random rollout each, at most `SIMULATIONS` in a search."""

    @functools.cache
    def bot_and_state() -> tuple[Any, Any]:
        spiel = open_spiel()
        game = spiel.load_game(_SPIEL_NAMES.get(name, name))
        evaluator = spiel.RandomRolloutEvaluator(1, 1)
        most = min(n, SIMULATIONS)
        bot = spiel.MCTSBot(
            game, evaluator, uct_c=2.0, max_simulations=most, max_memory_mb=1000, solve=False, seed=1, verbose=False
        )
        state = game.new_initial_state()
        if state.is_chance_node():
            state.apply_action(state.legal_actions()[0])
        return bot, state

    def work() -> tuple[float, float]:
        bot, state = bot_and_state()
        done, began = 0, time.perf_counter()
        while done < n:
            done += bot.mcts_search(state).explore_count
        return done, time.perf_counter() - began

    return work


def open_spiel_minimax(name: str, depth: int, times: int) -> Work:
    """Our recursion, written in C++ over OpenSpiel's states: the same tree, the same algorithm, their rules."""

    def work() -> tuple[float, float]:
        done = _shim().minimax(name.encode(), depth, times, _can_undo(name))
        return done.count, done.seconds

    return work


def open_spiel_alpha_beta(name: str, depth: int, times: int) -> Work:
    """OpenSpiel's C++ AlphaBetaSearch.

    It tells no node count. Its Python version is the same algorithm with the same order of moves, so the nodes
    counted there are those here; that both estimate equally many states at the depth limit confirms it.
    """

    def work() -> tuple[float, float]:
        nodes, estimates = _nodes_of_alpha_beta(name, depth)
        done = _shim().alpha_beta(name.encode(), depth, times, _can_undo(name))
        if done.count != estimates * times:
            raise Mismatch(f"OpenSpiel's alpha-beta in C++ and in Python walk different trees of {name}")
        return nodes * times, done.seconds

    return work


def open_spiel_expectiminimax(name: str, depth: int, times: int) -> Work:
    """OpenSpiel's C++ ExpectiminimaxSearch after the first throw; counts the positions estimated, each as 0."""

    def work() -> tuple[float, float]:
        done = _shim().expectiminimax(_SPIEL_NAMES.get(name, name).encode(), depth, times, False)
        return done.count, done.seconds

    return work


def open_spiel_python(name: str, depth: int, times: int) -> Work:
    """OpenSpiel's Python alpha_beta_search over its C++ states: what a Python user calls."""

    def work() -> tuple[float, float]:
        game = open_spiel().load_game(name)
        nodes, _ = _nodes_of_alpha_beta(name, depth)
        from open_spiel.python.algorithms.minimax import alpha_beta_search

        began = time.perf_counter()
        for _ in range(times):
            alpha_beta_search(game, value_function=lambda _: 0.0, maximum_depth=depth)
        return nodes * times, time.perf_counter() - began

    return work


def must_be_nodes_of_alpha_beta(name: str, depth: int, nodes: int) -> None:
    """Raise if OpenSpiel's alpha-beta looks at another number of nodes; without OpenSpiel nothing is compared."""
    try:
        theirs, _ = _nodes_of_alpha_beta(name, depth)
    except Missing:
        return
    if nodes != theirs:
        raise Mismatch(f"alpha-beta on {name} to depth {depth}: we look at {nodes} nodes, OpenSpiel at {theirs}")


@functools.cache
def _nodes_of_alpha_beta(name: str, depth: int) -> tuple[int, int]:
    """(nodes, those of them estimated at the depth limit) of OpenSpiel's Python alpha-beta, outside any clock."""
    game = open_spiel().load_game(name)
    from open_spiel.python.algorithms import minimax

    search, nodes, estimates = minimax._alpha_beta, 0, 0

    def counted(*args: Any, **kwargs: Any) -> Any:
        nonlocal nodes
        nodes += 1
        return search(*args, **kwargs)

    def estimate(_: Any) -> float:
        nonlocal estimates
        estimates += 1
        return 0.0

    with patch.object(minimax, "_alpha_beta", counted):
        minimax.alpha_beta_search(game, value_function=estimate, maximum_depth=depth)
    return nodes, estimates


def _can_undo(name: str) -> bool:
    """Whether OpenSpiel's game takes moves back; asking one that cannot ends the process."""
    return name == "tic_tac_toe"


class _Outcome(ctypes.Structure):
    _fields_ = (("value", ctypes.c_double), ("seconds", ctypes.c_double), ("count", ctypes.c_int64))


@functools.cache
def _shim() -> ctypes.CDLL:
    """`open_spiel.cpp`, bound to the C++ inside the installed pyspiel, whose wheel brings the headers."""
    pyspiel = Path(open_spiel().__file__)
    root = pyspiel.parent
    if not (root / "open_spiel" / "spiel.h").exists():
        raise Missing("needs OpenSpiel with its C++ headers, as in the wheel (pip install 'counterplay[peers]')")
    headers = (root, root / "open_spiel" / "abseil-cpp", root / "open_spiel" / "json" / "include")
    library = build("open_spiel.cpp", "-shared", "-fPIC", "-w", *(f"-I{folder}" for folder in headers))
    try:
        ctypes.CDLL(str(pyspiel), ctypes.RTLD_GLOBAL)
        shim = ctypes.CDLL(str(library))
    except OSError as error:
        raise Missing(f"needs an OpenSpiel whose C++ functions can be called; here: {error}") from None
    for function in (shim.minimax, shim.alpha_beta, shim.expectiminimax):
        function.argtypes = (ctypes.c_char_p, ctypes.c_int, ctypes.c_int, ctypes.c_bool)
        function.restype = _Outcome
    return shim
