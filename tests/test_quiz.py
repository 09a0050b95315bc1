"""The quiz: every answer against slow searches written here, answers as people write them, the terminal and paper."""

import io
import itertools
import json
import re
import sys
import xml.etree.ElementTree as ET
from math import inf

import pytest

from counterplay import CHANCE, UserError, games, quiz

pytestmark = pytest.mark.long

LEVELS = range(1, 6)
EACH = 3  # questions of each kind and difficulty
MANY = 10  # so that there are 350 in all


def questions(each):
    """Questions of all kinds and difficulties."""
    return [q for kind in quiz.KINDS for level in LEVELS for q in quiz.questions(each, level, kind, level)]


@pytest.fixture(scope="module")
def asked():
    return questions(EACH)


# ---- the slow twin: a tree as nested tuples, and the lectures' functions on it


def nested(question):
    """(name, mover, children with probabilities, utilities) from the rules of the game."""
    game = question.game

    def node(s, name):
        if game.is_terminal(s):
            return name, None, [], [game.utility(s, p) for p in range(game.players)]
        mover = game.player(s)
        below = [(node(game.result(s, a), game.action_name(s, a)), game.probability(s, a)) for a in game.actions(s)]
        return name, mover, below, []

    return node(game.initial(), "")


def worth(node, random_min=False):
    """Minimax with chance; or MIN at random."""
    _, mover, below, utilities = node
    if not below:
        return utilities[0]
    values = [worth(child, random_min) for child, _ in below]
    if mover == CHANCE:
        return sum(p * v for v, (_, p) in zip(values, below, strict=True))
    if mover == 1 and random_min:
        return sum(values) / len(values)
    return max(values) if mover == 0 else min(values)


def vector(node):
    _, mover, below, utilities = node
    return max((vector(child) for child, _ in below), key=lambda v: v[mover]) if below else utilities


def alphabeta(node, seen, alpha=-inf, beta=inf):
    """The lectures' alpha-beta; notes the window at each node it comes to."""
    name, mover, below, utilities = node
    seen[name] = (alpha, beta)
    if not below:
        return utilities[0]
    v = -inf if mover == 0 else inf
    for child, _ in below:
        u = alphabeta(child, seen, alpha, beta)
        if mover == 0:
            v, alpha = max(v, u), max(alpha, u)
            if v >= beta:
                return v
        else:
            v, beta = min(v, u), min(beta, u)
            if v <= alpha:
                return v
    return v


def leaves(node):
    return [leaf for child, _ in node[2] for leaf in leaves(child)] if node[2] else [node[0]]


def best_moves(root, **how):
    """The moves with the largest value, and the value."""
    values = {child[0]: worth(child, **how) for child, _ in root[2]}
    most = max(values.values())
    return [name for name, v in values.items() if v == most], most


def right_answers(question):
    """All right answers, as (names, numbers)."""
    root = nested(question)
    kind = question.kind
    if kind == "value":
        return [((), (worth(root),))]
    if kind == "maxn":
        return [((), tuple(vector(root)))]
    if kind in ("expectimax", "expectiminimax"):
        moves, v = best_moves(root, random_min=kind == "expectimax")
        others = [(name,) for name in best_moves(root)[0]] if kind == "expectimax" else [()]
        return [((move, *other), (v,)) for move in moves for other in others]
    if kind == "order":
        looks = {}
        for order in itertools.permutations(root[2]):
            seen = {}
            alphabeta((*root[:2], list(order), []), seen)
            looks[tuple(child[0] for child, _ in order)] = sum(name in seen for name in leaves(root))
        fewest = min(looks.values())
        return [(order, (fewest,)) for order, n in looks.items() if n == fewest]
    seen = {}
    alphabeta(root, seen)
    if kind == "window":
        return [((), seen[re.search(r"comes to (\w+)\?", question.ask)[1]])]
    return [(tuple(name for name in leaves(root) if name not in seen), ())]


