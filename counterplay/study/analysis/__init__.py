"""What to think of a position or of a whole game: best lines, mistakes, and why one move is better than another."""

from counterplay.study.analysis.explain import Explanation, Term, explain
from counterplay.study.analysis.lines import BestLines, best_lines
from counterplay.study.analysis.prospects import Prospect
from counterplay.study.analysis.records import moves_of_text, read_record
from counterplay.study.analysis.review import MARKS, Review, ReviewedMove, review

__all__ = [
    "MARKS",
    "BestLines",
    "Explanation",
    "Prospect",
    "Review",
    "ReviewedMove",
    "Term",
    "best_lines",
    "explain",
    "moves_of_text",
    "read_record",
    "review",
]
