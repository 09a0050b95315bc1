"""What each refinement of alpha-beta is worth in chess: a match of the whole search against the one without it.

    python benchmarks/refinements.py                              # all of them, about an hour
    python benchmarks/refinements.py null_move killers --games 400 --nodes 4000
    python benchmarks/refinements.py --set late_moves=5,safe_margin=0.8 --set reduce_base=0.4    # other numbers instead
    python benchmarks/refinements.py --model shipped --together --games 2000 --set late_moves=5 --set safe_margin=0.8
    python benchmarks/refinements.py --record refinements.jsonl   # goes on after an interruption, prints what is there

Each row: a match at fixed nodes, every random opening with both colours, points of the whole search (with `--set`: of
the one with other numbers) with the difference in Elo and its 95% error, which is that of the pairs; then, with it and
without it, how many problems of `tactics.txt` are solved in 50,000 nodes, and the nodes to depth 8 in the positions of
`quiet.txt`, their geometric mean (a search is given up at a million). Both sides have to agree that a game is decided:
it is won at three pawns in four plies on end, and drawn at a fifth of a pawn in eight, from ply 40 on.

With `--together` all sets of numbers are measured in the same games: for each pair of games either side gets each of
them or not, by lot, and what each is worth is found by linear regression. So 2,000 games tell of each set about what a
match of 1,000 would tell of one, if they do not much depend on each other.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from tactics import FOLDER, chess, problems

from counterplay.core.primitives import store
from counterplay.native import native
from counterplay.search.alphabeta.pruning import set_numbers
from counterplay.search.alphabeta.root import begin, look
from counterplay.search.alphabeta.workspace import ANSWERS, KINDS, PLANS, PLIES, new_workspace, useful_refinements
from counterplay.search.table import NO_ACTION, UNPROVEN, TranspositionTable

OPENING, EVEN = 8, 0.05  # random plies, and what they may be worth to either side by a search of as many nodes
WON, WON_PLIES = 3 / 13, 4
DRAWN, DRAWN_PLIES, DRAWN_FROM = 0.02, 8, 40
LONGEST, DEEPEST = 200, PLIES // 2
TABLE_MB = 4
LORE = PLANS + KINDS * KINDS  # what is learned of the order of moves
TACTICS_NODES, DEPTH, MOST_NODES = 50_000, 8, 1_000_000


class Found(NamedTuple):
    """What a search found: the move, its value for White, and what it took."""

    action: int
    value: float
    nodes: int


@native
def run(game, s, white, black, nodes, depth, is_game):
    """Play on from `s` to the end, for White's points; or only think about a move."""
    if is_game:
        return Found(0, play(game, s, white, black, nodes), 0)
    forget(game, s, white)
    return think(game, s, white, nodes, depth)


def play(game, s, white, black, nodes):
    """What a game brings White: 1, 0.5 or 0."""
    forget(game, s, white)
    forget(game, s, black)
    won = drawn = 0
    for ply in range(LONGEST):
        found = think(game, s, white, nodes, DEEPEST) if s.turn == 0 else think(game, s, black, nodes, DEEPEST)
        v = found.value
        won = (won + 1 if v > 0 else won - 1) if abs(v) >= WON and won * v >= 0 else 0
        drawn = drawn + 1 if abs(v) <= DRAWN else 0
        if abs(won) >= WON_PLIES:
            return 1.0 if won > 0 else 0.0
        if drawn >= DRAWN_PLIES and ply >= DRAWN_FROM:
            return 0.5
        s = game.result(s, found.action)
        if game.is_terminal(s):
            return 0.5 + 0.5 * game.utility(s, 0)
        go_on(game, s, white)
        if go_on(game, s, black) == 3:
            return 0.5
    return 0.5


def forget(game, s, w):
    """A new game begins at `s`."""
    w.past, w.path[0] = 0, game.key(s)
    for i in range(LORE):
        w.lore[i] = 0
    for i in range(KINDS):
        w.counters[i] = NO_ACTION
    for i in range(PLIES):
        w.killers[i, 0] = w.killers[i, 1] = NO_ACTION
    for i in range(4 * (w.mask + 2) if w.table_at else 0):
        store(w.table_at, i, 0)


def go_on(game, s, w):
    """The game has come to `s`: how often it has been there."""
    w.past = 0 if game.reversible(s) == 0 else w.past + 1
    w.path[w.past] = game.key(s)
    seen = 0
    for i in range(w.past + 1):
        seen += 1 if w.path[i] == w.path[w.past] else 0
    return seen