def spoken(answer):
    """An answer of the quiz as (names, numbers), read by other means than the quiz does."""
    words = re.sub(r"[αβ,:]|none", " ", answer).replace("−", "-").replace("∞", "inf").split()
    names = tuple(word for word in words if word[0].isalpha() and word != "inf")
    return names, tuple(float(word) for word in words if word not in names)


@pytest.mark.parametrize("each", [EACH, pytest.param(MANY, marks=pytest.mark.rare)])
def test_every_answer_is_what_the_slow_twin_finds(asked, each):
    many = asked if each == EACH else questions(each)
    assert len(many) == 35 * each
    for question in many:
        expected = right_answers(question)
        found = [spoken(each) for each in question.accepted]
        assert len(found) == len(expected), question
        for (names, numbers), (right_names, right_numbers) in zip(sorted(found), sorted(expected), strict=True):
            assert names == right_names, question
            assert numbers == pytest.approx(right_numbers, rel=1e-3, abs=1e-3), question  # shown to four digits


def test_right_answers_are_right_and_others_are_not(asked):
    for question in asked[::3]:
        assert all(question.check(answer) for answer in question.accepted)
        names, numbers = right_answers(question)[0]
        written = " ".join([*names, *map(str, numbers)]) or "none"
        assert question.check(written)
        if numbers:
            assert not question.check(" ".join([*names, *(str(n + 1 if abs(n) < inf else 0) for n in numbers)]))
        elif names:
            assert not question.check("none")
            assert not question.check(" ".join(names[1:]) or "none")


@pytest.mark.rare
def test_questions_are_worth_asking():
    asked = questions(MANY)
    of = {kind: [q for q in asked if q.kind == kind] for kind in quiz.KINDS}
    assert sum(q.answer != "none" for q in of["pruned"]) >= 0.8 * len(of["pruned"])
    assert any(q.answer == "none" for level in LEVELS for q in quiz.questions(60, 0, "pruned", level))
    differ = [q.answer.split()[0] != q.answer.split()[-1] for q in of["expectimax"]]
    assert 0.7 * len(differ) <= sum(differ) < len(differ)
    assert sum("∞" not in q.answer for q in of["window"] if q.difficulty > 2) >= 20
    for question in of["order"]:
        moves = len(question.branches)
        assert len(question.accepted) < [1, 1, 2, 6, 24][moves]
    drawn = [" ".join(branch[0] for branch in q.branches) not in str(q.accepted) for q in of["order"]]
    assert sum(drawn) >= 0.8 * len(drawn)
    assert len({q.game for q in asked}) >= 345  # hardly one comes twice


def test_difficulty_makes_trees_larger(asked):
    size = {level: [len(q.game.nodes) for q in asked if q.difficulty == level] for level in LEVELS}
    means = [sum(sizes) / len(sizes) for sizes in size.values()]
    assert means == sorted(means)
    assert max(map(max, size.values())) <= 31
    low = min(q.game.utility_range[0] for q in asked if q.difficulty == 1 and q.kind == "value")
    assert low >= -9


def test_everything_fits_in_80_columns(asked):
    for question in asked:
        lines = f"{question.text}\n{question.explanation}".splitlines()
        assert max(map(len, lines)) <= 80, question


def test_the_text_shows_leaves_and_names_but_no_inner_values():
    (question,) = quiz.questions(1, 1, "value", 2)
    numbers = [word for word in question.text.split() if re.fullmatch(r"−?\d+", word)]
    inside = [f"{question.game.utility(s, 0):g}" for s in map(question.game.State, range(len(question.game.nodes)))]
    assert sorted(numbers) == sorted(inside[-len(numbers) :])
    assert {"root", "A", "B", "a1", "b1", "MAX", "MIN"} <= set(question.text.split())


def test_the_reasons_of_cuts_are_the_words_of_the_trace():
    (question,) = quiz.questions(1, 3, "pruned", 2)
    assert "not looked at: c2, c3 (MIN here is ≤ 16, MAX already has 18)" in question.explanation
    assert question.check("c1").explanation == question.explanation
    assert "1: MIN here is ≤ 16, MAX already has 18" in question.solution[0].svg


