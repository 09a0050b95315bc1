"""Tuning: the numbers of a player are found by games against itself, some a little higher and some a little lower.

    tune(game, "alphabeta:nodes=500", pairs=400)                                  # the weights of the game's estimate
    tune(game, "mcts:simulations=100,exploration={c=1.4,0.3}", pairs=400)         # any number of a player's text

It is SPSA (Spall 1992), as Stockfish's fishtest has it. In each step every number is moved up or down by its own width,
by a coin, and the two players that this makes, one with each side of all coins, play a pair of games from one opening.
The numbers go a little the way of who got more. However many numbers there are, a step costs two games.

Steps come in batches, which begin at the same numbers, so that workers can play them at once; the outcome does not
depend on how many there are. With a `record` every game is kept, and the same call goes on from there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from counterplay.arena.bout import Conditions, Fixture
from counterplay.arena.interrupting import CtrlC
from counterplay.arena.match import match
from counterplay.arena.openings import Opening, random_openings
from counterplay.arena.players import dismiss
from counterplay.arena.record import GameRecord, Record
from counterplay.arena.score import Score
from counterplay.arena.workers import Where, Workers, compile_players
from counterplay.core.game import Game, UserError
from counterplay.core.randomness import Dice

__all__ = ["Knob", "Tuned", "knobs_of", "tune"]

BATCH = 8
"""Pairs of games that begin at the same numbers."""
RATE = 0.3
"""Of its width a number goes so far when a pair is won, at first."""
_ALPHA, _GAMMA = 0.602, 0.101  # how steps and widths shrink, as Spall recommends
_SETTLED = 0.1  # part of all steps before steps shrink much
_PLACE = re.compile(r"\{(\w+)=([^,{}]+)(?:,([^,{}]+?))?(?:,([^,{}]*?)\.\.([^,{}]*))?\}")
_OPENING_PLIES = 4


class Knob(NamedTuple):
    """A number that is tuned."""

    name: str
    value: float
    width: float
    """How far to try on either side, at first."""
    low: float = -inf
    high: float = inf
    """What it must not go beyond."""


class Tuned(NamedTuple):
    """Where the numbers are, or ended."""

    player: str
    """The player with these numbers."""
    begun: str
    """The player as it was."""
    numbers: dict[str, float]
    pairs: int
    of: int
    score: Score | None = None
    """Of the one against the other, if that was asked for."""

    def as_dict(self) -> dict[str, Any]:
        told = {"player": self.player, "begun": self.begun, "numbers": self.numbers, "pairs": self.pairs, "of": self.of}
        return {**told, "score": None if self.score is None else self.score.as_dict()}


def knobs_of(game: Game, player: str) -> tuple[str, list[Knob]]:
    """The text of a player with names in braces, and the numbers that they begin with.

    `{name=1.5}`, or `{name=1.5,0.2}` with its width, or `{name=1.5,0.2,0..9}` with bounds, stand in the text where the
    number goes. A text without braces gets the game's `weights`.
    """
    if "{" not in player:
        if not game.weights or not game.knows.terms:
            raise UserError(f"{game} has no weights to tune: put numbers into braces, as in exploration={{c=1.4}}")
        names = getattr(game.weights, "_fields", None) or [f"w{i}" for i in range(len(game.weights))]
        places = ",".join(f"{{{name}={float(value):.6g}}}" for name, value in zip(names, game.weights, strict=True))
        player = f"{player}{',' if ':' in player else ':'}weights=[{places}]"
    knobs: list[Knob] = []
    for name, value, width, low, high in _PLACE.findall(player):
        try:
            number = float(value)
            wide = float(width) if width else 0.2 * abs(number) or 0.1
            knobs.append(Knob(name, number, wide, float(low or -inf), float(high or inf)))
        except ValueError:
            raise UserError(f"'{{{name}={value}}}' is no number; write {{name=1.5}} or {{name=1.5,0.2,0..9}}") from None
    template = _PLACE.sub(r"{\1}", player)
    if len({knob.name for knob in knobs}) < len(knobs) or template.count("{") != len(knobs) or not knobs:
        raise UserError(f"'{player}' has each number once, as {{name=1.5}} or {{name=1.5,0.2,0..9}}")
    if not all(0 < knob.width < inf and knob.low <= knob.value <= knob.high for knob in knobs):
        raise UserError(f"'{player}': a number is within its bounds, and its width is more than 0")
    return template, knobs


def tune(
    game: Game,
    player: str,
    pairs: int = 200,
    *,
    rate: float = RATE,
    seed: int = 0,
    verify: int = 0,
    concurrency: int = 1,
    executor: str = "local",
    address: str | None = None,
    record: Path | None = None,
    progress: Callable[[Tuned], None] | None = None,
    **limits: Any,
) -> Tuned:
    """Tune the numbers of a player by so many pairs of games; then play `verify` games against how it was.

    `limits` are those of a move: `seconds`, `nodes`, `simulations`.
    """
    if pairs < 1 or not 0 < rate < 1e3:
        raise UserError("tuning takes 1 pair of games or more, and a rate above 0")
    spsa = _Spsa(game, player, pairs, rate, seed)
    where = Where(concurrency, executor, address)
    conditions = Conditions(seed, {name: value for name, value in limits.items() if value is not None})
    begun = spsa.player(spsa.numbers)
    dismiss(conditions.new_player(game, begun, 0))  # says what is wrong before anything is written
    about = {"tuned": str(game), "player": player, "pairs": pairs, "rate": rate, "seed": seed, **conditions.about()}
    workers = Workers(game, conditions, (begun,), where)
    openings = random_openings(game, pairs, _OPENING_PLIES, seed) if not game.chance else [Opening("", ())]
    with Record(record, about) as kept, workers:
        if executor == "local" and concurrency > 1:
            compile_players(game, conditions, [begun])
        finished = dict(kept.games)
        with CtrlC() as ctrl_c:
            for first in range(0, pairs, BATCH):
                numbers = range(first, min(first + BATCH, pairs))
                due = [fixture for i in numbers for fixture in spsa.fixtures(i, openings, finished)]
                for played in _played(workers, due):
                    kept.add(played)
                    finished[played.number] = played
                    ctrl_c.raise_again()
                spsa.learn(numbers, finished)
                if progress is not None:
                    progress(spsa.tuned(numbers[-1] + 1))
    tuned = spsa.tuned(pairs)
    if not verify:
        return tuned
    more: dict[str, Any] = {"concurrency": concurrency, "executor": executor, "address": address, **limits}
    return tuned._replace(score=match(game, (tuned.player, begun), verify, seed=seed + pairs, **more))


def _played(workers: Workers, due: list[Fixture]) -> Iterator[GameRecord]:
    waiting = iter(due)
    for _ in due:
        while workers.room and (fixture := next(waiting, None)) is not None:
            workers.begin(fixture)
        yield workers.finished()


class _Spsa:
    """The numbers while they are tuned."""

    def __init__(self, game: Game, player: str, pairs: int, rate: float, seed: int) -> None:
        self._template, self._knobs = knobs_of(game, player)
        self._pairs, self._rate, self._seed = pairs, rate, seed
        self.numbers = {knob.name: knob.value for knob in self._knobs}
        self._begun = self.player(self.numbers)
        self._total, self._counted = dict.fromkeys(self.numbers, 0.0), 0

    def player(self, numbers: Mapping[str, float]) -> str:
        text = self._template
        for knob in self._knobs:
            text = text.replace(f"{{{knob.name}}}", f"{min(max(numbers[knob.name], knob.low), knob.high):.6g}")
        return text

    def _moves(self, step: int) -> dict[str, float]:
        """How far each number is moved in this step, and which way."""
        dice = Dice("tune", self._seed, step)
        shrunk = (step + 1) ** -_GAMMA
        return {knob.name: knob.width * shrunk * (1 if dice.below(2) else -1) for knob in self._knobs}

    def fixtures(self, step: int, openings: list[Opening], finished: Mapping[int, GameRecord]) -> Iterator[Fixture]:
        """The two games of a step that were not played before: with the coins, and against them, either side once."""
        moves, opening = self._moves(step), openings[step % len(openings)]
        texts = [self.player({name: n + way * moves[name] for name, n in self.numbers.items()}) for way in (1, -1)]
        for number, (one, other) in ((2 * step, (0, 1)), (2 * step + 1, (1, 0))):
            if number not in finished:
                seeds = (2 * (self._seed + number), 2 * (self._seed + number) + 1)
                dice = self._seed * 1_000_003 + step
                yield Fixture(number, (one, other), (texts[one], texts[other]), seeds, opening, dice)

    def learn(self, steps: range, finished: Mapping[int, GameRecord]) -> None:
        """Go the way of who got more, a step after the other."""
        moves = {step: self._moves(step) for step in steps}
        settled = _SETTLED * self._pairs
        for step in steps:
            got = finished[2 * step].points_of(0) + finished[2 * step + 1].points_of(0) - 1.0
            a = self._rate * ((settled + 1) / (settled + 1 + step)) ** _ALPHA
            for name, _, _, low, high in self._knobs:
                self.numbers[name] = min(max(self.numbers[name] + a * moves[step][name] * got, low), high)
            if step >= self._pairs // 2:  # the mean over the last half is surer than where it happens to end
                self._counted += 1
                for name, number in self.numbers.items():
                    self._total[name] += number

    def tuned(self, pairs: int) -> Tuned:
        mean = {name: total / self._counted for name, total in self._total.items()} if self._counted else self.numbers
        return Tuned(self.player(mean), self._begun, dict(mean), pairs, self._pairs)
