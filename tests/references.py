"""What several test files compare with: slow obvious searches, random games, and counts known from elsewhere."""

import random
from pathlib import Path

from counterplay import CHANCE
from counterplay.native import native


def obvious_value(game, s):
    """What `s` is worth to player 0, by plain recursion."""
    if game.is_terminal(s):
        return game.utility(s, 0)
    below = [(a, obvious_value(game, game.result(s, a))) for a in game.actions(s)]
    if game.player(s) == CHANCE:
        return sum(game.probability(s, a) * v for a, v in below)
    return (max if game.player(s) == 0 else min)(v for _, v in below)


@native
def plain_alphabeta(game, s, low, high):
    """What `s` is worth to the player to move, in a game whose states have a `turn`."""
    if game.is_terminal(s):
        return game.utility(s, s.turn)
    for a in game.actions(s):
        low = max(low, -plain_alphabeta(game, game.result(s, a), -high, -low))
        if low >= high:
            break
    return low


def random_states(game, seed):
    """The states of a random game, the last one included."""
    source, s = random.Random(seed), game.initial()
    yield s
    while not game.is_terminal(s):
        s = game.result(s, source.choice(list(game.actions(s))))
        yield s


def perft_cases(name):
    """(position, {depth: number of lines}) for every line of a file in tests/perft."""
    text = (Path(__file__).parent / "perft" / f"{name}.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            position, *counts = line.split(";")
            yield position.strip(), {int(depth): int(n) for depth, n in map(str.split, counts)}
