"""Questions about game trees, in the style of the lectures, with checked answers."""

from counterplay.study.quiz.kinds import KINDS
from counterplay.study.quiz.questions import Question, Verdict, questions
from counterplay.study.quiz.sheet import sheet, solutions

__all__ = ["KINDS", "Question", "Verdict", "questions", "sheet", "solutions"]
