"""What goes wrong by the user's hand: each is told in one line."""

from __future__ import annotations

__all__ = ["AmbiguousText", "EndlessGame", "IllegalAction", "RulesError", "UnreadableText", "UserError"]


class UserError(ValueError):
    """Something the user can mend; the message is one line that says what was wrong and what would be right."""


class UnreadableText(UserError):
    """A text that is no position, move, game or parameter."""


class IllegalAction(UserError):
    """A move that reads well but is not allowed here."""


class AmbiguousText(UserError):
    """A text that fits more than one move."""


class EndlessGame(UserError):
    """A game that goes on and on where it should end."""


class RulesError(UserError):
    """A game class that is not complete."""
