"""Players: anything that chooses an action, given the states of a game so far.

    random                              any legal action
    alphabeta:depth=6                   a search by its name, with its settings
    mcts:simulations=5000,seed=3
    level:5                             as strong as a person would like, from 1 to 10: see `levels.py`
    openspiel-mcts:simulations=1000     OpenSpiel's C++ tree search, if it is installed

To add a kind of player, write a class with a `choose` and a line in `new_player`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Protocol

from counterplay import search
from counterplay.arena.defence import Defence
from counterplay.arena.levels import LEVELS, LevelPlayer
from counterplay.core.game import Game, UnreadableText, UserError
from counterplay.core.texts import read_settings
from counterplay.search.algorithms import split_limits
from counterplay.search.run import Progress

__all__ = ["Player", "new_player"]


class Player(Protocol):
    """Who chooses actions in one game after the other."""

    def choose(self, states: Sequence[Any]) -> int:
        """The action at the last of `states`, which are all those of the game so far."""
        ...


def new_player(
    game: Game, text: str, seed: int = 0, *, otherwise: search.Limits | None = None, **limits: Any
) -> Player:
    """The player of that text. `limits` (`seconds`, `nodes`, `simulations`) hold where the text has no setting.

    A search that needs a limit and has none gets `otherwise`; an error without that.
    """
    name, _, rest = text.strip().partition(":")
    if name == "level":
        return LevelPlayer(game, rest, seed)
    try:
        settings = read_settings(rest)
    except UnreadableText as error:
        raise UnreadableText(f"'{text}' is no player: {error}") from None
    given = {key: value for key, value in limits.items() if value is not None}
    if name == "random":
        _must_be_known(text, settings, ("seed",))
        return RandomPlayer(game, settings.get("seed", seed))
    if name == "openspiel-mcts":
        _must_be_known(text, settings, ("simulations", "seconds", "uct_c", "seed"))
        return OpenSpielPlayer(game, seed, **(given | settings))
    if name not in search.ENGINES:
        raise UserError(
            f"there is no player '{name}'; there are: random, openspiel-mcts, {', '.join(search.ENGINES)}, "
            f"and level:1 to level:{len(LEVELS)}"
        )
    kind = search.ENGINES[name]
    known = (*kind.abilities.limits, "multi", *kind.setting_names())
    _must_be_known(text, settings, known)
    settings = {key: value for key, value in given.items() if key in known} | settings
    if kind.abilities.seed:
        settings.setdefault("seed", seed)
    budget, multi, own = split_limits(settings)
    if kind.abilities.needs_limit and budget == search.Limits() and otherwise is not None:
        budget = otherwise
    if kind.abilities.needs_limit and budget == search.Limits():
        raise UserError(f"{name} needs a limit, as in '{name}:{kind.abilities.limits[0]}=4'")
    return EnginePlayer(game, partial(search.new_engine, name, **own), budget, multi)


class RandomPlayer:
    """Any legal action, each as likely as the other."""

    def __init__(self, game: Game, seed: int) -> None:
        self._game, self._random = game, search.new_random(seed)

    def choose(self, states: Sequence[Any]) -> int:
        return int(search.random_action(self._game, states[-1], self._random))


class EnginePlayer:
    """What an engine finds, which keeps what it has seen from move to move; when all is lost, what still counts."""

    def __init__(
        self, game: Game, new_engine: Callable[[Game], search.Engine], limits: search.Limits, multi: int = 1
    ) -> None:
        self._engine, self._limits, self._multi = new_engine(game), limits, multi
        self._defence = Defence(game, new_engine)

    def choose(self, states: Sequence[Any]) -> int:
        result = self.search(states)
        if result.stopped == "interrupted":  # by ctrl-C: it is not the move that this player would have made
            raise KeyboardInterrupt
        if result.action is None:
            raise UserError(f"{result.algorithm} finds no action at {result.game.to_text(states[-1])}")
        return result.action

    def search(self, states: Sequence[Any], progress: Progress | None = None) -> search.Result:
        """What it finds at the last of `states`."""
        *earlier, s = states
        found = self._engine.search(s, self._limits, multi=self._multi, history=earlier, progress=progress)
        return self._defence.instead(found, self._limits, earlier, progress)

    def stop(self) -> None:
        """End the search that is going on."""
        self._engine.stop()
        self._defence.stop()


class OpenSpielPlayer:
    """OpenSpiel's C++ MCTSBot with random rollouts."""

    def __init__(
        self,
        game: Game,
        seed: int,
        simulations: int | None = None,
        seconds: float | None = None,
        uct_c: float = 2.0,
        **_: Any,
    ) -> None:
        try:
            import pyspiel
        except ImportError:
            raise UserError("openspiel-mcts needs OpenSpiel: pip install 'counterplay[peers]'") from None
        if str(game) not in _SPIEL_GAMES:
            raise UserError(f"openspiel-mcts plays {', '.join(_SPIEL_GAMES)}; not {game}")
        if simulations is None and seconds is None:
            raise UserError("openspiel-mcts needs a limit, as in 'openspiel-mcts:simulations=1000'")
        self._game, self._spiel = game, pyspiel.load_game(game.name)
        self._bot = pyspiel.MCTSBot(
            self._spiel,
            pyspiel.RandomRolloutEvaluator(1, seed),
            uct_c=uct_c,
            max_simulations=simulations or _ENDLESS,
            max_memory_mb=1000,
            solve=False,
            seed=seed,
            verbose=False,
            max_wall_clock_time=seconds or -1.0,
        )

    def choose(self, states: Sequence[Any]) -> int:
        state = self._spiel.new_initial_state()
        for before, after in pairwise(states):
            played = next(a for a in self._game.actions(before) if self._game.result(before, a) == after)
            state.apply_action(self._number(played))
        chosen = int(self._bot.step(state))
        return next(int(a) for a in self._game.actions(states[-1]) if self._number(int(a)) == chosen)

    def _number(self, a: int) -> int:
        """OpenSpiel's number of our action `a`; they are the same but for the pass in Othello."""
        return 64 if self._game.name == "othello" and a == self._game.passing else a  # type: ignore[attr-defined]


_ENDLESS = 1 << 30
_SPIEL_GAMES = ("tic_tac_toe", "connect_four", "othello")
"""Games of which we know how OpenSpiel numbers the actions."""


def _must_be_known(text: str, settings: dict[str, Any], known: Sequence[str]) -> None:
    for setting in settings:
        if setting not in known:
            raise UserError(f"'{text}': there is no setting '{setting}'; there are: {', '.join(known)}")
