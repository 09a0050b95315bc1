"""Mixed strategies: how likely a player takes each action, by what he knows. They play, print, and are kept in files.

strategy = equilibrium(games.load("kuhn_poker"))
strategy.mix(view(game, s, 0))          {"pass": 0.77, "bet": 0.23}
strategy.save(Path("kuhn.safetensors"))
Strategy.load(Path("kuhn.safetensors"))
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from counterplay import games
from counterplay.core.files import read_bytes, write_files
from counterplay.core.game import CHANCE, Game, UserError, listed_actions
from counterplay.core.randomness import new_random, unit
from counterplay.core.views import View, information_key, view
from counterplay.search import random_action
from counterplay.solve.cfr import Responses, respond
from counterplay.solve.sequences import SequenceForm, Side

__all__ = ["About", "Mixed", "Row", "Strategy"]

_PROOFS = 50  # random games in which a strategy from a file must know its way
_MOST_WALKED = 200_000  # states that are looked at to print a strategy


@dataclass(frozen=True)
class About:
    """How a strategy was found, and how good it is."""

    method: str
    iterations: int
    values: tuple[float, ...] | None = None
    """What each player gets when all play by it, if that was computed."""
    exploitability: float | None = None
    """What who knows it gains against it, on the average of both seats, if that was computed."""


class Row(NamedTuple):
    """One information set, for people."""

    player: int
    known: str
    mix: dict[str, float]


class Mixed(Protocol):
    """Who chooses among actions by chance."""

    def chances_at(self, known: View) -> dict[int, float]:
        """How likely each action of a view is."""
        ...

    def mix(self, known: View) -> dict[str, float]:
        """The same by the names of the actions."""
        chances = self.chances_at(known)
        return {name: chances.get(a, 0.0) for name, a in known.moves.items()}

    def choose(self, known: View, random: Any) -> int:
        """An action by its chance."""
        rest, chosen = unit(random), -1
        for a, chance in self.chances_at(known).items():
            chosen = a if chance > 0.0 or chosen < 0 else chosen
            rest -= chance
            if rest < 0.0:
                break
        return chosen


class Strategy(Mixed):
    """A strategy for every player of a game."""

    def __init__(self, game: Game, keys: Any, first: Any, actions: Any, chances: Any, about: About) -> None:
        """Set i, with `keys[i]` as its `information_key`, has its actions and their chances from `first[i]` on."""
        self.game, self.about = game, about
        self.keys, self.first, self.actions, self.chances = keys, first, actions, chances

    @classmethod
    def of_sequences(cls, form: SequenceForm, strategies: tuple[Any, Any], about: About) -> Strategy:
        """The strategies of an unfolded game, by sequence."""
        one, two = form.sides
        keys = np.concatenate([one.keys, two.keys])
        first = np.concatenate([one.first[:-1] - 1, two.first - 1 + one.sequences - 1]).astype(np.int64)
        actions = np.concatenate([one.actions[1:], two.actions[1:]])
        chances = np.concatenate([strategies[0][1:], strategies[1][1:]])
        return cls(form.game, keys, first, actions, chances, about)

    @cached_property
    def _places(self) -> dict[int, int]:
        return {key: i for i, key in enumerate(self.keys.tolist())}

    def __len__(self) -> int:
        """How many information sets it knows."""
        return len(self.keys)

    # ---- playing

    def chances_at(self, known: View) -> dict[int, float]:
        """How likely each action of a view is; each as likely as the others where nothing was learnt."""
        moves = list(known.moves.values())
        i = self._places.get(known.key)
        if i is None:
            return dict.fromkeys(moves, 1.0 / len(moves)) if moves else {}
        a, b = self.first[i], self.first[i + 1]
        return dict(zip(self.actions[a:b].tolist(), self.chances[a:b].tolist(), strict=True))

    def by_sequence(self, side: Side) -> Any:
        """The strategy of one side of the unfolded game, by sequence."""
        strategy = np.ones(side.sequences)
        for i, key in enumerate(side.keys.tolist()):
            q, end = side.first[i], side.first[i + 1]
            k = self._places.get(key)
            strategy[q:end] = 1.0 / (end - q) if k is None else self.chances[self.first[k] : self.first[k + 1]]
        return strategy

    def responses(self, form: SequenceForm) -> Responses:
        """What it is worth in its game unfolded, and the best responses to it."""
        return respond(form, (self.by_sequence(form.sides[0]), self.by_sequence(form.sides[1])))

    def measured(self, form: SequenceForm) -> Strategy:
        """The same, and what it is worth said about it."""
        found = self.responses(form)
        about = replace(self.about, values=found.values, exploitability=found.exploitability)
        return Strategy(self.game, self.keys, self.first, self.actions, self.chances, about)

    # ---- reading

    def rows(self) -> Iterator[Row]:
        """Its information sets in the order of play, as far as they are found in some time."""
        game, told = self.game, set()
        waiting = [game.initial()]
        for _ in range(_MOST_WALKED):
            if not waiting:
                return
            s = waiting.pop()
            if game.is_terminal(s):
                continue
            waiting += [game.result(s, a) for a in reversed(listed_actions(game, s))]
            if (p := game.player(s)) == CHANCE:
                continue
            key = information_key(game.information(s, p), p)
            if key in self._places and key not in told:
                told.add(key)
                known = view(game, s, p)
                yield Row(p, str(known), self.mix(known))

    # ---- files

    def save(self, file: Path) -> None:
        """Write it as safetensors."""
        from safetensors.numpy import save

        about = {"counterplay": "strategy", "game": str(self.game), "source": games.source(self.game)}
        arrays = {"keys": self.keys, "first": self.first, "actions": self.actions, "chances": self.chances}
        write_files({file: save(arrays, {**about, "about": json.dumps(asdict(self.about))})})

    @classmethod
    def load(cls, file: Path, game: Game | None = None) -> Strategy:
        """The strategy of a file, proven to fit the rules as they are now; one of your own rules needs the `game`."""
        data = read_bytes(file)
        try:
            said, arrays = _read(data)
            about = json.loads(said["about"])
            about["values"] = None if about["values"] is None else tuple(map(float, about["values"]))
            found = About(**about)
            text, source = str(said["game"]), said.get("source", "")
        except (ValueError, KeyError, TypeError, RecursionError):
            raise UserError(f"{file} is no strategy; `counterplay equilibrium GAME --save FILE` writes one") from None
        if game is None and source:
            raise UserError(f"{file} is for {text} in {source}: name that file too, as the GAME")
        game = games.load_ours(text) if game is None else game
        if str(game) != text:
            raise UserError(f"{file} is a strategy for {text}, not for {game}")
        keys, first, actions, chances = arrays
        strategy = cls(game, keys, first, actions, chances, found)
        strategy._must_fit(file)
        return strategy

    def _must_fit(self, file: Path) -> None:
        """Raise UserError if random games meet something that the strategy does not know, or has other moves for."""
        game, met, missing = self.game, 0, 0
        for seed in range(_PROOFS):
            s, random = game.initial(), new_random(seed)
            while not game.is_terminal(s):
                if (p := game.player(s)) != CHANCE:
                    known = view(game, s, p)
                    met, missing = met + 1, missing + (known.key not in self._places)
                    if list(self.chances_at(known)) != list(known.moves.values()):
                        raise UserError(f"{file} was made for other rules of {game}: it has other moves")
                s = game.result(s, int(random_action.interpreted(game, s, random)))
        if missing and (self.about.exploitability is not None or missing == met):
            raise UserError(f"{file} was made for other rules of {game}: it does not know what can happen")


def _read(data: bytes) -> tuple[dict[str, str], tuple[Any, Any, Any, Any]]:
    """The words and the arrays in the bytes of a file; ValueError if they are no strategy's."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        arrays = load(data)
    except SafetensorError:
        raise ValueError from None
    said = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")]).get("__metadata__", {})
    keys, first, actions, chances = (arrays[name] for name in ("keys", "first", "actions", "chances"))
    kinds = [(each.dtype, each.ndim) for each in (keys, first, actions, chances)]
    if said.get("counterplay") != "strategy" or kinds != [(np.dtype(kind), 1) for kind in ("i8", "i8", "i8", "f8")]:
        raise ValueError
    sizes = np.diff(first)
    if len(first) != len(keys) + 1 or first[0] != 0 or first[-1] != len(actions) or len(actions) != len(chances):
        raise ValueError
    if not (np.all(sizes > 0) and np.all(np.isfinite(chances)) and np.all(chances >= 0.0)):
        raise ValueError
    if len(sizes) and np.any(np.abs(np.add.reduceat(chances, first[:-1]) - 1.0) > 1e-6):
        raise ValueError
    return said, (keys, first, actions, chances)