# ---- determinism


def test_a_seed_is_the_same_quiz_everywhere():
    told = [(q.kind, str(q.game), q.answer) for q in quiz.questions(7, 3, None, 1)]
    assert told == SEED_3
    assert told[:4] == [(q.kind, str(q.game), q.answer) for q in quiz.questions(4, 3, None, 1)]
    assert quiz.questions(3, 4) != quiz.questions(3, 5)


SEED_3 = [
    ("window", "tree:tree=max[A:min[a1:5,a2:3],B:min[b1:1,b2:9]]", "α 3, β ∞"),
    ("expectiminimax", "tree:tree=max[A:chance[0.6*a1:4,0.4*a2:5],B:chance[0.25*b1:6,0.75*b2:3]]", "A 4.4"),
    ("value", "tree:tree=max[A:min[a1:2,a2:8],B:min[b1:6,b2:3]]", "3"),
    ("order", "tree:tree=max[A:min[a1:1,a2:8],B:min[b1:2,b2:5],C:min[c1:6,c2:7]]", "C A B: 4"),
    ("expectimax", "tree:tree=max[A:min[a1:5,a2:6],B:min[b1:8,b2:4]]", "B 6 A"),
    ("pruned", "tree:tree=max[A:min[a1:7,a2:5],B:min[b1:3,b2:9],C:min[c1:4,c2:6]]", "b2 c2"),
    ("maxn", "tree:tree=p1[A:p2[a1:(2,1,2),a2:(4,6,9)],B:p2[b1:(8,0,7),b2:(7,9,4)]]", "7,9,4"),
]


# ---- answers as people write them


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        ("value", ["15", "15.0", " +15 ", "30/2", "the value is 15", "15.001"], ["-15", "−15", "15.1", "inf"]),
        ("pruned", ["c2 c3", "C3,C2", "{c3; c2}", "leaves c2 and c3", "10 1", "c2, 1"], ["none", "-", "c2", "C", "A"]),
        ("window", ["2 inf", "2, ∞", "α=2 β=∞", "alpha 2, beta +infinity", "(2, INF)"], ["-inf inf", "inf 2", "2 3"]),
        ("order", ["C A B 5", "c,b,a: 5", "order C B A and 5 leaves"], ["A B C 5", "C A B 6", "A C B 8"]),
        ("expectimax", ["A 13 C", "a 13.0 c", "A = 13, C", "A 39/3 C"], ["C 13 A", "A 13 A", "A 12 C"]),
        ("expectiminimax", ["B 12.5", "b: 25/2", "12.5 B", "move B, value 12.5"], ["A 12.5", "B 12", "B -12.5"]),
        ("maxn", ["6 7 6", "(6, 7, 6)", "p1 6, p2 7, p3 6"], ["7 6 6", "6 7 7"]),
    ],
)
def test_answers_are_read_as_people_write_them(kind, right, wrong):
    (question,) = quiz.questions(1, 3, kind, 2)
    for answer in right:
        assert question.check(answer), answer
    for answer in wrong:
        assert not question.check(answer), answer
    for answer in (
        "",
        "   ",
        "what?",
        "z9",
        "1/0",
        "?!",
        "1e5",
        "a" * 1000,
        "\0",
        "[red]",
        "..",
        "1 2 3 4 5 6 7",
        "²",
        "9" * 400,
        "9" * 5000,
    ):
        with pytest.raises(UserError, match=re.escape(question.form)):
            question.check(answer)


def test_thirds_may_be_rounded():
    question = next(q for q in quiz.questions(40, 0, "expectimax", 3) if len(q.answer.split()[1]) > 4)
    first, _, last = question.answer.split()
    v = best_moves(nested(question), random_min=True)[1]
    for number in (f"{v:.2f}", f"{v:.6f}", f"{round(v * 3)}/3"):
        assert question.check(f"{first} {number} {last}")
    assert not question.check(f"{first} {v + 0.02} {last}")


