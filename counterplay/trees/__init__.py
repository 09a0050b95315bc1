"""Search trees to look at: recorded from the searches themselves, drawn as text, SVG and a page to step through."""

from counterplay.trees.draw import svg, text
from counterplay.trees.page import page
from counterplay.trees.record import SEARCHES, Step, Trace, Visit, trace

__all__ = ["SEARCHES", "Step", "Trace", "Visit", "page", "svg", "text", "trace"]
