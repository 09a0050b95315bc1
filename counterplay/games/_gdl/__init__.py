"""Games by their rule sheets, in the Game Description Language (GDL) of general game playing.

kif.py      the text of a sheet; rules.py: its rules, and whether the language allows them
ground.py   all instances of the rules; net.py: a net of gates made of them; order.py: what depends on what
survey.py   what only play tells; game.py: the net as a game; writing.py: how people see it
sheets/     rule sheets of our own
"""

from pathlib import Path

from counterplay.games._gdl.game import GdlGame, sheet_class

__all__ = ["SHEETS", "GdlGame", "find_sheet", "sheet_class", "sheets"]

SHEETS = Path(__file__).parent / "sheets"


def sheets() -> list[str]:
    """The file names of our own rule sheets."""
    return sorted(each.name for each in SHEETS.glob("*.kif"))


def find_sheet(path: Path) -> Path:
    """The file that a name means: the user's, or else our own of that name."""
    ours = SHEETS / path.name
    return ours if path.name == str(path) and not path.exists() and ours.is_file() else path