def test_a_pruned_node_stands_for_its_leaves(asked):
    tried = 0
    for question in (q for q in asked if q.kind == "pruned"):
        every = leaves(nested(question))
        pruned = set(every) & set(question.answer.split())
        for letter in sorted({name[0] for name in pruned}):
            below = {name for name in every if name[0] == letter}
            if below <= pruned:
                assert question.check(" ".join([letter.upper(), *(pruned - below)]))
                tried += 1
    assert tried > 3


def test_bad_requests_are_refused():
    for request, message in [
        ({"kind": "poker"}, "no questions of the kind 'poker'; there are: value, pruned"),
        ({"difficulty": 0}, "the difficulty is 1 to 5, not 0"),
        ({"difficulty": 6}, "not 6"),
        ({"n": 0}, "1 to 200 questions, not 0"),
        ({"n": 201}, "not 201"),
    ]:
        with pytest.raises(UserError, match=message):
            quiz.questions(**request)
    with pytest.raises(UserError, match="at least one question"):
        quiz.sheet([])


# ---- the terminal


@pytest.fixture
def session(counterplay, monkeypatch):
    """What the quiz of seed 3 prints when these lines are typed."""

    def run(typed, *options):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed) if isinstance(typed, str) else typed)
        status, out, err = counterplay("quiz", "--seed", 3, "--difficulty", 1, *options)
        assert (status, err) == (0, "")
        assert all(len(line) <= 80 for line in out.splitlines())
        return out

    return run


def test_a_session(session):
    out = session("3 inf\nhint\nhelp\nagain\nB 4\nfoo\n3.0\nskip\nq\n", "--questions", 6)
    assert out.startswith("6 questions, difficulty 1, seed 3")
    assert out.count("Question 2 of 6: expectiminimax") == 2
    assert "> 3 inf\n\nRight.\n" in out
    assert "not looked at: b2 (MIN here is ≤ 1, MAX already has 3)" in out
    assert "Multiply every outcome's value by its probability" in out
    assert "Or: hint, skip, again" in out
    assert "Wrong: it is A 4.4." in out
    assert "'foo' is neither a number nor one of A, B; write a number, like 3" in out
    assert "The answer is C A B: 4." in out
    assert out.endswith(SCORE)


SCORE = """2 of 4 right, 1 skipped

kind            right  asked
window              1      1
expectiminimax      0      1
value               1      1
order               0      1
"""


class Interrupted(io.StringIO):
    def readline(self, *_):
        line = super().readline()
        if not line:
            raise KeyboardInterrupt
        return line


@pytest.mark.parametrize("typed", ["3 inf\n", Interrupted("3 inf\n")], ids=["end of input", "ctrl-C"])
def test_it_ends_with_the_score_so_far(session, typed):
    assert session(typed).endswith("1 of 1 right\n\nkind    right  asked\nwindow      1      1\n")


def test_nothing_was_answered(session):
    assert session("").endswith("no question was answered\n")


def test_the_same_questions_as_json_and_on_paper(answer, counterplay, tmp_path):
    told = answer("quiz", "--seed", 3, "--difficulty", 1, "--questions", 7)
    assert (told["seed"], told["difficulty"], told["kind"]) == (3, 1, None)
    assert [(q["kind"], q["game"], q["answer"]) for q in told["questions"]] == SEED_3
    for each in told["questions"]:
        assert games.load(each["game"]).show(games.load(each["game"]).initial())
        assert each["answer"] == each["accepted"][0]
    file = tmp_path / "sheet.html"
    status, out, _ = counterplay("quiz", "--seed", 3, "--difficulty", 1, "--questions", 7, "--out", file)
    assert status == 0
    assert "sheet-solutions.html" in out
    assert sorted(each.name for each in tmp_path.iterdir()) == ["sheet-solutions.html", "sheet.html"]
    for each in told["questions"]:
        assert f"<title>{each['game']}</title>" in file.read_text("utf-8")
    assert file.read_text("utf-8") == quiz.sheet(quiz.questions(7, 3, None, 1))
    assert (tmp_path / "sheet-solutions.html").read_text("utf-8") == quiz.solutions(quiz.questions(7, 3, None, 1))


