"""Any game of OpenSpiel's, played by its own rules: `openspiel:breakthrough`, `openspiel:hex(board_size=5)`.

A state is what has happened so far, as OpenSpiel's numbers of actions. The rules are OpenSpiel's C++, asked move by
move, so that nothing is compiled. It stands in no list of ours: what there is depends on what is installed.
"""

import difflib
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from counterplay.core.game import Game, IllegalAction, UnreadableText, UserError

MOST_KEPT = 50_000
"""States of OpenSpiel's that are kept; then all are forgotten, and made again from the moves where they are needed."""


class OpenSpiel(Game):
    """A game of OpenSpiel's, by the text that it is loaded with there."""

    game: str = "tic_tac_toe"

    compiled = False  # the rules are another library's
    spiel: ClassVar[Any]
    """OpenSpiel's own game; every instance has another."""

    class State(NamedTuple):
        history: tuple  # the actions since the beginning, chance's too

    @classmethod
    def snake_name(cls):
        return "openspiel"

    def validate(self):
        try:
            import pyspiel
        except ImportError:
            raise UserError("games of OpenSpiel's need it: pip install 'counterplay[peers]'") from None
        kind, name, names = pyspiel.GameType, self.game.partition("(")[0], pyspiel.registered_names()
        if name not in names:
            close = difflib.get_close_matches(name, names, n=1)
            hint = f"did you mean {close[0]}?" if close else f"it has {', '.join(names)}"
            raise UnreadableText(f"OpenSpiel has no game '{name}'; {hint}")
        try:
            game = pyspiel.load_game(self.game)
            if game.get_type().dynamics == kind.Dynamics.SEQUENTIAL:
                game.new_initial_state().legal_actions()  # a few games have no numbers of actions
        except Exception as error:  # of a class that is not Python's own
            raise UnreadableText(f"OpenSpiel does not load '{self.game}': {' '.join(str(error).split())}") from None
        if game.get_type().dynamics == kind.Dynamics.SIMULTANEOUS:
            game = pyspiel.convert_to_turn_based(game)
        about = game.get_type()
        if about.dynamics != kind.Dynamics.SEQUENTIAL or about.chance_mode == kind.ChanceMode.SAMPLED_STOCHASTIC:
            raise UserError(
                f"OpenSpiel's '{self.game}' tells no odds, or not whose turn it is: it cannot be played here"
            )
        self.__dict__["spiel"] = game

    # ---- what OpenSpiel says about it

    @cached_property
    def about(self):
        return self.spiel.get_type()

    @cached_property
    def players(self):
        return self.spiel.num_players()

    @cached_property
    def chance(self):
        return self.about.chance_mode != self.about.ChanceMode.DETERMINISTIC

    @cached_property
    def zero_sum(self):
        return self.about.utility in (self.about.Utility.ZERO_SUM, self.about.Utility.CONSTANT_SUM)

    @cached_property
    def utility_sum(self):
        return float(self.spiel.utility_sum() or 0.0) if self.zero_sum else 0.0

    @cached_property
    def utility_range(self):
        return self.spiel.min_utility(), self.spiel.max_utility()

    @cached_property
    def knows(self):
        """Something is hidden only if OpenSpiel says so; then `information` tells what each player knows."""
        is_open = self.about.information == self.about.Information.PERFECT_INFORMATION
        sees = self.about.provides_observation_tensor
        given = super().knows
        return given._replace(information=not is_open, features=sees)

    # ---- rules

    @cached_property
    def kept(self):
        return {}

    def at_history(self, history):
        """OpenSpiel's state after so many actions."""
        state = self.kept.get(history)
        if state is None:
            state = self.spiel.new_initial_state()
            for a in history:
                state.apply_action(a)
            self.keep(history, state)
        return state

    def keep(self, history, state):
        if len(self.kept) >= MOST_KEPT:
            self.kept.clear()
        self.kept[history] = state

    def initial(self):
        return self.State(())

    def player(self, s):
        state = self.at_history(s.history)
        return 0 if state.is_terminal() else state.current_player()

    def actions(self, s):
        return self.at_history(s.history).legal_actions()

    def result(self, s, a):
        history = (*s.history, int(a))
        if history not in self.kept:
            self.keep(history, self.at_history(s.history).child(int(a)))
        return self.State(history)

    def is_terminal(self, s):
        return self.at_history(s.history).is_terminal()

    def utility(self, s, p):
        return self.at_history(s.history).returns()[p]

    def probability(self, s, a):
        return dict(self.at_history(s.history).chance_outcomes())[a]

    # ---- what is hidden, and what is learnt from

    def information(self, s, p):
        state = self.at_history(s.history)
        if self.about.provides_information_state_string:
            return (state.information_state_string(p),)
        return (state.observation_string(p),)

    @cached_property
    def inputs(self):
        return self.spiel.observation_tensor_size() if self.about.provides_observation_tensor else 0

    def features(self, s, on):
        """Its observation, as the player to move sees it."""
        state = self.at_history(s.history)
        for i, x in enumerate(state.observation_tensor(max(0, self.player(s))) if self.inputs else ()):
            if x:
                on.add(i, x)

    # ---- for people

    def show(self, s):
        return str(self.at_history(s.history)).rstrip("\n")

    def action_name(self, s, a):
        return self.at_history(s.history).action_to_string(int(a))

    def to_text(self, s):
        """The numbers of the actions so far: `4,0,8`, or `start`."""
        return ",".join(map(str, s.history)) or "start"

    def from_text(self, text):
        words = [] if text.strip() in ("", "start") else text.split(",")
        s = self.initial()
        for word in words:
            if not (word.strip().isascii() and word.strip().isdigit()):
                raise UnreadableText(f"'{text}' is no position: write the numbers of the actions so far, like '4,0,8'")
            if int(word) not in self.actions(s):
                raise IllegalAction(f"'{text}' is no position: {word.strip()} is not legal after {self.to_text(s)}")
            s = self.result(s, int(word))
        return s