def think(game, s, w, nodes, depth):
    """Search as `AlphaBeta` does, without coming back to Python."""
    w.nodes, w.most_nodes, w.stop, w.multi, w.asked = 0, nodes, 0, 1, 0
    w.age = (w.age + 1) & 4095
    for i in range(ANSWERS):
        w.lore[i] >>= 1
    begin(game, s, w)
    w.least, w.most = game.utility_range  # those of chess, for either side
    a, v = w.action[w.order[0]], 0.0
    for steps in range(1, depth + 1):
        look(game, s, None, steps, w)
        if w.is_finished or w.is_better or steps == 1:
            a, v = w.action[w.best], w.found
        if w.stop or w.root_within != UNPROVEN:
            break
    return Found(int(a), v if s.turn == 0 else -v, int(w.nodes))


class Side:
    """The memory of a player, with refinements left out, or with other numbers."""

    exams: ClassVar[dict[str, tuple[int, float]]] = {}
    """What was found of a side by itself, which needs no second look."""

    def __init__(self, game: Any, without: list[str], numbers: dict[str, float]) -> None:
        self.game, self.name = game, f"{without} {numbers}"
        self.table = TranspositionTable(TABLE_MB)
        self.w = new_workspace(game, None if "table" in without else self.table, frozenset(without))
        set_numbers(self.w, numbers)

    def search(self, s: Any, nodes: int, depth: int = DEEPEST) -> Found:
        return Found(*run(self.game, s, self.w, self.w, nodes, depth, False))

    def points(self, s: Any, other: Side, nodes: int) -> float:
        """Of a game as White."""
        return float(run(self.game, s, self.w, other.w, nodes, DEEPEST, True)[1])


def openings(game: Any, judge: Side, nodes: int, seed: int) -> Iterator[Any]:
    """Positions after random moves in which nobody is ahead, always the same ones."""
    rng = random.Random(seed)
    while True:
        s = game.initial()
        for _ in range(OPENING):
            if choices := list(game.actions(s)):
                s = game.result(s, rng.choice(choices))
        if not game.is_terminal(s) and abs(judge.search(s, nodes).value) <= EVEN:
            yield s


def match(game: Any, one: Side, other: Side, pairs: int, nodes: int, seed: int) -> list[tuple[float, float]]:
    """The points of the first side in each pair of games."""
    starts = islice(openings(game, Side(game, [], {}), nodes, seed), pairs)
    return [(one.points(s, other, nodes), 1.0 - other.points(s, one, nodes)) for s in starts]


