"""Questions about game trees, in the style of the lectures, with checked answers."""

from counterplay.quiz.kinds import KINDS
from counterplay.quiz.questions import Question, Verdict, questions
from counterplay.quiz.sheet import sheet, solutions

__all__ = ["KINDS", "Question", "Verdict", "questions", "sheet", "solutions"]
