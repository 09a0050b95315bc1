"""Make an opening book for a game by our own searches, and from nothing else.

    python benchmarks/book.py [GAME] [--nodes 300000] [--positions 100] [--within 0.15] [--out FILE]

From the first position on each is searched, and its best moves, as long as they are nearly as good as the best, lead to
the next ones; those that come up by the best moves are looked at first. What is written are all lines through the
positions that were looked at. GAME is chess unless another is named; how much is nearly as good is in the game's units.
"""

from __future__ import annotations

import argparse
import heapq
import time
from pathlib import Path
from typing import Any

from counterplay import arena, games
from counterplay.search import AlphaBeta
from counterplay.search.limits import Limits

FOLDER = Path(arena.__file__).parent / "books"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="?", default="chess")
    parser.add_argument("--nodes", type=int, default=300_000)
    parser.add_argument("--positions", type=int, default=100)
    parser.add_argument("--within", type=float, default=0.15)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    game = games.load(asked.game)
    engine = AlphaBeta(game, table_mb=64)
    begun = time.process_time()
    known: dict[int, list[int]] = {}
    waiting: list[tuple[float, int, Any, tuple[Any, ...]]] = [(0.0, 0, game.initial(), ())]
    number = 0
    while waiting and len(known) < asked.positions:
        behind, _, s, earlier = heapq.heappop(waiting)
        if game.key(s) in known or game.is_terminal(s):
            continue
        found = engine.search(s, Limits(nodes=asked.nodes), multi=3, history=earlier)
        sure = [each for each in found.actions if each.exact]
        worth = {each.action: units(game, each.values[game.player(s)]) for each in sure}
        best = max(worth.values())
        known[game.key(s)] = [
            a for a, v in sorted(worth.items(), key=lambda pair: -pair[1]) if v >= best - asked.within
        ]
        for rank, a in enumerate(known[game.key(s)]):
            number += 1
            # Deeper positions, and those that second choices lead to, are met less often.
            heapq.heappush(waiting, (behind + 1.0 + 1.5 * rank, number, game.result(s, a), (*earlier, s)))
        print(f"{len(known):4}  {behind:4.1f}  {[game.action_name(s, a) for a in known[game.key(s)]]}", flush=True)
    lines = [" ".join(line) for line in through(game, game.initial(), known)]
    about = (
        f"# {len(known)} positions, {asked.nodes:,} nodes each, moves within {asked.within:g} {game.unit} of the best."
    )
    text = "\n".join([about, "# Made by benchmarks/book.py; see counterplay/arena/book.py.", *lines]) + "\n"
    (asked.out or FOLDER / f"{game.name}.txt").write_text(text)
    print(f"{len(lines)} lines, {time.process_time() - begun:.0f} s of processor time")


def units(game: Any, v: float) -> float:
    found = game.in_units(v)
    return float(v if found is None else found)


def through(game: Any, s: Any, known: dict[int, list[int]]) -> list[list[str]]:
    """All lines from a position on; none comes to a position again."""
    moves, rest = known.get(game.key(s), []), {key: moves for key, moves in known.items() if key != game.key(s)}
    lines = [[game.action_name(s, a), *line] for a in moves for line in through(game, game.result(s, a), rest)]
    return lines or [[]]


if __name__ == "__main__":
    main()