def test_without_a_seed_questions_are_new(answer):
    assert len({answer("quiz", "--questions", 1)["seed"] for _ in range(4)}) > 1


def test_mistakes_on_the_command_line(counterplay, tmp_path):
    for options, message in [
        (("--kind", "poker"), "there are no questions of the kind 'poker'"),
        (("--difficulty", 7), "the difficulty is 1 to 5, not 7"),
        (("--questions", 0), "1 to 200 questions"),
        (("--out", tmp_path / "no" / "x.html"), "cannot be written: No such file"),
        (("--out", tmp_path / "x.pdf"), "name it"),
        (("--out", tmp_path), "cannot be written: it is a folder"),
    ]:
        status, out, err = counterplay("quiz", *options)
        assert (status, out) == (2, "")
        assert message in err
    (tmp_path / "x-solutions.html").mkdir()
    assert counterplay("quiz", "--out", tmp_path / "x.html")[0] == 2
    assert [each.name for each in tmp_path.iterdir()] == ["x-solutions.html"]  # and no half of it


# ---- paper


def svgs(page):
    return [ET.fromstring(each) for each in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]


def texts(svg, inner):
    """What is written into the inner nodes of a picture, or into its leaves."""
    groups = svg.iter("{http://www.w3.org/2000/svg}g")
    nodes = [g for g in groups if "data-visit" in g.attrib and (g.get("class") == "leaf") != inner]
    return [text.text or "" for g in nodes for text in g if text.get("class") == "v"]


def test_a_sheet_shows_questions_and_no_answers(asked):
    some = asked[::17]
    page, solved = quiz.sheet(some), quiz.solutions(some)
    assert len(svgs(page)) == len(some)
    for question, svg in zip(some, svgs(page), strict=True):
        assert set(texts(svg, inner=True)) <= {"", "p1", "p2", "p3"}
        assert len(texts(svg, inner=False)) == len(leaves(nested(question)))
        assert "α" not in ET.tostring(svg, encoding="unicode")
        assert "stroke-dasharray" not in ET.tostring(svg, encoding="unicode")
        assert question._repr_svg_() in page
        for text in (page, solved):
            assert question.ask.replace("'", "&#x27;") in text
        assert f"Answer: {question.answer}" in solved
        for part in question.solution:
            assert part.svg in solved
            assert all(texts(ET.fromstring(part.svg), inner=True))
    for text in (page, solved):
        assert "difficulty 1, 2, 3, 4, 5 · seed 1, 2, 3, 4, 5" in text
        assert "http" not in text.replace("http://www.w3.org/2000/svg", "")  # needs nothing from elsewhere
        assert "<script" not in text


def test_solved_pictures_show_all_leaves_and_the_value(asked):
    for question in asked[::11]:
        for part in question.solution:
            svg = ET.fromstring(part.svg)
            written = [text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")]
            assert set(leaves(nested(question))) <= set(written)  # what was cut too
            if question.kind in ("value", "maxn"):
                assert texts(svg, inner=True)[0] == question.answer
    assert json.dumps([question.as_dict() for question in asked[::11]], allow_nan=False)


@pytest.mark.slow
def test_paper_in_a_browser(new_page, tmp_path):
    """Nothing is wider than the window, and no question is higher than a page of A4 or letter."""
    some = quiz.questions(7, 3, None, 5)
    for name, html in (("sheet", quiz.sheet(some)), ("solutions", quiz.solutions(some))):
        file = tmp_path / f"{name}.html"
        file.write_text(html, encoding="utf-8")
        for width in (1280, 390):
            page = new_page(viewport={"width": width, "height": 900})
            page.goto(file.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert page.locator("section").count() == 7
            page.close()
        page = new_page(viewport={"width": 700, "height": 970})  # letter within its margins
        page.emulate_media(media="print")
        page.goto(file.as_uri())
        tall = page.eval_on_selector_all("section", "all => all.map(each => each.getBoundingClientRect().height)")
        assert max(tall) < 970
        page.close()