def tell_together(game: Any, given: argparse.Namespace) -> None:
    """Measure all sets of numbers in the same games, and print what each is worth, ever more exactly."""
    rng, sets = random.Random(given.seed), [numbers_of(text) for text in given.set]
    one, other = (Side(game, [], {}) for _ in range(2))
    starts = islice(openings(game, Side(game, [], {}), given.nodes, given.seed), given.games // 2)
    lots, points = [], []
    for number, s in enumerate(starts, 1):
        drawn = [[rng.random() < 0.5 for _ in sets] for _ in range(2)]
        for side, lot in zip((one, other), drawn, strict=True):
            chosen = [numbers for numbers, is_in in zip(sets, lot, strict=True) if is_in]
            set_numbers(side.w, {key: x for numbers in chosen for key, x in numbers.items()})
        lots.append(np.subtract(*np.array(drawn, np.float64)))
        points.append((one.points(s, other, given.nodes) - other.points(s, one, given.nodes)) / 2)
        if number % 100 == 0 or number == given.games // 2:
            print(f"\n{2 * number} games, Elo ± 95% error", flush=True)
            rows = zip(given.set, *effects(lots, points), strict=True)
            for text, worth, error in sorted(rows, key=lambda row: -row[1]):
                print(f"| `{text}` | {worth:+.0f} ± {error:.0f} |", flush=True)


def numbers_of(text: str) -> dict[str, float]:
    """The numbers of a text in the form `late_moves=5,safe_margin=0.8`."""
    return {key: float(x) for key, x in (each.split("=") for each in text.split(","))}


def effects(lots: list[Any], points: list[float]) -> tuple[list[float], list[float]]:
    """What each set is worth by least squares, and its 95% error, in Elo: 695 a point where both are about equal."""
    x, y = np.array(lots), np.array(points)
    inverse = np.linalg.pinv(x.T @ x)
    worth = inverse @ x.T @ y
    spread = ((y - x @ worth) ** 2).sum() / max(len(y) - x.shape[1], 1)
    return (695 * worth).tolist(), (695 * 1.96 * np.sqrt(np.diag(inverse) * spread)).tolist()


def elo(points: list[tuple[float, float]]) -> tuple[float, float]:
    """The difference in Elo, and how far from it the truth may be with 95% confidence."""
    each = [sum(pair) / 2 for pair in points]
    mean, error = statistics.mean(each), 1.96 * statistics.stdev(each) / math.sqrt(len(each))

    def rated(share: float) -> float:
        return -400.0 * math.log10(1.0 / min(max(share, 1e-3), 1.0 - 1e-3) - 1.0)

    return rated(mean), (rated(mean + error) - rated(mean - error)) / 2


def exam(game: Any, side: Side) -> tuple[int, float]:
    """How many tactical problems a side solves, and its nodes to a depth; once for each side."""
    if side.name not in Side.exams:
        Side.exams[side.name] = solved(game, side), nodes_to_depth(game, side)
    return Side.exams[side.name]


def solved(game: Any, side: Side) -> int:
    count = 0
    for fen, move in problems():
        s = game.from_text(fen)
        count += side.search(s, TACTICS_NODES).action == game.parse_action(s, move)
    return count


def nodes_to_depth(game: Any, side: Side) -> float:
    """The geometric mean of the nodes that the quiet positions take."""
    fens = (FOLDER / "quiet.txt").read_text().splitlines()
    return statistics.geometric_mean(side.search(game.from_text(fen), MOST_NODES, DEPTH).nodes for fen in fens)


def measured(game: Any, name: str, given: argparse.Namespace) -> dict[str, Any]:
    """A row of the table: `name` is a refinement, or numbers in the form `late_moves=5,safe_margin=0.8`."""
    began = time.process_time()
    if "=" in name:
        one, other = Side(game, [], numbers_of(name)), Side(game, [], {})
    else:
        one, other = Side(game, [], {}), Side(game, [name], {})
    points = match(game, one, other, given.games // 2, given.nodes, given.seed)
    each = [x for pair in points for x in pair]
    found: dict[str, Any] = {"name": name, "nodes": given.nodes, "seed": given.seed, "games": len(each)}
    found |= {"wins": each.count(1.0), "draws": each.count(0.5), "losses": each.count(0.0)}
    found["elo"], found["error"] = elo(points)
    if not given.match_only:
        exams = exam(game, one), exam(game, other)
        found["tactics"] = exams[0][0], exams[1][0], len(list(problems()))
        found["to_depth"] = exams[0][1], exams[1][1]
    return found | {"seconds": time.process_time() - began}


def row(found: dict[str, Any]) -> str:
    cells = [f"`{found['name']}`", f"{found['games']}"]
    cells += [f"+{found['wins']} ={found['draws']} -{found['losses']}", f"{found['elo']:+.0f} ± {found['error']:.0f}"]
    if "tactics" in found:
        cells += ["{} / {} of {}".format(*found["tactics"]), "{:,.0f} / {:,.0f}".format(*found["to_depth"])]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="refinements; default: all that are of use for chess")
    parser.add_argument("--set", action="append", default=[], metavar="NUMBERS", help="instead: other numbers")
    parser.add_argument("--together", action="store_true", help="all these numbers in the same games")
    parser.add_argument("--model", choices=["shipped"], help="the network that ships, for both")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--nodes", type=int, default=4_000, help="for a move")
    parser.add_argument("--seed", type=int, default=1, help="of the openings")
    parser.add_argument("--match-only", action="store_true", help="neither tactics nor nodes to a depth")
    parser.add_argument("--record", type=Path, help="rows that are done are kept here")
    given = parser.parse_args()
    if given.together and not given.set:
        parser.error("--together needs numbers to measure, as in --set late_moves=5")
    game = chess(given.model)
    if given.together:
        tell_together(game, given)
        return
    done = {}
    if given.record and given.record.exists():
        rows = [json.loads(line) for line in given.record.read_text().splitlines()]
        done = {each["name"]: each for each in rows if each["nodes"] == given.nodes and each["seed"] == given.seed}
    print(
        f"{given.nodes:,} nodes a move\n\n| | games | result | Elo | tactics with / without | nodes to depth {DEPTH} |"
    )
    print("| --- | --- | --- | --- | --- | --- |", flush=True)
    for name in given.set or given.names or useful_refinements(game):
        if name not in done:
            done[name] = measured(game, name, given)
            if given.record:
                with given.record.open("a") as out:
                    out.write(json.dumps(done[name]) + "\n")
        print(row(done[name]), flush=True)


if __name__ == "__main__":
    main()
