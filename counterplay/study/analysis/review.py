"""A whole game looked at move by move: what each was worth, what it lost, and what would have been better.

The search goes from the last position to the first. What it has proven about the later ones stays in its table and
is known at once where the game could still have gone another way; going forwards it would have to be found again, or
not be seen at all. The move that was played and the best one are compared within one search, equally deep, so that a
move does not look like a mistake only because a ply more was seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from counterplay.core.charts import Dot, value_chart
from counterplay.core.game import CHANCE, Game, IllegalAction, UserError, is_repeated
from counterplay.core.words import value_text
from counterplay.search import Engine, Limits, Result
from counterplay.search.repetition import draw_value
from counterplay.search.run import Progress
from counterplay.study.analysis.lines import limits_of, new_engine

__all__ = ["MARKS", "Review", "ReviewedMove", "review"]

MARKS = {"?!": 0.05, "?": 0.10, "??": 0.15}
"""An inaccuracy, a mistake and a blunder, by the expected score from 0 to 1 that they lose at least.

Those of lichess.org (lila, `Advice.scala`: 0.1, 0.2 and 0.3 of winning chances from -1 to 1). A game says by
`chance_to_win` what a value promises: 0 is the worst and 1 the best that a player can get.
"""

KINDS = {"?!": "?!  inaccuracy", "?": "?  mistake", "??": "??  blunder"}
SECONDS_A_MOVE = 1.0
"""For each position, if nothing is said."""


@dataclass(frozen=True)
class ReviewedMove:
    """A move of a game and what to think of it. Values are one for each player."""

    number: int
    """From 1, of all moves, chance's included."""
    player: int
    """Who moved, from 0; or CHANCE, who is not judged."""
    action: int
    name: str
    before: tuple[float, ...]
    """What the position was worth with best play."""
    after: tuple[float, ...]
    """What the move left of it."""
    loss: float
    """The expected score, from 0 to 1, that the mover gave away."""
    mark: str
    """One of MARKS, or nothing."""
    line: tuple[str, ...]
    """Best play by the names of the moves: from this move on if it lost nothing, else instead of it."""
    depth: int
    nodes: int
    proven: bool
    """Whether `before` is the game's own value."""
    settled: bool = False
    """Whether `after` is."""

    @property
    def luck(self) -> float:
        """What a move of chance gave to the first player."""
        return self.after[0] - self.before[0] if self.player == CHANCE else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON. Those of the first player, and all where there are more than two."""
        several = len(self.before) > 2
        return {
            "number": self.number,
            "player": "chance" if self.player == CHANCE else self.player,
            "action": self.action,
            "action_name": self.name,
            "before": self.before[0],
            "after": self.after[0],
            **({"values_before": list(self.before), "values_after": list(self.after)} if several else {}),
            **({"luck": self.luck} if self.player == CHANCE else {"loss": self.loss, "mark": self.mark}),
            "line_names": list(self.line),
            "depth": self.depth,
            "nodes": self.nodes,
            "proven": self.proven,
        }


@dataclass(frozen=True)
class Review:
    """A game and what to think of each of its moves."""

    game: Game
    states: tuple[Any, ...]
    """All positions, the first and the last included."""
    moves: tuple[ReviewedMove, ...]
    """In their order; if the review was interrupted, the last ones."""
    limits: Limits
    """Of the search at each position."""

    @property
    def is_complete(self) -> bool:
        return len(self.moves) == len(self.states) - 1

    def summary(self) -> list[dict[str, Any]]:
        """For each player the number of moves, how many have which mark, and the mean loss."""
        found = []
        for p in range(self.game.players):
            own = [move for move in self.moves if move.player == p]
            counts = {name: sum(move.mark == mark for move in own) for name, mark in _COUNTED.items()}
            mean = sum(move.loss for move in own) / len(own) if own else 0.0
            found.append({"player": p, "moves": len(own), **counts, "mean_loss": mean})
        return found

    def svg(self, title: str = "") -> str:
        """The value for the first player over the game, the marked moves as dots."""
        *_, last = self.moves
        points = [(float(move.number - 1), self._height(move.before[0])) for move in self.moves]
        points.append((float(last.number), self._height(last.after[0])))
        dots = [Dot(float(m.number), KINDS[m.mark], m.name + m.mark, self._remark(m)) for m in self.moves if m.mark]
        game, (low, high) = self.game, self.game.utility_range
        what = f"value{f' in {game.unit}' if game.unit else ''}" if game.scored else "chance to win, in percent,"
        return value_chart(
            points,
            (self._height(low), self._height(_fair(game)), self._height(high)),
            title or f"{game}: the value move by move",
            "moves played",
            f"{what} for {game.player_names[0]}",
            dots,
            tuple(KINDS.values()),
        )

    def _repr_svg_(self) -> str:
        return self.svg()

    def _height(self, v: float) -> float:
        """A value in the chart: a score in its units, or the chance to win in percent."""
        x = self.game.in_units(v) if self.game.scored else None
        return 100.0 * self.game.chance_to_win(v) if x is None else x

    def _remark(self, move: ReviewedMove) -> str:
        after = value_text(self.game, move.after[0], proven=move.settled)
        before = value_text(self.game, move.before[0], proven=move.proven)
        better = f"; better {' '.join(move.line[:6])}: {before}" if move.line else ""
        return f"{move.number}. {move.name}{move.mark}: {after}{better}"

    def __str__(self) -> str:
        return "\n".join(
            f"{self.game.player_names[each['player']]}: {_counted(each['moves'], 'move')}, "
            + ", ".join(_counted(each[name], one) for name, one in zip(_COUNTED, _SINGULAR, strict=True))
            + f", mean loss {100 * each['mean_loss']:.1f}%"
            for each in self.summary()
        )


_COUNTED = {"inaccuracies": "?!", "mistakes": "?", "blunders": "??"}
_SINGULAR = ("inaccuracy", "mistake", "blunder")


def _counted(n: int, one: str) -> str:
    many = one[:-1] + "ies" if one.endswith("y") else one + "s"
    return f"{n} {one if n == 1 else many}"


# ---- the review


def review(
    game: Game,
    moves: str | Iterable[Any],
    position: str | None = None,
    *,
    depth: int | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    threads: int | None = None,
    table_mb: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    watching: Progress | None = None,
) -> Review:
    """What to think of every move of a game, as far as the limits, which hold for each position, allow.

    `moves` are names (or one text of names and blanks), from `position` or the start; or all states of the game.
    Without a limit a position takes a second. `progress` is told how many positions of all are done, and
    `watching` how each search goes, which it may end, as ctrl-C does: then the review has the moves done so far, which
    are the last ones.
    """
    states, actions = _played(game, moves, position)
    limits = limits_of(depth, nodes, seconds, SECONDS_A_MOVE)
    engine = new_engine(game, threads, table_mb)
    found: list[ReviewedMove] = []
    try:
        later = _end(engine, states, limits, watching)
        for i in reversed(range(len(actions))):
            if progress is not None:
                progress(len(actions) - i, len(actions) + 1)
            result = engine.search(states[i], limits, also=(actions[i],), history=states[:i], progress=watching)
            if result.stopped == "interrupted":
                raise KeyboardInterrupt
            found.append(_judged(game, i + 1, result, actions[i], later))
            later = _Known(found[-1].before, result.proven)
    except KeyboardInterrupt:
        if not found:
            raise
    return Review(game, tuple(states), tuple(reversed(found)), limits)


class _Known(NamedTuple):
    """What is known of a position: its value for each player, and whether that is the game's own."""

    values: tuple[float, ...]
    proven: bool


