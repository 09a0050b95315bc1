"""What every search returns: the move, the value, the line, and how much of it is certain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from counterplay.core import words
from counterplay.core.game import Game, Position, UserError

__all__ = ["ActionValue", "Result", "Unsuited"]


class Unsuited(UserError):
    """A search asked to play a game that it is not for; the message says which is."""


@dataclass(frozen=True)
class ActionValue:
    """One action at the root."""

    action: int
    value: float
    """For the first player, MAX, whoever moves."""
    exact: bool
    """True: the search's value of this action. False: only a bound on it; the rest was pruned or not reached."""
    values: tuple[float, ...] = ()
    """One for each player."""
    proven: bool = False
    """True: the game's own value, every line that matters was followed to its end."""
    within: int | None = None
    """If it is proven, how many plies it takes at most until the game ends with it; None if that is not known."""
    visits: int = 0
    """How many simulations began with it, in a search by simulations; their mean is the value."""
    line: tuple[int, ...] = ()
    """The action and best play after it, as far as known; of a bound, the action alone."""

    def __post_init__(self) -> None:
        if not self.line:
            object.__setattr__(self, "line", (self.action,))


@dataclass(frozen=True)
class Result:
    """The answer of a search. Values are utilities for the first player, MAX, whoever is to move."""

    game: Game
    state: Any
    algorithm: str
    action: int | None
    """The best action; None when the game is over or CHANCE is to move."""
    value: float
    values: tuple[float, ...]
    """The value for each player."""
    line: tuple[int, ...]
    """Best play for all, as far as the search saw; it ends before a throw of the dice."""
    actions: tuple[ActionValue, ...]
    """Every root action, in the game's order."""
    nodes: int
    """States looked at, the root included."""
    depth: int
    """How many plies were looked ahead at most."""
    seconds: float
    proven: bool
    """True: `value` is the game's own, every line was followed to its end. False: an estimate was used somewhere."""
    stopped: str
    """Why the search ended: 'solved', 'depth', 'simulations', 'nodes', 'seconds', 'interrupted'; or by a 'table'."""
    settings: dict[str, Any] = field(default_factory=dict)
    simulations: int | None = None
    """How many there were, in a search by simulations."""
    within: int | None = None
    """If a win or a loss is proven, in how many plies it comes about at most; None if that is not known."""
    is_shortest: bool = False
    """True: `within` is how long it takes if the winner wins as soon as can be and the loser holds out as long."""
    may_hide: tuple[str, ...] = ()
    """The refinements that were on and look at less than the depth says: a win within it may have been missed."""

    @property
    def action_name(self) -> str | None:
        return None if self.action is None else self.game.action_name(self.state, self.action)

    @property
    def line_names(self) -> list[str]:
        return self.names_of(self.line)

    def names_of(self, line: tuple[int, ...]) -> list[str]:
        """What people call the actions of a line that begins at the root."""
        names, s = [], self.state
        for a in line:
            names.append(self.game.action_name(s, a))
            s = self.game.result(s, a)
        return names

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        several = len(self.values) != 2 or not self.game.zero_sum
        return {
            "game": str(self.game),
            "position": self.game.to_text(self.state),
            "algorithm": self.algorithm,
            **self.settings,
            **({} if self.simulations is None else {"simulations": self.simulations}),
            "action": self.action,
            "action_name": self.action_name,
            "value": self.value,
            **({"values": list(self.values)} if several else {}),
            "line": list(self.line),
            "line_names": self.line_names,
            "nodes": self.nodes,
            "depth": self.depth,
            "seconds": self.seconds,
            "proven": self.proven,
            **({} if self.within is None else {"within": self.within, "is_shortest": self.is_shortest}),
            **({"may_hide": list(self.may_hide)} if self.may_hide and not self.proven else {}),
            "stopped": self.stopped,
            "actions": [
                {
                    "action": each.action,
                    "action_name": self.game.action_name(self.state, each.action),
                    "value": each.value,
                    **({"values": list(each.values)} if several else {}),
                    "exact": each.exact,
                    "proven": each.proven,
                    **({} if each.within is None else {"within": each.within}),
                    **({} if self.simulations is None else {"visits": each.visits}),
                    **self._line_of(each),
                }
                for each in self.actions
            ],
        }

    def _line_of(self, each: ActionValue) -> dict[str, Any]:
        """For JSON, what is known beyond the action itself."""
        return {"line": list(each.line), "line_names": self.names_of(each.line)} if len(each.line) > 1 else {}

    # ---- in the game's own words

    @property
    def player(self) -> int:
        """For whom values are told: who is to move; the first player where nobody is."""
        return 0 if self.game.is_terminal(self.state) else max(0, self.game.player(self.state))

    def worth(self) -> str:
        """The value, and for whom: `+0.35 pawns for White`, `mate in 3 for Black`, `draw`."""
        text = words.values_text(self.game, self.values, self.player, **self._how(self.proven, is_best=True))
        is_whose = self.game.players == 2 and self.game.zero_sum and text not in ("draw", "undecided")
        return f"{text} for {words.player_name(self.game, self.player)}" if is_whose else text

    def worth_of(self, each: ActionValue) -> tuple[str, str]:
        """What an action is worth to who is to move, and what kind of value that is: `best`, `at most` or nothing.

        Where a bound says no more than the range of utilities, there is no value: nothing better could be found.
        """
        is_best = each.action == self.action
        if not is_best and not each.exact and each.values[self.player] >= self.game.utility_range[1]:
            return "?", "not needed"
        text = words.values_text(
            self.game, each.values, self.player, unit=False, **self._how(each.proven, is_best, each.within)
        )
        return text, "best" if is_best else "" if each.exact else "at most"

    def _how(self, proven: bool, is_best: bool, within: int | None = None) -> dict[str, Any]:
        plies = self.within if self.is_shortest and is_best else within if self.stopped == "table" else None
        return {"proven": proven, "simulated": self.simulations is not None, "plies": plies}

    def told(self, earlier: Sequence[Any] = ()) -> str:
        """The answer in a line: the move, what it is worth and to whom, best play, and what it took.

        `earlier` has the states before, for the numbers of the moves.
        """
        how = "exact" if self.proven else f"estimate at depth {self.depth}"
        if self.within is not None and (self.game.scored or not self.is_shortest):
            how += f", {'in' if self.is_shortest else 'within'} {self.within} {'ply' if self.within == 1 else 'plies'}"
        if self.simulations is not None:
            how += f", {self.simulations:,} simulations"
        move = f"{self.action_name}, " if self.action is not None else ""
        line = f", line {words.line_text(self.game, self.state, self.line, earlier)}" if self.line else ""
        return f"{move}{self.worth()} ({how}){line}, {self.nodes:,} nodes in {self.seconds:.3f} s"

    def __str__(self) -> str:
        return self.told()

    def _repr_html_(self) -> str:
        """For notebooks: the board after the best move, which is marked, and the moves, the best first.

        Colours are the page's own, so that it can be read upon light and dark.
        """
        game, s, p = self.game, self.state, self.player
        here = Position(game, s)
        rows = ""
        for each in sorted(self.actions, key=lambda each: (each.action != self.action, -each.values[p])):
            text, mark = self.worth_of(each)
            value = f"at most {text}" if mark == "at most" else text
            rows += f"<tr><td>{escape(game.action_name(s, each.action))}</td><td>{escape(value)}</td></tr>"
        caption = escape(words.caption(game, p, self.simulations is not None))
        return (
            '<div style="display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start">'
            f"<div>{(here if self.action is None else here.after(self.action))._repr_svg_()}</div>"
            f'<div style="max-height:24em;overflow:auto"><table><caption>{caption}</caption>'
            "<thead><tr><th>move</th><th>value</th></tr></thead>"
            f"<tbody>{rows}</tbody></table></div></div><p>{escape(f'{self.algorithm}: {self}')}</p>"
        )
