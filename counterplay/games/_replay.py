"""Positions as texts where a state holds its own history: what is read must come about by playing it again."""

from counterplay.core.game import Game, UnreadableText

MOST_PLIES = 200


class Replayed(Game):
    """A game whose states tell every move that led to them: no other position is read."""

    def from_text(self, text):
        s, t = super().from_text(text), self.initial()
        for _ in range(MOST_PLIES):
            if t == s:
                return s
            a = self.towards(t, s)
            if self.is_terminal(t) or a not in list(self.actions(t)):
                break
            t = self.result(t, a)
        raise UnreadableText(f"'{text}' cannot come about in {self}")

    def towards(self, t, s):
        """The action at `t` on the way to `s`, by what `s` holds of it; -1 if it holds nothing."""
        raise NotImplementedError
