"""Search trees to look at: recorded from the searches themselves, drawn as text, SVG and a page to step through."""

from counterplay.study.trees.draw import svg, text
from counterplay.study.trees.growing import Growth, grow
from counterplay.study.trees.page import page
from counterplay.study.trees.record import SEARCHES, Step, Trace, Visit, trace

__all__ = ["SEARCHES", "Growth", "Step", "Trace", "Visit", "grow", "page", "svg", "text", "trace"]
