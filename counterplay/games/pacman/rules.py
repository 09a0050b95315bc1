"""Pacman: one who eats against ghosts who hunt, for the lectures' demonstrations.

Player 0 is Pacman. Player 1 moves all ghosts, one after the other, so ghosts who search play together as well as can
be; ghosts who move by chance are a policy, `random_ghosts` or `directional_ghosts`, for `search.expectimax`.
"""

from functools import cached_property
from typing import NamedTuple

from counterplay.core.bits import Bits
from counterplay.core.drawing import Span, coloured
from counterplay.core.game import Game, UnreadableText
from counterplay.core.primitives import repeat, replace
from counterplay.games.pacman import maze as mazes
from counterplay.games.pacman.drawing import maze_svg

NAMES = ("N", "E", "S", "W", "stop")
COLOURS = {"%": "#3b5bdb", "P": "#ffd43b", "X": "#e03131", "G": "#fa5252", "g": "#4dabf7", "o": "#ffc078"}
ALIASES = {"up": "N", "right": "E", "down": "S", "left": "W", "north": "N", "east": "E", "south": "S", "west": "W"}
STOP = 4
NOWHERE, PACMAN, HALFWAY = 4, 5, 6  # rows of `choices` beside the ghosts' headings; HALFWAY + d: halfway to d
HEADINGS = "NESW- nesw"  # in texts
DOT, WIN, DEATH, GHOST = 10, 500, 500, 200  # points, as in Berkeley's Pacman projects; a step costs 1


