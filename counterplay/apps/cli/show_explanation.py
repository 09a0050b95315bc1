"""What `counterplay explain` prints: the position, the reasons as text, and the terms of the estimate as a table."""

from __future__ import annotations

import shutil
import textwrap
from typing import TYPE_CHECKING

from counterplay.apps.cli import output
from counterplay.apps.cli.estimating import told_model
from counterplay.core.game import Position
from counterplay.study.analysis import learned

if TYPE_CHECKING:
    from counterplay.study.analysis import Explanation

__all__ = ["say_explanation"]

_WIDEST = 100


def say_explanation(found: Explanation) -> None:
    here = Position(found.game, found.state)
    output.say(output.board(here))
    output.say(f"\n{output.turn(here)}\n")
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    for paragraph in found.paragraphs():
        output.say(textwrap.fill(paragraph, width, subsequent_indent="  ", break_on_hyphens=False))
    if found.other is not None and any(term.chosen or term.other for term in found.terms):
        output.say()
        table = output.table("term", f"#{found.chosen.name}", f"#{found.other.name}", "#difference")
        for term in found.terms:
            if term.chosen or term.other:
                numbers = (term.chosen, term.other, term.difference)
                output.add_row(table, term.name, *(f"{x:+.2f}" if x else "0" for x in numbers))
        output.say(table)
        sign = -1.0 if found.player == 1 else 1.0
        if patterns := learned.drawn(found.game, found.chosen.end, found.patterns(), sign):
            output.say(f"\nthe first patterns of these, at the end of the line of {found.chosen.name}:\n{patterns}")
    output.say(f"\n{found.algorithm}: {found.nodes:,} nodes in {found.seconds:.3f} s")
    for line in told_model(found.game):
        output.say(line)
