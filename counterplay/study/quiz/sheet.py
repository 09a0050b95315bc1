"""Questions on paper: a sheet to answer on, and its solutions. Each is one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from counterplay.core.game import UserError
from counterplay.study.quiz.questions import Question

__all__ = ["sheet", "solutions"]


def sheet(questions: Sequence[Question]) -> str:
    """The questions with the room to answer: MAX up, MIN down, chance round, values at the leaves only."""
    person = '<p class="person"><span>Name</span><span>Date</span><span>Right</span></p>'

    def block(question: Question) -> str:
        form = f"<b>Answer</b> <small>({escape(question.form)})</small>"
        return f'{_tree(question._repr_svg_())}\n<p class="answer">{form}<span></span></p>'

    return _page("Game trees", questions, person + _LEGEND, map(block, questions))


def solutions(questions: Sequence[Question]) -> str:
    """The same questions with their answers, the solved trees, and the reasons."""

    def block(question: Question) -> str:
        parts = (f"<p>{escape(part.words)}</p>\n{_tree(part.svg)}" for part in question.solution)
        return f"<p><b>Answer: {escape(question.answer)}</b></p>\n" + "\n".join(parts)

    return _page("Game trees: solutions", questions, _SOLVED, map(block, questions))


def _tree(svg: str) -> str:
    return f'<div class="tree">{svg}</div>'


def _page(title: str, questions: Sequence[Question], head: str, blocks: Iterable[str]) -> str:
    if not questions:
        raise UserError("a sheet needs at least one question")
    seeds = ", ".join(map(str, sorted({each.seed for each in questions})))
    levels = ", ".join(map(str, sorted({each.difficulty for each in questions})))
    count = "1 question" if len(questions) == 1 else f"{len(questions)} questions"
    body = "\n".join(
        f"<section>\n<h2>{i}</h2>\n<p>{escape(each.ask)}</p>\n{block}\n</section>"
        for i, (each, block) in enumerate(zip(questions, blocks, strict=True), 1)
    )
    about = f"{count} · difficulty {levels} · seed {seeds}"
    return _PAGE.format(title=title, about=about, head=head, body=body)


_LEGEND = """<p class="legend">A triangle up is MAX, who wants much; a triangle down is MIN, who wants little; a circle
is chance, with its probabilities beside the branches. Of three players each wants much for itself. A leaf has its
value in a box and its name at the branch.</p>"""

_SOLVED = """<p class="legend">Blue is the line of best play. Red and crossed out is what alpha-beta never looked at;
the numbers beside the nodes lead to the reasons below. The value in a node that was cut is a bound.</p>"""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
  :root {{ color-scheme: light; }}
  body {{ margin: 0; font: 15px/1.45 system-ui, sans-serif; color: #1c2430; background: #fff; }}
  main {{ max-width: 820px; margin: 0 auto; padding: 16px; }}
  header {{ border-bottom: 2px solid #1c2430; margin-bottom: 18px; }}
  h1 {{ font-size: 24px; margin: 0; }}
  header p {{ margin: 4px 0 10px; }}
  .legend, small {{ color: #4a5460; font-size: 13px; }}
  .person {{ display: flex; gap: 24px; }}
  .person span {{ flex: 1; border-bottom: 1px dotted #1c2430; padding-top: 14px; }}
  section {{ position: relative; padding: 0 0 16px 36px; break-inside: avoid; }}
  h2 {{ position: absolute; left: 0; top: 0; margin: 0; font-size: 18px; line-height: 1.2; }}
  section p {{ margin: 0 0 8px; }}
  svg.counterplay-lines {{ display: block; max-width: 100%; height: auto; filter: none; }}
  .answer {{ display: flex; flex-wrap: wrap; align-items: baseline; gap: 8px; }}
  .answer span {{ flex: 1; min-width: 120px; border-bottom: 1px dotted #1c2430; height: 22px; }}
  @media (max-width: 600px) {{
    section {{ padding-left: 0; padding-top: 26px; }}
    .tree {{ overflow-x: auto; }}
    .tree svg.counterplay-lines {{ max-width: none; }}
  }}
  @page {{ margin: 10mm 12mm; }}
  @media print {{
    body {{ font-size: 10pt; }}
    main {{ max-width: none; padding: 0; }}
    section {{ padding-bottom: 6px; }}
    * {{ print-color-adjust: exact; -webkit-print-color-adjust: exact; }}
    p {{ break-after: avoid; }}
  }}
</style>
</head>
<body>
<main>
<header>
<h1>{title}</h1>
<p>{about}</p>
{head}
</header>
{body}
</main>
</body>
</html>
"""