class Pacman(Game):
    """Eat all dots and do not meet a ghost; a capsule makes the ghosts edible for a while. The score is the utility."""

    layout: str = "small"
    limit: int = 300
    scare: int = 40
    ghosts: int = 4
    estimate: str = "good"
    half_steps: bool = False  # scared ghosts go half a square each step, as in Berkeley's projects

    player_names = ("Pacman", "a ghost")
    arrows = ("N", "E", "S", "W")
    unit = "points"

    class State(NamedTuple):
        pacman: int  # squares are those that are no walls, row by row from the top left
        ghosts: tuple
        headings: tuple  # the direction in which each ghost goes, or NOWHERE; more HALFWAY if it has left its square
        scared: tuple  # steps for which each ghost is still scared
        dots: Bits
        capsules: Bits
        score: int
        steps: int
        turn: int  # 0: Pacman; i: ghost i
        alive: bool

    class Terms(NamedTuple):
        """What the good estimate adds up, weighted; distances in steps through the maze."""

        score: float  # the points so far
        hope: float  # 1 while Pacman lives: the points of a win may still come
        food: float  # to the nearest dot, as a share of the longest distance there is
        capsules: float  # capsules left and, as a share, the way to the nearest
        danger: float  # of each ghost that is not scared, 1 / distance²
        prey: float  # of each scared ghost that can be caught in time, its nearness, from 0 to 1

    weights = Terms(score=1.0, hope=250.0, food=-10.0, capsules=-4.0, danger=-50.0, prey=100.0)
    """Food: never more than a dot, so that to eat one is always better than to wait, however far the next may be."""

    # ---- the maze

    @cached_property
    def maze(self):
        maze = mazes.read(self.layout)
        return maze._replace(ghosts=maze.ghosts[: self.ghosts])

    @cached_property
    def onward(self):
        return mazes.neighbours(self.maze)

    @cached_property
    def choices(self):
        return mazes.choices(self.maze)

    @cached_property
    def distances(self):
        return mazes.distances(self.maze)

    @cached_property
    def longest(self):
        """The longest way between two squares."""
        return int(self.distances[self.distances < mazes.FAR].max())

    @cached_property
    def homes(self):
        return self.maze.ghosts

    @cached_property
    def n_ghosts(self):
        return len(self.maze.ghosts)

    @cached_property
    def utility_range(self):
        """All dots and a win, and each ghost once for each capsule; or a step after the other, and death."""
        most = DOT * len(self.maze.dots) + WIN + GHOST * self.n_ghosts * len(self.maze.capsules)
        largest = float(max(most, DEATH + self.limit))
        return -largest, largest

    # ---- the rules

    def initial(self):
        width, n = len(self.maze.squares), self.n_ghosts
        dots, capsules = Bits(width, self.maze.dots), Bits(width, self.maze.capsules)
        return self.State(self.maze.pacman, self.homes, (NOWHERE,) * n, (0,) * n, dots, capsules, 0, 0, 0, True)

    def ends_round(self, s):
        """The last of the ghosts ends it: all of them are one player, who moves one after the other."""
        return s.turn == self.n_ghosts

    def player(self, s):
        return 0 if s.turn == 0 else 1

    def is_terminal(self, s):
        return not s.alive or not s.dots or (s.turn == 0 and s.steps >= self.limit)

    def mover(self, s):
        """The square of who is to move, and its row of `choices` there."""
        if s.turn == 0:
            return s.pacman, PACMAN
        return s.ghosts[s.turn - 1], s.headings[s.turn - 1]

    def count_actions(self, s):
        square, row = self.mover(s)
        return 0 if self.is_terminal(s) else int(self.choices[square, row, 0])

    def actions(self, s):
        square, row = self.mover(s)
        for i in range(self.count_actions(s)):
            yield int(self.choices[square, row, i + 1])

    def sample(self, s, r):
        square, row = self.mover(s)
        return int(self.choices[square, row, 1 + (r * int(self.choices[square, row, 0]) >> 32)])

    def target(self, square, a):
        return square if a == STOP else int(self.onward[square, a])

    def result(self, s, a):
        return self.pacman_goes(s, a) if s.turn == 0 else self.ghost_goes(s, a)

    def pacman_goes(self, s, a):
        to = self.target(s.pacman, a)
        ghosts, headings, scared = s.ghosts, s.headings, s.scared
        dots, capsules, score, alive = s.dots, s.capsules, s.score - 1, True
        for i in range(self.n_ghosts):
            scared = replace(scared, i, max(0, scared[i] - 1))
        if to in capsules:
            capsules, scared = capsules.remove(to), repeat(self.scare, self.n_ghosts)
        if to in dots:
            dots, score = dots.remove(to), score + DOT
            if not dots:
                return self.State(to, ghosts, headings, scared, dots, capsules, score + WIN, s.steps + 1, 0, True)
        for i in range(self.n_ghosts):
            if self.meets(ghosts[i], headings[i], to):
                if scared[i] > 0:
                    score += GHOST
                    ghosts, headings = replace(ghosts, i, self.homes[i]), replace(headings, i, NOWHERE)
                    scared = replace(scared, i, 0)
                else:
                    alive = False
        if not alive:
            score -= DEATH
        turn = self.next_turn(scared, 0)
        return self.State(to, ghosts, headings, scared, dots, capsules, score, s.steps + 1, turn, alive)

    def ghost_goes(self, s, a):
        i = s.turn - 1
        to, heading, score, alive = self.target(s.ghosts[i], a), a, s.score, True
        scared, still = s.scared, 0
        if self.half_steps and scared[i] > 0:
            to, heading = self.half_step(s.ghosts[i], s.headings[i], a, scared[i])
            still = 1  # fear ends with the ghost's last half step, before it meets anyone
        if self.meets(to, heading, s.pacman):
            if scared[i] > still:
                to, heading, score = self.homes[i], NOWHERE, score + GHOST
                scared = replace(scared, i, 0)
            else:
                alive, score = False, score - DEATH
        ghosts, headings = replace(s.ghosts, i, to), replace(s.headings, i, heading)
        turn = self.next_turn(scared, s.turn)
        return self.State(s.pacman, ghosts, headings, scared, s.dots, s.capsules, score, s.steps, turn, alive)

    def half_step(self, square, heading, a, scared):
        """Where a scared ghost gets to: halfway, or on from there. Its last step ends on a square, if need be by going
        on north or east, or back."""
        to = self.target(square, a)
        if heading >= HALFWAY or (scared == 1 and a <= 1):
            return to, a
        return square, a if scared == 1 else HALFWAY + a

    def meets(self, square, heading, pacman):
        """Whether a ghost meets Pacman: on its square, and halfway on either square."""
        if self.half_steps and heading >= HALFWAY and pacman == self.target(square, heading - HALFWAY):
            return True
        return square == pacman

    def next_turn(self, scared, turn):
        """Who comes after `turn`: the next ghost; but scared ghosts are slow and move only every other step."""
        for i in range(turn, self.n_ghosts):
            if self.half_steps or scared[i] % 2 == 0:
                return i + 1
        return 0

    def utility(self, s, p):
        return float(s.score) if p == 0 else -float(s.score)

    # ---- knowledge

    def earned(self, s, p):
        """The score so far: what a move adds to it is its reward."""
        return self.utility(s, p)

    @cached_property
    def is_score_only(self):
        return self.estimate == "score"

    def terms(self, s):
        """What there is to say for Pacman: the score alone, or also what dots, capsules and ghosts promise."""
        if self.is_score_only:
            return self.Terms(float(s.score), 0.0, 0.0, 0.0, 0.0, 0.0)
        danger, prey = 0.0, 0.0
        for i in range(self.n_ghosts):
            away = int(self.distances[s.pacman, s.ghosts[i]])
            if s.scared[i] == 0:
                danger += 1.0 / max(1, away * away)
            elif away < s.scared[i]:
                prey += 1.0 - away / (self.longest + 1.0)
        food, capsule = self.nearest(s.pacman, s.dots) / self.longest, self.nearest(s.pacman, s.capsules) / self.longest
        return self.Terms(float(s.score), 1.0, food, len(s.capsules) + capsule, danger, prey)

    def nearest(self, square, squares):
        """The steps from a square to the nearest of others; 0 if there are none."""
        least = mazes.FAR
        for each in squares:
            least = min(least, int(self.distances[square, each]))
        return least if squares else 0

    def priority(self, s, a):
        """Pacman eats first, and ghosts hunt first, or flee if scared."""
        square, _ = self.mover(s)
        to = self.target(square, a)
        if s.turn == 0:
            return 1.0 if to in s.dots else 0.0
        away = float(self.distances[to, s.pacman])
        return away if s.scared[s.turn - 1] > 0 else -away

    # ---- for people

    def board_text(self, s):
        """The maze, row by row; ghosts are `G`, scared ones `g`."""
        rows = [list(row.translate(str.maketrans("PG.o", "    "))) for row in self.maze.rows]
        marks = [(i, ".") for i in s.dots] + [(i, "o") for i in s.capsules]
        marks += [(s.pacman, "P")] if s.alive else []
        marks += [(i, "g" if scared else "G") for i, scared in zip(s.ghosts, s.scared, strict=True)]
        marks += [] if s.alive else [(s.pacman, "X")]
        for i, mark in marks:
            r, c = self.maze.squares[i]
            rows[r][c] = mark
        return ["".join(row) for row in rows]

    def show(self, s):
        who = "" if self.is_terminal(s) else f", {'Pacman' if s.turn == 0 else f'ghost {s.turn}'} moves"
        return "\n".join([*self.board_text(s), f"score {s.score}, step {s.steps}{who}"])

    def coloured(self, s):
        *maze, told = self.show(s).split("\n")
        return [*coloured("\n".join(maze), COLOURS), [Span(told)]]

    def svg(self, s):
        return maze_svg(self.maze, s)

    def action_name(self, s, a):
        return NAMES[a]

    def parse_action(self, s, text):
        """N, E, S, W and stop; also left, right, up, down and the words of the course, North and so on."""
        return super().parse_action(s, ALIASES.get(text.strip().lower(), text))

    def outcome(self, s):
        how = "is caught" if not s.alive else "has eaten everything" if not s.dots else "has no steps left"
        return f"Pacman {how}: {s.score:+} points"

    def place(self, square):
        r, c = self.maze.squares[square]
        return f"{c + 1}.{r + 1}"

    def to_text(self, s):
        """`P5.2 G7.1:W G3.3:-:12 eaten:4.2,6.2 score:9 steps:1 turn:0`: places as column.row from the top left.

        A ghost has its heading, in a small letter if it is halfway, and, if scared, for how long. Of dots and capsules
        those are listed that are gone.
        """
        parts = [f"{'P' if s.alive else 'X'}{self.place(s.pacman)}"]
        for square, heading, scared in zip(s.ghosts, s.headings, s.scared, strict=True):
            parts.append(f"G{self.place(square)}:{HEADINGS[heading]}" + (f":{scared}" if scared else ""))
        start = self.initial()
        gone = [*(start.dots - s.dots), *(start.capsules - s.capsules)]
        parts += [f"eaten:{','.join(map(self.place, sorted(gone)))}"] if gone else []
        return " ".join([*parts, f"score:{s.score}", f"steps:{s.steps}", f"turn:{s.turn}"])

    def from_text(self, text):
        try:
            return self._read(text.split())
        except (KeyError, ValueError, IndexError):
            start = self.to_text(self.initial())
            raise UnreadableText(f"'{text}' is not a position of this maze; write it like '{start}'") from None

    def _read(self, words):
        number = {self.place(i): i for i in range(len(self.maze.squares))}
        pacman, *words = words
        ghosts = [word[1:].split(":") for word in words if word[0] == "G"]
        rest = dict(word.split(":") for word in words if word[0] != "G")
        start = self.initial()
        gone = Bits(start.dots.width, [number[place] for place in rest.pop("eaten", "").split(",") if place])
        score, steps, turn = (int(rest.pop(name)) for name in ("score", "steps", "turn"))
        scared = tuple(int(each[2]) if len(each) > 2 else 0 for each in ghosts)
        places, headings = tuple(number[each[0]] for each in ghosts), tuple(HEADINGS.index(each[1]) for each in ghosts)
        eatable = start.dots | start.capsules
        in_range = 0 <= steps <= self.limit and 0 <= turn <= self.n_ghosts and all(0 <= t <= self.scare for t in scared)
        halfway = [i for i, heading in enumerate(headings) if heading >= HALFWAY]
        if halfway and not self.half_steps:
            raise ValueError
        if any(not scared[i] or not self.choices[places[i], headings[i], 0] for i in halfway):
            raise ValueError
        if rest or len(ghosts) != self.n_ghosts or gone - eatable or not in_range or pacman[0] not in "PX":
            raise ValueError
        dots, capsules, alive = start.dots - gone, start.capsules - gone, pacman[0] == "P"
        square = number[pacman[1:]]
        return self.State(square, places, headings, scared, dots, capsules, score, steps, turn, alive)

    def validate(self):
        if self.estimate not in ("good", "score"):
            raise UnreadableText(f"pacman's estimate is good or score, not {self.estimate}")
        if not 1 <= self.limit <= 100_000 or not 1 <= self.scare <= 1000 or not 1 <= self.ghosts <= mazes.MOST_GHOSTS:
            raise UnreadableText("pacman needs a limit of 1 to 100,000 steps, a scare of 1 to 1,000 and 1 to 4 ghosts")
        self.maze  # noqa: B018  (reads the layout, which may be none)


# ---- ghosts who do not search: how likely ghost and action are, as `search.expectimax` asks


def random_ghosts(game, s, a):
    """Every way is as likely as the other."""
    return 1.0


def directional_ghosts(game, s, a):
    """Of ten steps eight are as near to Pacman as can be, or, scared, as far; the rest is as it comes.

    The odds are those of the DirectionalGhost in Berkeley's projects.
    """
    i = s.turn - 1
    n, best, mine = 0, 0, 0
    nearest = 1000
    sign = -1 if s.scared[i] > 0 else 1
    for each in game.actions(s):
        away = sign * int(game.distances[game.target(s.ghosts[i], each), s.pacman])
        n += 1
        if away < nearest:
            nearest, best = away, 0
        if away == nearest:
            best += 1
        if each == a:
            mine = away
    return 0.2 / n + (0.8 / best if mine == nearest else 0.0)
