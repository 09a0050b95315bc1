"""Pig: the dice race of pushing one's luck, for two or more players."""

from typing import NamedTuple

from counterplay.core.game import CHANCE, Game, UnreadableText
from counterplay.core.primitives import replace

ROLL, HOLD = 0, 1


class Pig(Game):
    """Roll as often as you dare and hold to bank the sum; a 1 loses the turn's sum. First to `goal` wins."""

    players: int = 2
    goal: int = 100

    chance = True

    class State(NamedTuple):
        scores: tuple
        turn: int
        pot: int  # rolled in this turn and not yet banked
        rolling: bool  # the die is in the air

    def initial(self):
        return self.State((0,) * self.players, 0, 0, False)

    def player(self, s):
        return CHANCE if s.rolling else s.turn

    def actions(self, s):
        if s.rolling:
            for face in range(1, 7):
                yield face
        elif not self.is_terminal(s):
            yield ROLL
            if s.pot > 0:
                yield HOLD

    def probability(self, s, a):
        return 1 / 6

    def result(self, s, a):
        following = (s.turn + 1) % self.players
        if s.rolling:
            if a == 1:
                return self.State(s.scores, following, 0, False)
            return self.State(s.scores, s.turn, s.pot + a, False)
        if a == ROLL:
            return self.State(s.scores, s.turn, s.pot, True)
        banked = replace(s.scores, s.turn, s.scores[s.turn] + s.pot)
        return self.State(banked, following, 0, False)

    def is_terminal(self, s):
        return max(s.scores) >= self.goal

    def utility(self, s, p):
        """1 for the winner, who is paid by the others in equal parts."""
        return 1.0 if s.scores[p] >= self.goal else -1.0 / (self.players - 1)

    def evaluate(self, s, p):
        """The lead over the best of the others, the pot included, as a part of the goal."""
        if self.is_terminal(s):
            return self.utility(s, p)
        mine, best = 0, 0
        for i in range(self.players):
            score = min(s.scores[i] + (s.pot if i == s.turn else 0), self.goal)
            if i == p:
                mine = score
            else:
                best = max(best, score)
        return (mine - best) / self.goal * (1.0 if mine > best else 1.0 / (self.players - 1))

    def show(self, s):
        lines = [f"player {i + 1}: {score}" for i, score in enumerate(s.scores)]
        if not self.is_terminal(s):
            lines[s.turn] += f" + {s.pot}" + (", rolling" if s.rolling else ", to move")
        return "\n".join(lines)

    def action_name(self, s, a):
        return str(a) if s.rolling else ("roll", "hold")[a]

    def validate(self):
        if self.players < 2 or self.goal < 2:
            raise UnreadableText("pig needs 2 or more players and a goal of 2 or more")
