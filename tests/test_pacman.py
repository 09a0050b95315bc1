"""Pacman: the rules against a slow obvious twin, the mazes, the estimates, the ghosts, and how people see it."""

import math
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from counterplay import UnreadableText, games, native, search
from counterplay.apps.cli import main
from counterplay.games.pacman import maze as mazes
from counterplay.games.pacman.drawing import Film, films_svg
from counterplay.games.pacman.rules import NAMES, Pacman, directional_ghosts, random_ghosts
from counterplay.search import new_random, random_action

pytestmark = pytest.mark.long

LAYOUTS = mazes.names()
STEPS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1), "stop": (0, 0)}
BACK = {"N": "S", "S": "N", "E": "W", "W": "E"}


# ---- a twin that knows of rows and columns only


class Twin:
    """The rules as one tells them, on the text of the layout."""

    def __init__(self, game):
        self.game = game
        self.rows = game.maze.rows
        everything = [(r, c) for r, row in enumerate(self.rows) for c, _ in enumerate(row)]
        found = {kind: [(r, c) for r, c in everything if self.rows[r][c] == kind] for kind in "PG.o"}
        self.pacman, self.homes = found["P"][0], found["G"]
        self.ghosts, self.headings, self.scared = list(self.homes), [None] * len(self.homes), [0] * len(self.homes)
        self.dots, self.capsules = set(found["."]), set(found["o"])
        self.score = self.steps = self.turn = 0
        self.alive = True

    def is_over(self):
        return not self.alive or not self.dots or (self.turn == 0 and self.steps == self.game.limit)

    def moves(self):
        """Ghosts never stop, and turn back only at dead ends."""
        if self.is_over():
            return []
        r, c = self.pacman if self.turn == 0 else self.ghosts[self.turn - 1]
        ways = [name for name in "NESW" if self.rows[r + STEPS[name][0]][c + STEPS[name][1]] != "%"]
        if self.turn == 0:
            return [*ways, "stop"]
        heading = self.headings[self.turn - 1]
        return [name for name in ways if heading is None or name != BACK[heading]] or ways

    def meets(self, i):
        if self.ghosts[i] == self.pacman:
            if self.scared[i]:
                self.score += 200
                self.ghosts[i], self.headings[i], self.scared[i] = self.homes[i], None, 0
            else:
                self.alive = False

    def play(self, name):
        y, x = STEPS[name]
        mover, alive = self.turn, self.alive
        if mover == 0:
            self.pacman = (self.pacman[0] + y, self.pacman[1] + x)
            self.score, self.steps = self.score - 1, self.steps + 1
            self.scared = [max(0, t - 1) for t in self.scared]
            if self.pacman in self.capsules:
                self.capsules.remove(self.pacman)
                self.scared = [self.game.scare] * len(self.ghosts)
            if self.pacman in self.dots:
                self.dots.remove(self.pacman)
                self.score += 10
                if not self.dots:
                    self.score += 500
                    return
            for i in range(len(self.ghosts)):
                self.meets(i)
        else:
            i = mover - 1
            self.ghosts[i] = (self.ghosts[i][0] + y, self.ghosts[i][1] + x)
            self.headings[i] = name
            self.meets(i)
        if alive and not self.alive:
            self.score -= 500
        later = [i for i in range(mover, len(self.ghosts)) if self.scared[i] % 2 == 0]
        self.turn = later[0] + 1 if later else 0

    def as_state(self):
        game = self.game
        number = {place: i for i, place in enumerate(game.maze.squares)}
        headings = tuple("NESW".index(name) if name else 4 for name in self.headings)
        ghosts, bits = tuple(number[g] for g in self.ghosts), type(game.initial().dots)
        dots, capsules = (bits(len(number), [number[p] for p in each]) for each in (self.dots, self.capsules))
        rest = (dots, capsules, self.score, self.steps, self.turn, self.alive)
        return game.State(number[self.pacman], ghosts, headings, tuple(self.scared), *rest)


