"""Equilibria as people read them: the story of a matrix, and mixed strategies in per cent."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

from counterplay import solve
from counterplay.apps.cli import output
from counterplay.solve import Analysis, LeafNetwork, Strategy, Trunk

__all__ = ["as_dict", "show_analysis", "show_strategy", "train_network"]

_MOST_SHOWN = 50  # equilibria of a matrix

Steps = Sequence[tuple[int, float | None]]
"""Exploitability after numbers of iterations."""


# ---- a matrix


def show_analysis(analysis: Analysis) -> None:
    """The matrix, what is dominated and why, and the equilibria."""
    game: Any = analysis.game
    output.say(f"{game.table()}\n")
    for step in analysis.story:
        who, names = game.player_names[step.player], game.names[step.player]
        better = _mixture(names, step.by)
        output.say(f"{who} never takes {names[step.action]}: {better} is better, whatever the other does")
    if analysis.story:
        kept = " and ".join(_listed(game.names[p], analysis.left[p]) for p in (0, 1))
        output.say(f"what is left: {kept}\n")
    output.say(_how_many(analysis))
    for each in analysis.equilibria[:_MOST_SHOWN]:
        mixtures = f"row {_mixture(game.names[0], each.row)}; column {_mixture(game.names[1], each.column)}"
        output.say(f"  {mixtures}: {each.values[0]} and {each.values[1]}")
    if len(analysis.equilibria) > _MOST_SHOWN:
        output.say(f"  and {len(analysis.equilibria) - _MOST_SHOWN} more")
    if analysis.value is not None:
        output.say(f"the value of the game is {analysis.value} for row")


def _how_many(analysis: Analysis) -> str:
    n = len(analysis.equilibria)
    if analysis.is_infinite:
        return f"infinitely many equilibria: these {n}, and mixtures of those that share a part"
    return "one equilibrium:" if n == 1 else f"{n} equilibria:"


def _mixture(names: Sequence[str], chances: Sequence[Fraction]) -> str:
    """`rock`, or `1/2 rock + 1/2 paper`."""
    parts = [name if chance == 1 else f"{chance} {name}" for name, chance in zip(names, chances, strict=True) if chance]
    return " + ".join(parts)


def _listed(names: Sequence[str], actions: Sequence[int]) -> str:
    return ", ".join(names[a] for a in actions)


# ---- a strategy


def show_strategy(strategy: Strategy, steps: Steps, rows: int) -> None:
    """How close it is to an equilibrium, what it is worth, and what it does in some situations."""
    about, game = strategy.about, strategy.game
    how = f"iterations of {about.method}" if steps else f"questions to {about.method} in each"
    output.say(f"{game}: {len(strategy):,} situations, {about.iterations:,} {how}\n")
    if about.exploitability is not None and about.values is not None:
        table = output.table("#iterations", "#who knows it gains")
        for iterations, exploitability in steps:
            if exploitability is not None:
                output.add_row(table, f"{iterations:,}", f"{exploitability:.3g}")
        if table.row_count:
            output.say(table)
            output.say()
        gains = ", ".join(f"{name} {v:+.7g}" for name, v in zip(game.player_names, about.values, strict=True))
        output.say(f"played by both: {gains}; who knows it gains {about.exploitability:.3g}")
    else:
        output.say("the game is too large to say how good that is")
    shown = list(islice(strategy.rows(), max(0, rows)))
    if shown:
        table = output.table("player", "knows", "plays")
        for row in shown:
            output.add_row(table, game.player_names[row.player], _one_line(row.known), _per_cent(row.mix))
        output.say()
        output.say(table)
    if len(shown) < len(strategy) and rows > 0:
        output.say(f"and {len(strategy) - len(shown):,} more; --rows N shows more of them")


def _one_line(known: str) -> str:
    return "; ".join(" ".join(line.split()) for line in known.split("\n"))


def _per_cent(mix: dict[str, float]) -> str:
    return "  ".join(f"{name} {100 * chance:.1f}%" for name, chance in mix.items() if chance >= 0.0005)


def train_network(trunk: Trunk, seed: int) -> LeafNetwork:
    """Train a network for the leaves of a trunk, and show in a terminal how far that is."""
    with output.live() as shown:

        def show(n: int, error: float) -> None:
            if shown is not None:
                shown.update(f"training a network, round {n}: wrong by {error:.4f} on the average", refresh=True)

        return solve.train_network(trunk, seed=seed, progress=show)


def as_dict(strategy: Strategy, steps: Steps, rows: int) -> dict[str, Any]:
    """For JSON."""
    about = strategy.about
    return {
        "game": str(strategy.game),
        "method": about.method,
        "iterations": about.iterations,
        "values": None if about.values is None else list(about.values),
        "exploitability": about.exploitability,
        "steps": [{"iterations": n, "exploitability": e} for n, e in steps],
        "sets": len(strategy),
        "strategy": [
            {"player": row.player, "known": row.known, "mix": row.mix} for row in islice(strategy.rows(), max(0, rows))
        ],
    }
