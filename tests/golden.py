"""A written random game of each of our games, so that a change of any rule, name or drawing shows in a diff.

`python tests/golden.py` writes them anew into tests/golden; test_games.py compares.
"""

import json
import sys
from pathlib import Path

from counterplay import CHANCE, games
from counterplay.search import new_random, random_action

FOLDER = Path(__file__).parent / "golden"
FIRST, LAST = 45, 15  # plies that are written; those between are left out
DRAWN = 3  # plies that are drawn, besides the last
NAMES = 40
SEED = 1

DECLARED = ("players", "chance", "perfect_information", "simultaneous", "zero_sum", "utility_sum", "utility_range")


def path(name):
    return FOLDER / f"{name}.txt"


def playthrough(name):
    """What the game declares, and a random game of it, state by state."""
    game = games.load(name)
    lines = [repr(game), *(f"{word}: {getattr(game, word)}" for word in DECLARED)]
    lines.append(f"knows: {', '.join(word for word, known in game.knows._asdict().items() if known) or 'nothing'}")
    steps = list(_steps(game))
    for ply, (s, a) in enumerate(steps):
        if FIRST <= ply < len(steps) - LAST:
            lines += ["", f"... {len(steps) - FIRST - LAST} plies"] if ply == FIRST else []
            continue
        lines += ["", f"ply {ply}", f"position: {game.to_text(s)}", f"key: {game.key(s)}"]
        if game.knows.evaluate:
            lines.append(f"estimates: {', '.join(repr(game.evaluate(s, p)) for p in range(game.players))}")
        if ply < DRAWN or a is None:
            lines += [f"  {line}".rstrip() for line in game.show(s).split("\n")]
        if a is not None:
            lines += _choice(game, s, a)
    lines.append(f"utilities: {', '.join(repr(game.utility(s, p)) for p in range(game.players))}")
    return "\n".join(lines) + "\n"


def _steps(game):
    """The states of a random game, each with the action chosen; None at the end."""
    random, s = new_random(SEED), game.initial()
    while not game.is_terminal(s):
        a = random_action.interpreted(game, s, random)
        yield s, a
        s = game.result(s, a)
    yield s, None


def _choice(game, s, a):
    player, actions = game.player(s), list(game.actions(s))
    names = [game.action_name(s, each) for each in actions]
    yield f"player: {'chance' if player == CHANCE else player}"
    yield f"actions: {' '.join(names[:NAMES])}{f' ... {len(names)}' if len(names) > NAMES else ''}"
    if player == CHANCE:
        yield f"probabilities: {' '.join(f'{game.probability(s, each):.6g}' for each in actions[:NAMES])}"
    yield f"action: {game.action_name(s, a)} ({a})"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for each in games.names():
        path(each).write_text(playthrough(each), encoding="utf-8", newline="\n")
    sys.path.insert(0, str(FOLDER.parents[1]))
    from tests import test_signature

    test_signature.FILE.write_text(json.dumps(test_signature.signature(), indent=1) + "\n", encoding="utf-8")