class CourseTwin(Twin):
    """With scared ghosts as Berkeley's project has them, by coordinates: `GhostRules` in its pacman.py."""

    def moves(self):
        """Halfway one can only go on."""
        i = self.turn - 1
        if self.is_over() or self.turn == 0 or all(x == int(x) for x in self.ghosts[i]):
            return super().moves()
        return [self.headings[i]]

    def meets(self, i):
        """Half a square is near enough."""
        if sum(abs(a - b) for a, b in zip(self.ghosts[i], self.pacman, strict=True)) <= 0.7:
            self.ghosts[i] = self.pacman
        super().meets(i)

    def play(self, name):
        i, (y, x) = self.turn - 1, STEPS[name]
        if self.turn == 0:
            super().play(name)
            self.turn = 0 if not self.dots else 1
            return
        alive, is_scared = self.alive, self.scared[i] > 0
        speed = 0.5 if is_scared else 1
        r, c = self.ghosts[i]
        r, c = r + speed * y, c + speed * x
        self.headings[i] = name
        if self.scared[i] == 1:  # rows are counted downwards here, upwards there
            r, c = -math.floor(-r + 0.5), math.floor(c + 0.5)
        self.ghosts[i] = (int(r) if r == int(r) else r, int(c) if c == int(c) else c)
        before, self.scared[i] = self.scared[i], max(0, self.scared[i] - 1)  # here fear passes with a ghost's move
        home = self.ghosts[i]
        self.meets(i)
        was_eaten = is_scared and self.headings[i] is None
        self.scared[i] = 0 if was_eaten else before  # which is for all at Pacman's in the game
        if not self.alive and alive:
            self.score, self.ghosts[i] = self.score - 500, home
        self.turn = (self.turn + 1) % (len(self.ghosts) + 1)

    def as_state(self):
        """A ghost that is halfway stands on the square that it comes from."""
        places, ghosts = list(self.ghosts), []
        halfway = [i for i, place in enumerate(places) if any(x != int(x) for x in place)]
        for i, (r, c) in enumerate(places):
            y, x = STEPS[self.headings[i]] if i in halfway else (0, 0)
            ghosts.append((int(r - 0.5 * y), int(c - 0.5 * x)))
        self.ghosts = ghosts
        s = super().as_state()
        self.ghosts = places
        return s._replace(headings=tuple(h + 6 * (i in halfway) for i, h in enumerate(s.headings)))