def _end(engine: Engine, states: Sequence[Any], limits: Limits, watching: Progress | None) -> _Known:
    """What the last position is worth."""
    game, (*earlier, s) = engine.game, states
    if not game.is_terminal(s) and is_repeated(game, states):
        return _Known((draw_value(game),) * game.players, True)
    result = engine.search(s, limits, history=earlier, progress=watching)
    if result.stopped == "interrupted":
        raise KeyboardInterrupt
    return _Known(result.values, result.proven)


def _judged(game: Game, number: int, result: Result, a: int, later: _Known) -> ReviewedMove:
    """The move `a` in the light of a search of the position before it and of what is known of the one after it."""
    s, before = result.state, result.values
    p = game.player(s)
    played = next(each for each in result.actions if each.action == a)
    # The same search's value, to compare like with like; unless the end of the matter is known, or it has none.
    after = later.values if later.proven or not played.exact else played.values
    loss, mark = 0.0, ""
    if p != CHANCE:
        if after[p] > before[p]:
            before = after
        loss = game.chance_to_win(before[p]) - game.chance_to_win(after[p])
        mark = max((mark for mark in MARKS if loss >= MARKS[mark]), key=lambda mark: MARKS[mark], default="")
        if result.proven and later.proven and before[p] > _fair(game) > after[p]:
            mark = "??"
    line = result.names_of(played.line if p != CHANCE and loss == 0 else result.line)
    return ReviewedMove(
        number,
        p,
        a,
        game.action_name(s, a),
        before,
        after,
        loss,
        mark,
        tuple(line),
        result.depth,
        result.nodes,
        result.proven,
        later.proven,
    )


def _fair(game: Game) -> float:
    """The value between winning and losing: an equal share, or the middle of the range if that is outside."""
    low, high = game.utility_range
    share = draw_value(game)
    return float(share if game.zero_sum and low < share < high else 0.5 * (low + high))


def _played(game: Game, moves: str | Iterable[Any], position: str | None) -> tuple[list[Any], list[int]]:
    """All states of a game and the actions between them."""
    given = moves if isinstance(moves, str) else list(moves)
    if not given:
        raise UserError("there is no move to review")
    states: list[Any] = []
    actions: list[int] = []
    if isinstance(given[0], str):
        states.append(game.initial() if position is None else game.from_text(position))
        actions = game.read_moves(states[0], given)
        for a in actions:
            states.append(game.result(states[-1], a))
        return states, actions
    states.append(given[0])
    for number, s in enumerate(given[1:], 1):
        here = states[-1]
        fits = (int(a) for a in game.actions(here) if game.result(here, a) == s)
        found = None if game.is_terminal(here) else next(fits, None)
        if found is None:
            raise IllegalAction(f"move {number}: no move leads from {game.to_text(here)} to {game.to_text(s)}")
        states.append(s)
        actions.append(found)
    if not actions:
        raise UserError("there is no move to review")
    return states, actions
