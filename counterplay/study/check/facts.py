"""What random games of a game without problems were like: how long, how many moves there were, who won.

An author sees at once what no property can tell: that a game never ends, that who moves last always loses, that one
side cannot win.
"""

from __future__ import annotations

from collections import Counter

from counterplay.core.game import CHANCE, Game
from counterplay.study.check.examination import PLIES, Examination, Seen

__all__ = ["facts_of"]


def facts_of(exam: Examination) -> tuple[str, ...]:
    """A line for each fact; none of games that could not be played."""
    ends = _last_states(exam)
    if not ends:
        return ()
    lengths = [it.ply for it in ends]
    choices = [
        len(it.says["actions"]) for it in exam.seen if it.says.get("actions") and it.says.get("player") != CHANCE
    ]
    found = [f"games had {_range(lengths)} moves, {sum(lengths) / len(lengths):.1f} on the average"]
    if choices:
        found.append(
            f"there were {_range(choices)} moves to choose from, {sum(choices) / len(choices):.1f} on the average"
        )
    unfinished = sum(len(it.path) >= PLIES and not it.over for it in ends)
    if unfinished:
        found.append(
            f"{unfinished} of {len(ends)} games had not ended after {PLIES:,} moves: does the game always end?"
        )
    over = [it for it in ends if it.over and "utility" in it.says]
    return (*found, *_winners(exam.game, over), *_last_mover(exam, over))


def _last_states(exam: Examination) -> list[Seen]:
    """The last state of each game."""
    found: list[Seen] = []
    for it in exam.seen:
        if it.ply == 0:
            found.append(it)
        elif found:
            found[-1] = it
    return found


def _range(numbers: list[int]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"


def _winners(game: Game, over: list[Seen]) -> list[str]:
    """How often who won, where somebody can."""
    if game.players < 2 or not over:
        return []
    won: Counter[str] = Counter()
    for it in over:
        utilities = it.says["utility"]
        best = [p for p, u in enumerate(utilities) if u == max(utilities)]
        won[game.player_names[best[0]] if len(best) == 1 else "nobody alone"] += 1
    said = ", ".join(f"{name} {won[name]}" for name in (*game.player_names, "nobody alone") if name in won)
    return [f"of {len(over)} games won: {said}"]


def _last_mover(exam: Examination, over: list[Seen]) -> list[str]:
    """Whether who moved last always won, or always lost: signs that are mixed up show here."""
    outcomes: list[str] = []
    movers = {id(it.path): it.says.get("player") for it in exam.seen if it.ply == len(it.path) - 1}
    for it in over:
        p, utilities = movers.get(id(it.path)), it.says["utility"]
        if isinstance(p, int) and 0 <= p < len(utilities) and len(set(utilities)) > 1:
            outcomes.append("won" if utilities[p] == max(utilities) else "lost")
    if len(outcomes) < 2 or len(set(outcomes)) > 1:
        return []
    doubt = ": is that as it should be?" if outcomes[0] == "lost" else ""
    return [f"who moved last {outcomes[0]} {len(outcomes)} of {len(outcomes)}{doubt}"]