@pytest.mark.parametrize("half_steps", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_random_games_are_those_of_the_twin(layout, half_steps):
    game, random = Pacman(layout=layout, limit=60, scare=7, half_steps=half_steps), new_random(3)
    ends = set()
    for _ in range(12):
        s, twin = game.initial(), (CourseTwin if half_steps else Twin)(game)
        while True:
            assert twin.as_state() == s
            assert [NAMES[a] for a in game.actions(s)] == twin.moves()
            assert game.is_terminal(s) == twin.is_over()
            assert game.from_text(game.to_text(s)) == s
            if game.is_terminal(s):
                break
            a = random_action.interpreted(game, s, random)
            twin.play(NAMES[a])
            s = game.result(s, a)
        assert (game.utility(s, 0), game.utility(s, 1)) == (twin.score, -twin.score)
        ends.add((s.alive, bool(s.dots)))
    assert ends


# ---- points and events, one by one


def test_a_step_a_dot_and_a_win():
    game = Pacman(layout="tiny")
    s = game.at("stop W").state
    assert (s.score, s.steps, s.turn) == (-1, 1, 0)
    s = game.at("E").state
    assert game.is_terminal(s)
    assert s.score == -1 + 10 + 500


def test_death_costs_500_whoever_moves():
    game = Pacman(layout="suicide")
    assert game.at("E").state.alive
    by_ghost = game.at("E S W").state
    assert (by_ghost.alive, by_ghost.score) == (False, -501)
    by_pacman = game.at("stop S W E").state
    assert (by_pacman.alive, by_pacman.score) == (False, -502)
    assert list(game.actions(by_pacman)) == []
    assert game.show(by_pacman).startswith("%%%")


def test_a_scared_ghost_is_slow_edible_and_sent_home():
    game = Pacman(layout="capsule", scare=10)
    s = game.at("E").state  # eats the capsule at once
    assert (s.scared, s.turn) == ((10,), 1)
    moves, place = ["E", "W", "E", "E"], game.at("E W E").state.ghosts
    s = game.at(moves).state
    assert (s.ghosts, s.turn, s.scared) == (place, 1, (8,))  # at 9, an odd number, it stood still
    s = game.at([*moves, "W", "E"]).state
    assert (s.score, s.ghosts, s.scared, s.headings) == (-4 + 200, game.homes, (0,), (4,))


def test_scared_ghosts_go_half_squares_if_they_are_asked_to():
    game = Pacman(layout="capsule", scare=10, half_steps=True)
    s = game.at("E W").state
    assert (s.ghosts, s.headings, s.turn) == (game.homes, (9,), 0)
    assert game.at("E W stop").moves() == ["W"]  # halfway there is no other way
    assert game.at("E W stop W").state.ghosts == Pacman(layout="capsule", scare=10).at("E W").state.ghosts
    found = [search.minimax(game, s, depth=6)]
    with native.interpreted():
        found.append(search.minimax(game, s, depth=6))
    assert (found[0].value, found[0].nodes, found[0].line) == (found[1].value, found[1].nodes, found[1].line)
    with pytest.raises(UnreadableText):
        Pacman(layout="capsule").from_text(game.to_text(s))


def test_ghosts_turn_back_only_at_dead_ends():
    game = Pacman(layout="tiny", ghosts=1)
    assert game.at("stop").moves() == ["W"]
    assert game.at("stop W stop").moves() == ["W"]
    ring = Pacman(layout="ring")
    assert ring.at("E").moves() == ["E", "W"]
    assert ring.at("E W").moves() == ["N", "W"]


def test_the_limit_ends_a_game():
    game = Pacman(layout="thrashing", limit=2)
    s = game.at("stop E stop E").state
    assert game.is_terminal(s)
    assert game.utility(s, 0) == -2.0


# ---- mazes


def test_there_are_ten_layouts_and_more_and_they_differ():
    assert len(LAYOUTS) >= 10
    assert len({mazes.read(name).rows for name in LAYOUTS}) == len(LAYOUTS)
    assert {len(mazes.read(name).ghosts) for name in LAYOUTS} >= {1, 2, 4}


@pytest.mark.parametrize("layout", ["small", "ring", "thrashing"])
def test_distances_are_those_of_floyd_and_warshall(layout):
    maze = mazes.read(layout)
    n = len(maze.squares)
    far = np.full((n, n), 10_000)
    for i, (r, c) in enumerate(maze.squares):
        for j, (v, u) in enumerate(maze.squares):
            if abs(r - v) + abs(c - u) <= 1:
                far[i, j] = int(i != j)
    for k in range(n):
        far = np.minimum(far, far[:, k, None] + far[k, None, :])
    np.testing.assert_array_equal(mazes.distances(maze), np.minimum(far, mazes.FAR))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is empty"),
        ("%%%%\n%PG.\n%%%", "line 3: 3 characters, but line 1 has 4"),
        ("%%%%\n%PxG\n%%%%", "line 2, column 3: 'x' is none of"),
        ("%%%%%\n%. G%\n%%%%%", "0 Pacmen P; it needs 1"),
        ("%%%%%\n%PP.G\n%%%%%", "2 Pacmen P"),
        ("%%%%%\n%P. %\n%%%%%", "0 ghosts G; it needs 1 to 4"),
        ("%P.GGGGG%", "5 ghosts G"),
        ("%P  G%", "no dot"),
        ("%P.%.G%", "line 1, column 5: Pacman cannot get to this '.'"),
        ("%P. %G%", "line 1, column 6: this ghost cannot move"),
        ("P.G" + " " * 500, "400 is the most"),
    ],
)
def test_a_malformed_layout_gets_one_clear_line_and_exit_status_2(text, complaint, tmp_path, monkeypatch, capsys):
    with pytest.raises(UnreadableText, match="layout") as error:
        mazes.parse(text)
    assert complaint in str(error.value)
    file = tmp_path / "maze.txt"
    file.write_text(text)
    monkeypatch.setattr(sys, "argv", ["counterplay", "show", f"pacman:layout={file}"])
    with pytest.raises(SystemExit) as exit:
        main()
    assert exit.value.code == 2
    shown = capsys.readouterr().err.strip()
    assert complaint in shown
    assert "\n" not in shown


