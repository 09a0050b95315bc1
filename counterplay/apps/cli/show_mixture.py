"""What `analyse` and `explain` show where something is hidden: a mixture of moves, as bars and in words."""

from __future__ import annotations

import shutil
import textwrap

from counterplay.apps.cli import output
from counterplay.core import words
from counterplay.core.game import Position
from counterplay.study.analysis.mixtures import Mixture, explain_mixture

__all__ = ["analyse_hidden", "explain_hidden"]

_BAR = 30  # characters of a bar for what is always done
_WIDEST = 100


def analyse_hidden(here: Position, as_json: bool) -> None:
    """How often to make each move, and what it is worth."""
    found = explain_mixture(here)
    if as_json:
        output.print_json(found.as_dict())
        return
    _say_view(found)
    table = output.table("move", "#how often", "", "#worth", "#if always")
    for each in found.moves:
        cost = f"{each.cost:.3f}" if each.cost >= 0.0005 else "0"
        bar = "█" * round(_BAR * each.chance)
        output.add_row(table, each.name, f"{100 * each.chance:.1f}%", bar, f"{each.value:+.3f}", cost)
    output.say(table)
    output.say("worth: to who moves, here; if always: what the other gains a game by knowing it")


def explain_hidden(here: Position, as_json: bool) -> None:
    """Why it is so."""
    found = explain_mixture(here)
    if as_json:
        output.print_json(found.as_dict())
        return
    _say_view(found)
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    for paragraph in found.paragraphs():
        output.say(textwrap.fill(paragraph, width, subsequent_indent="  ", break_on_hyphens=False))


def _say_view(found: Mixture) -> None:
    """What the player knows; what he does not is not shown, though who asks may know it."""
    output.say(str(found.view))
    output.say(f"\n{words.player_name(found.game, found.view.seat)} is to move\n")
