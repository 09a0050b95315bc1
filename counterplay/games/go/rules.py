"""Go on any board up to 19x19: area scoring, two passes end the game."""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from counterplay.core.bits import Bits
from counterplay.core.boards import BoardGame
from counterplay.core.drawing import Look, Piece
from counterplay.core.game import UnreadableText
from counterplay.core.primitives import mix64, repeat, replace, state_key
from counterplay.games.go import quick

LETTERS = "ABCDEFGHJKLMNOPQRST"  # no I, which looks like J


class Go(BoardGame):
    """Surround more points than the opponent; what has no free point beside it is taken. X is Black and begins."""

    pieces = "XO"
    player_names = ("Black", "White")
    unit = "points"
    look = Look(
        "lines", "#dcb35c", "#4a3a1c", {"X": Piece("stone", "#1d1d1d"), "O": Piece("stone", "#f7f5ee", "#8a8a80")}
    )

    size: int = 9  # rows, and columns if those are not given
    columns: int = 0
    komi: float = 7.5  # points White is given for moving second
    ko: str = "simple"  # or "positional": no position of the board may come again
    suicide: bool = False  # whether two or more stones may be given up by taking their last liberty
    margin: bool = False  # whether the points count by which a game is won
    most_moves: int = 0  # the game is scored as it stands after so many, passes included; 0 is two for every point

    class State(NamedTuple):
        mine: Bits  # the stones of the player to move
        theirs: Bits
        atari: Bits  # stones of both in groups with a single liberty; it follows from the two above
        ko: int  # the point that may not be retaken at once, or -1
        passes: int  # how many the last moves were
        ply: int
        position: int  # a hash of the stones; it and the past are kept for positional ko only
        past: tuple  # the hashes of the earlier positions, by ply

    class Board(NamedTuple):
        mine: Bits  # the stones of the player who has just moved
        theirs: Bits
        atari: Bits
        ko: int
        removed: Bits  # the stones taken off: theirs, or mine after suicide

    # ---- the board: point `row * stride + column`, row 0 being 1 on the edge. One more column that is never occupied
    # keeps the rows apart, so that a shift by one does not join the end of a row to the beginning of the next.

    @cached_property
    def across(self):
        return self.columns or self.size

    @cached_property
    def shape(self):
        return self.size, self.across

    def square(self, row, column):
        return (self.size - 1 - row) * self.stride + column

    @cached_property
    def stride(self):
        return self.across + 1

    @cached_property
    def none(self):
        return Bits(self.size * self.stride)

    @cached_property
    def points(self):
        return Bits(self.none.width, [r * self.stride + c for r in range(self.size) for c in range(self.across)])

    @cached_property
    def pass_move(self):
        return self.none.width - 1  # never occupied, so it can stand for a pass among the actions

    @cached_property
    def limit(self):
        return self.most_moves or 2 * len(self.points)

    @cached_property
    def superko(self):
        return self.ko == "positional"

    def around(self, b):
        """The neighbours of the points of `b`, and some squares that are no points."""
        return b << 1 | b >> 1 | b << self.stride | b >> self.stride

    def flood(self, b, within):
        """What of `within` is connected to `b`, and `b`."""
        while True:
            grown = b | self.around(b) & within
            if grown == b:
                return b
            b = grown

    def some_group(self, group, stones, empty):
        """The whole group that `group` is part of; or a part of it, which is enough, that has two liberties."""
        while True:
            around = self.around(group)
            if len(around & empty) > 1:
                return group
            grown = group | around & stones
            if grown == group:
                return group
            group = grown

    # ---- rules

    def initial(self):
        return self.State(self.none, self.none, self.none, -1, 0, 0, 0, repeat(0, self.limit if self.superko else 1))

    def player(self, s):
        return s.ply % 2

    def is_terminal(self, s):
        return s.passes == 2 or s.ply >= self.limit

    def actions(self, s):
        """A point is legal if beside it is a free point, an own group with another liberty, or a group to take.

        That is one set operation for all points, thanks to `atari`: an own group beside a free point has another
        liberty unless it is in atari, and theirs has that last liberty here if it is.
        """
        if self.is_terminal(s):
            return self.none
        empty = self.points - s.mine - s.theirs
        helpers = s.mine if self.suicide else s.mine - s.atari
        legal = empty & self.around(empty | helpers | s.theirs & s.atari)
        if s.ko >= 0:
            legal = legal.remove(s.ko)
        if self.superko:
            legal = legal - self.repeating(s, legal)
        return legal.add(self.pass_move)

    def result(self, s, a):
        past = replace(s.past, s.ply, s.position) if self.superko else s.past
        if a == self.pass_move:
            return self.State(s.theirs, s.mine, s.atari, -1, s.passes + 1, s.ply + 1, s.position, past)
        b = self.after_stone(s, a)
        position = self.position_after(s, a, b) if self.superko else 0
        return self.State(b.theirs, b.mine, b.atari, b.ko, 0, s.ply + 1, position, past)

    def after_stone(self, s, a):
        """The board after a stone at `a`; of the groups only those that it touches are looked at."""
        stone = self.none.add(a)
        beside = self.around(stone)
        mine, theirs, atari, ko = s.mine | stone, s.theirs, s.atari, -1
        taken = beside & theirs & atari
        if taken:
            taken = self.flood(taken, theirs & atari)
            theirs, atari = theirs - taken, atari - taken
            relieved = self.around(taken) & mine & atari  # they had a liberty and gain others
            atari = atari - self.flood(relieved, mine & atari)
        empty = self.points - mine - theirs
        group = self.some_group(stone, mine, empty)
        liberties = len(self.around(group) & empty)
        if liberties > 1:
            relieved = beside & mine & atari
            if relieved:
                atari = atari - self.flood(relieved, mine & atari)
        elif liberties == 1:
            atari = atari | group
            if group == stone and len(taken) == 1:
                ko = taken.lowest()
        else:  # suicide; the groups around it get back what they lost here, and more
            relieved = self.around(group) & theirs & atari
            atari = atari - group - self.flood(relieved, theirs & atari)
            return self.Board(mine - group, theirs, atari, -1, group)
        rest = beside & theirs  # they lose a liberty, and none of them had only that one
        while rest:
            group = self.some_group(self.none.add(rest.lowest()), theirs, empty)
            if len(self.around(group) & empty) == 1:
                atari = atari | group
            rest = rest - group
        return self.Board(mine, theirs, atari, ko, taken)

    def area(self, s):
        """Black's points less White's, without komi: the stones, and the free points that lead to one colour only."""
        empty = self.points - s.mine - s.theirs
        mine, theirs = self.flood(s.mine, empty), self.flood(s.theirs, empty)
        lead = len(mine - theirs) - len(theirs - mine)
        return lead if s.ply % 2 == 0 else -lead

    def utility(self, s, p):
        """1, 0 or -1; with `margin` the lead, as part of all that there is to get."""
        lead = self.area(s) - self.komi
        if self.margin:
            return lead / self.most_points if p == 0 else -lead / self.most_points
        if lead == 0:
            return 0.0
        return 1.0 if (lead > 0) == (p == 0) else -1.0

    # ---- positional ko. A position's hash is the exclusive or of a mark for every stone (Zobrist 1970). The nine low
    # bits of a mark are its point, which turns the question around: a position that came before is one stone away from
    # this one if the two hashes differ by the mark of that stone, and the difference says where it would be.

    def mark(self, colour, point):
        return mix64(2 * point + colour + 1) & -512 | point

    def position_after(self, s, a, b):
        """The hash of the position after a stone at `a` has led to the board `b`."""
        turn = s.ply % 2
        h = s.position ^ self.mark(turn, a)
        colour = 1 - turn if a in b.mine else turn
        for point in b.removed:
            h ^= self.mark(colour, point)
        return h

    def repeating(self, s, legal):
        """The legal points where a stone would bring back a position."""
        found, turn = self.none, s.ply % 2
        empty = self.points - s.mine - s.theirs
        quiet = legal & self.around(empty | s.mine - s.atari) - self.around(s.theirs & s.atari)
        past = np.array(s.past)[: s.ply]
        for difference in past ^ s.position:
            a = difference & 511
            if a in quiet and difference == self.mark(turn, a):
                found = found.add(a)
        for a in legal - quiet:  # stones are removed
            if np.any(past == self.position_after(s, a, self.after_stone(s, a))):
                found = found.add(a)
        return found

    # ---- knowledge

    reach = 3  # how far from a stone a free point may be to count as its owner's

    class Terms(NamedTuple):
        area: float  # stones, and points within `reach` of one colour that are nearer to it than to the other
        liberties: float  # free points beside stones
        atari: float  # stones that their owner must hurry to save
        komi: float  # what White is given

    weights = Terms(area=1.0, liberties=0.25, atari=0.25, komi=1.0)  # chosen by hand
    half_win = 10.0

    @cached_property
    def most_points(self):
        return float(len(self.points)) + abs(self.komi)

    def squash(self, x):
        return min(max(x / self.most_points, -1.0), 1.0) if self.margin else x / (self.half_win + abs(x))

    def terms(self, s):
        """What the estimate is made of, each for Black less the same for White."""
        sign = 1.0 if s.ply % 2 == 0 else -1.0
        empty = self.points - s.mine - s.theirs
        mine, theirs = s.mine, s.theirs - s.atari  # what the player to move can take counts as taken
        free = self.points - mine - theirs
        for _ in range(self.reach):  # both spread by a point at a time; what both reach at once is nobody's
            more_mine, more_theirs = self.around(mine) & free, self.around(theirs) & free
            mine, theirs = mine | more_mine - more_theirs, theirs | more_theirs - more_mine
            free = free - more_mine - more_theirs
        return self.Terms(
            sign * (len(mine) - len(theirs)),
            sign * (len(self.around(s.mine) & empty) - len(self.around(s.theirs) & empty)),
            sign * (len(s.theirs & s.atari) - len(s.mine & s.atari)),
            -self.komi,
        )

    def priority(self, s, a):
        """Captures and rescues first, then near other stones; the edge late, own eyes last. Pass early if it wins."""
        if a == self.pass_move:
            ahead = self.utility(s, s.ply % 2) > 0.0
            return 1000.0 if s.passes == 1 and ahead else -50.0
        stone = self.none.add(a)
        beside = self.around(stone)
        taken, saved = beside & s.theirs & s.atari, beside & s.mine & s.atari
        value = 0.0
        if taken:
            value += 20.0 + 2.0 * len(self.flood(taken, s.theirs & s.atari))
        empty = self.points - s.mine - s.theirs
        if saved and (taken or len(beside & empty) > 1):
            value += 10.0 + 2.0 * len(self.flood(saved, s.mine & s.atari))
        if not beside & self.points - s.mine and not saved:
            value -= 30.0
        return value + len(beside & empty) + 2.0 * len(beside & s.theirs) + len(beside & s.mine)

    @cached_property
    def edge(self):
        inside = self.points & self.points << 1 & self.points >> 1 & self.points << self.stride
        return self.points - (inside & self.points >> self.stride)

    @cached_property
    def near(self):
        return quick.surroundings(self.size, self.across)[0]

    @cached_property
    def off_board(self):
        return quick.surroundings(self.size, self.across)[1]

    @property
    def symmetries(self):
        """All ways to turn and mirror the board; what is no point stays where it is."""
        rows, columns, found = self.size, self.across, []
        for swap, up, left in ((i & 4, i & 2, i & 1) for i in range(1, 8 if rows == columns else 4)):
            to = list(range(self.none.width))
            for r in range(rows):
                for c in range(columns):
                    row, column = rows - 1 - r if up else r, columns - 1 - c if left else c
                    to[r * self.stride + c] = column * self.stride + row if swap else row * self.stride + column
            found.append(to)
        return found

    def quick_action(self, s, last, random):
        """Save, take, answer the last move, else anywhere but into an own eye."""
        return quick.action(self, s, last, random)

    def hunch(self, s, a, last):
        """Near the last move, taking, saving and shapes look well; the edge, own eyes and giving stones do not."""
        return quick.hunch(self, s, a, last)

    def sights(self, s):
        """Groups in danger: mine and theirs in atari, then those with two liberties; where a stone of mine has room and
        takes no own eye; the ko. A network would need many layers to count liberties."""
        empty = self.points - s.mine - s.theirs
        two = self.with_two_liberties(s.mine - s.atari, empty) | self.with_two_liberties(s.theirs - s.atari, empty)
        ko = self.none.add(s.ko) if s.ko >= 0 else self.none
        return s.mine & s.atari, s.theirs & s.atari, s.mine & two, s.theirs & two, quick.sensible(self, s), ko

    def with_two_liberties(self, stones, empty):
        """Of `stones`, which are whole groups, those in groups with two liberties."""
        found = self.none
        while stones:
            group = self.flood(self.none.add(stones.lowest()), stones)
            if len(self.around(group) & empty) == 2:
                found = found | group
            stones = stones - group
        return found

    @property
    def shapes(self):
        """What stands on every three by three points, and on two by four in the corners."""
        rows, columns = self.size, self.across
        high, wide = min(3, rows), min(3, columns)
        blocks = [(r, c, high, wide) for r in range(rows - high + 1) for c in range(columns - wide + 1)]
        corners = [(0, 0, min(2, rows), min(4, columns)), (0, 0, min(4, rows), min(2, columns))]
        return [
            [self.stride * (first + r) + left + c for r in range(tall) for c in range(across)]
            for first, left, tall, across in blocks + corners
        ]

    def is_noisy(self, s, a):
        """Taking two stones or more; a single one might be retaken in turn, but lines of these lose stones and end."""
        if a == self.pass_move:
            return False
        return len(self.flood(self.around(self.none.add(a)) & s.theirs & s.atari, s.theirs & s.atari)) > 1

    def key(self, s):
        if self.superko:
            return state_key(s)
        return state_key((s.mine, s.theirs, (s.ply * 3 + s.passes) * 512 + s.ko + 1))

    # ---- for people

    def labels(self):
        return list(LETTERS[: self.across]), [str(r) for r in range(self.size, 0, -1)]

    @property
    def scored(self):
        return self.margin

    def in_units(self, v):
        return v * self.most_points if self.margin else super().in_units(v)

    def consolation(self):
        """Who has lost plays for points, and does not fill its own eyes."""
        return None if self.margin else Go(**(self.settings | {"margin": True}))

    def outcome(self, s):
        lead = self.area(s) - self.komi
        return f"{'Black' if lead > 0 else 'White'} wins by {abs(lead):g} points" if lead else "a draw"

    def action_name(self, s, a):
        return "pass" if a == self.pass_move else f"{LETTERS[a % self.stride]}{a // self.stride + 1}"

    def to_text(self, s):
        """The board's rows, the player to move, and what else matters: `.XO./XO.O/.XO./.... X ko=C3 moves=12`."""
        text = "/".join("".join(row) for row in self.board(s)) + f" {'XO'[s.ply % 2]}"
        text += f" ko={self.action_name(s, s.ko)}" if s.ko >= 0 else ""
        text += f" passes={s.passes}" if s.passes else ""
        text += f" moves={s.ply}" if s.ply > 1 else ""
        earlier = s.past[: s.ply] if self.superko else ()
        if any(h != s.position for h in earlier):
            text += " past=" + ",".join(f"{h & (1 << 64) - 1:x}" for h in earlier)
        return text

    def from_text(self, text):
        """A board and what follows it in `to_text`; all but the board may be left out."""
        board, *words = text.split() or [""]
        side = words.pop(0) if words and "=" not in words[0] else "X"
        given = dict(word.split("=", 1) for word in words if "=" in word)
        if (
            side.upper() not in ("X", "O")
            or len(given) != len(words)
            or given.keys() - {"ko", "passes", "moves", "past"}
        ):
            raise UnreadableText(
                f"'{text}' is no position; write board and player, like '{self.to_text(self.initial())}', "
                "and perhaps ko=C3, passes=1, moves=20"
            )
        turn = "XO".index(side.upper())
        ply, passes = (self._number(given, name, least) for name, least in (("moves", turn), ("passes", 0)))
        if ply % 2 != turn or ply > self.limit or passes > min(ply, 2):
            raise UnreadableText(
                f"moves={ply} passes={passes} cannot be: Black moves after an even number of moves, "
                f"White after an odd one, of {self.limit} at most, and two passes end the game"
            )
        sides = [Bits(self.none.width, points) for points in self.read(board.upper())]
        mine, theirs = sides[turn], sides[1 - turn]
        s = self.State(mine, theirs, self._in_atari(mine, theirs), -1, passes, ply, *self._past(given, sides, ply))
        return self._with_ko(s, given["ko"]) if "ko" in given else s

    def _number(self, given, name, otherwise):
        text = given.get(name, str(otherwise))
        if not text.isascii() or not text.isdigit():
            raise UnreadableText(f"{name}={text} is not a number of moves")
        return int(text)

    def _in_atari(self, mine, theirs):
        """The stones of both sides in groups with a single liberty; all groups must have one."""
        found, empty = self.none, self.points - mine - theirs
        for stones in (mine, theirs):
            rest = stones
            while rest:
                group = self.flood(self.none.add(rest.lowest()), stones)
                liberties = len(self.around(group) & empty)
                if not liberties:
                    raise UnreadableText(
                        f"the stone at {self.action_name(None, group.lowest())} has no liberty: "
                        "it would have been taken off"
                    )
                found = found | group if liberties == 1 else found
                rest = rest - group
        return found

    def _past(self, given, sides, ply):
        """The hash of this position and those of earlier ones; if none is given, it is as if they all had been this."""
        if not self.superko:
            if "past" in given:
                raise UnreadableText("past=... is for games with ko=positional")
            return 0, (0,)
        here = 0
        for colour, stones in enumerate(sides):
            for point in stones:
                here ^= self.mark(colour, point)
        try:
            earlier = [int(h, 16) for h in given["past"].split(",")] if "past" in given else [here] * ply
        except ValueError:
            raise UnreadableText(f"past={given['past']} is not a list of hexadecimal numbers") from None
        if len(earlier) != ply or not all(0 <= h < 1 << 64 for h in earlier):
            raise UnreadableText(f"past=... needs {ply} numbers of 64 bits, one for each move")
        signed = [h - (1 << 64) if h >> 63 == 1 else h for h in earlier]
        return here, (*signed, *[0] * (self.limit - ply))

    def _with_ko(self, s, text):
        """The state with a point that may not be retaken: where a single stone could take a single stone."""
        named = {self.action_name(s, point).lower(): point for point in self.points - s.mine - s.theirs}
        ko = named.get(text.lower(), self.pass_move)
        beside = self.around(self.none.add(ko)) & self.points
        taken = self.flood(beside & s.theirs & s.atari, s.theirs & s.atari)
        if text.lower() not in named or beside - s.theirs or len(taken) != 1 or s.passes:
            raise UnreadableText(
                f"ko={text} cannot be: it is a free point where one stone would take one, after no pass"
            )
        return s._replace(ko=ko)

    def validate(self):
        if not (1 <= self.size <= 19 and 0 <= self.columns <= 19 and abs(self.komi) <= 1000 and self.most_moves >= 0):
            raise UnreadableText("go needs a size of 1 to 19, columns up to 19, a komi, and most_moves of 0 or more")
        if self.ko not in ("simple", "positional"):
            raise UnreadableText(f"go's ko is 'simple' or 'positional', not '{self.ko}'")