def test_a_layout_of_your_own(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("%%%%%%\n%P. G%\n%%%%%%\n")
    assert games.load(f"pacman:layout={file}").initial() == Pacman(layout="tiny").initial()
    with pytest.raises(UnreadableText, match="there is no layout 'nowhere'; there are: capsule, classic"):
        Pacman(layout="nowhere")


@pytest.mark.parametrize("wrong", ["estimate=best", "limit=0", "scare=0", "ghosts=5"])
def test_parameters_that_make_no_game(wrong):
    with pytest.raises(UnreadableText, match="pacman"):
        games.load(f"pacman:{wrong}")


# ---- knowledge


def random_states(game, n, seed=1):
    random = new_random(seed)
    s = game.initial()
    for _ in range(n):
        s = game.initial() if game.is_terminal(s) else game.result(s, random_action.interpreted(game, s, random))
        if not game.is_terminal(s):
            yield s


@pytest.mark.parametrize("layout", ["small", "classic", "capsule"])
def test_estimates_are_the_sum_of_the_terms(layout):
    game, by_score = Pacman(layout=layout), Pacman(layout=layout, estimate="score")
    for s in random_states(game, 300):
        v = sum(w * t for w, t in zip(game.weights, game.terms(s), strict=True))
        assert game.evaluate(s, 0) == pytest.approx(v)
        assert game.evaluate(s, 1) == -game.evaluate(s, 0)
        assert by_score.evaluate(s, 0) == s.score


def test_to_eat_is_better_than_to_wait():
    """However far the next dot may be; danger and prey left aside."""
    tested = 0
    for layout in ("thrashing", "classic", "pockets"):
        game = Pacman(layout=layout)
        for s in random_states(game, 600):
            for a in game.actions(s) if s.turn == 0 else ():
                eaten, waited = game.result(s, a), game.result(s, 4)
                if len(eaten.dots) == len(s.dots) or game.is_terminal(eaten) or game.is_terminal(waited):
                    continue
                w, after, before = game.weights, game.terms(eaten), game.terms(waited)
                assert after.score + w.food * after.food > before.score + w.food * before.food
                tested += 1
    assert tested > 50


def test_alphabeta_and_minimax_agree_and_ghosts_search_together():
    game = Pacman(layout="suicide")
    with native.interpreted():
        plain, pruned = search.minimax(game, depth=9), search.alphabeta(game, depth=9, without=["all"])
    assert plain.value == pruned.value == -501.0
    assert plain.action_name == "E"
    assert pruned.nodes < plain.nodes


# ---- ghosts


def test_random_ghosts_are_uniform():
    game = Pacman(layout="suicide")
    with native.interpreted():
        ours = search.expectimax(game, depth=6, policy=random_ghosts)
        assert ours.values == search.expectimax(game, depth=6).values


def test_directional_ghosts_hunt_and_flee():
    game = Pacman(layout="ring")
    for scared, towards in ((0, min), (20, max)):
        for s in random_states(game, 200):
            if s.turn == 0:
                continue
            i = s.turn - 1
            s = s._replace(scared=tuple(scared for _ in s.scared))
            weights = {a: directional_ghosts(game, s, a) for a in game.actions(s)}
            assert sum(weights.values()) == pytest.approx(1.0)
            away = {a: int(game.distances[game.target(s.ghosts[i], a), s.pacman]) for a in weights}
            best = [a for a in weights if away[a] == towards(away.values())]
            assert sum(weights[a] for a in best) == pytest.approx(0.8 + 0.2 * len(best) / len(weights))


# ---- for people


def test_position_texts():
    game = Pacman(layout="capsule")
    s = game.at("E W").state
    assert game.to_text(s) == "P3.2 G7.2:W:40 eaten:3.2 score:-1 steps:1 turn:0"
    assert game.from_text(game.to_text(s)) == s
    for wrong in (
        "",
        "P1.1 G7.2:W score:0 steps:0 turn:0",  # in a wall
        "P3.2 score:0 steps:0 turn:0",  # no ghost
        "P3.2 G7.2:W eaten:4.2 score:0 steps:0 turn:0",  # where nothing was
        "P3.2 G7.2:W score:0 steps:0 turn:2",
        "Q3.2 G7.2:W score:0 steps:0 turn:0",
    ):
        with pytest.raises(UnreadableText, match=r"write it like 'P2\.2 G8\.2:- score:0 steps:0 turn:0'"):
            game.from_text(wrong)


def test_drawings_are_svg():
    game = Pacman(layout="capsule")
    scared = game.at("E W")
    drawing = scared._repr_svg_()
    assert ET.fromstring(drawing).tag.endswith("svg")
    assert "#3557ff" in drawing  # a scared ghost is blue
    assert "#3557ff" not in game.at()._repr_svg_()
    moves = ["E", "W", "E", "E", "W", "E", "W"]
    states = [game.at(moves[:k]).state for k in range(len(moves) + 1)]
    film = ET.fromstring(films_svg([Film("a < b", game.maze, states)]))
    assert len(film.findall(".//{*}animateTransform")) >= 2
    assert [each.text for each in film.findall(".//{*}text")] == ["a < b"]
    for each in film.findall(".//*[@keyTimes]"):
        times = [float(t) for t in each.get("keyTimes").split(";")]
        assert len(times) == len(each.get("values").split(";"))
        assert times == sorted(times)
        assert times[0] == 0.0
