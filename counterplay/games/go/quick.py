"""How Go is played on quickly and not foolishly, for playouts: as in MoGo (Gelly, Wang, Munos & Teytaud 2006).

In this order: save stones that the last move put in atari, take what can be taken, answer the last move where the
stones around a point make one of the shapes that people answer, and else play anywhere but into an own eye.
"""

from counterplay.core.primitives import Table, nth
from counterplay.core.randomness import unit, word

SAVES, TAKES, ANSWERS = 0.9, 0.8, 0.95  # how often each is done where it can be

# The eight points around a point, in the order of reading, and what may be at each: `X` and `O` the two colours, `x`
# and `o` anything but them, `.` nothing, `#` off the board, `?` anything on the board. Each shape stands for its eight
# turns and mirror images and for the same with the colours changed.
SHAPES = (
    "XOX .. ???",  # hane around
    "XO. .. ?.?",  # hane that cuts nothing
    "XO? X. x.?",  # hane by turning
    ".O. X. ...",  # diagonal attachment
    "XO? Oo ?o?",  # a cut that nothing protects
    "XO? OX ???",  # a cut that was peeped at
    "?X? OO ooo",  # pushing between
    "OX? oO ???",  # cutting a knight's move
    "X.? O? ###",  # chasing along the edge
    "OX? XO ###",  # blocking a cut at the edge
    "?X? xO ###",  # blocking a connection at the edge
    "?OX XO ###",  # cutting at the edge
)
EMPTY, MINE, THEIRS, OFF = 0, 1, 2, 3
FITS = {"X": (MINE,), "O": (THEIRS,), "x": (EMPTY, THEIRS), "o": (EMPTY, MINE), ".": (EMPTY,), "#": (OFF,)}
STEPS = tuple((r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0))


def _images(shape):
    """A shape, its turns and mirror images: each a row of eight letters in the order of `STEPS`."""
    at = dict(zip(STEPS, shape.replace(" ", ""), strict=True))
    for _ in range(2):
        for _ in range(4):
            yield "".join(at[step] for step in STEPS)
            at = {(c, -r): letter for (r, c), letter in at.items()}
        at = {(r, -c): letter for (r, c), letter in at.items()}


def _codes(letters):
    """The numbers, two bits a point, of all surroundings that fit."""
    codes = [0]
    for k, letter in enumerate(letters):
        codes = [code | what << 2 * k for code in codes for what in FITS.get(letter, (EMPTY, MINE, THEIRS))]
    return codes


def _answered():
    """A bit for each of the 65,536 surroundings: whether a stone in their middle makes a shape."""
    words = [0] * 1024
    for shape in SHAPES:
        for letters in {image for each in (shape, shape.translate(_SWAP)) for image in _images(each)}:
            for code in _codes(letters):
                words[code >> 6] |= 1 << (code & 63)
    return Table(each - (1 << 64) if each >> 63 else each for each in words)


_SWAP = str.maketrans("XOxo", "OXox")
ANSWERED = _answered()


def surroundings(rows, columns):
    """For each point its eight neighbours, or itself where the board ends; and the code of those that are off it."""
    stride = columns + 1
    near, off = [], []
    for r in range(rows):
        for c in range(stride):
            inside = [0 <= r + dr < rows and 0 <= c + dc < columns for dr, dc in STEPS]
            near += [(r + dr) * stride + c + dc if each else 0 for (dr, dc), each in zip(STEPS, inside, strict=True)]
            off.append(sum(OFF << 2 * k for k, each in enumerate(inside) if not each))
    return Table(near), Table(off)


def is_answered(game, s, a):
    """Whether a stone at `a` makes one of the shapes with those around it."""
    code = game.off_board[a]
    for k in range(8):
        q = game.near[8 * a + k]
        code |= ((1 if q in s.mine else 0) | (2 if q in s.theirs else 0)) << 2 * k
    return ANSWERED[code >> 6] >> (code & 63) & 1 == 1


def eyes(game, empty, mine, theirs):
    """Free points with only `mine` beside them, and so few of `theirs` at their corners that they cannot be broken."""
    enclosed = empty - game.around(game.points - mine)
    one, two = theirs << game.stride + 1, theirs << game.stride - 1
    three, four = theirs >> game.stride + 1, theirs >> game.stride - 1
    broken = one & two | three & four | (one | two) & (three | four)
    return enclosed - broken - ((one | two | three | four) & game.edge)


def with_room(game, empty):
    """Points with two free neighbours or more."""
    left, right, up, down = empty << 1, empty >> 1, empty << game.stride, empty >> game.stride
    return left & right | up & down | (left | right) & (up | down)


def any_of(points, random):
    """A random one of these points."""
    return nth(points, word(random) * len(points) >> 32)


def action(game, s, last, random):
    """The next action of a quick game; `last` is the one before it, -1 if there was none."""
    legal = game.actions(s).remove(game.pass_move)
    empty = game.points - s.mine - s.theirs
    roomy = with_room(game, empty) | game.around(s.mine - s.atari)
    theirs_taken = s.theirs & s.atari
    threatened = s.mine & s.atari
    if threatened and unit(random) < SAVES:
        saving = game.around(threatened) & roomy
        attackers = game.around(threatened) & theirs_taken
        if attackers:
            saving = saving | game.around(game.flood(attackers, theirs_taken))
        saving = saving & legal
        if saving:
            return any_of(saving, random)
    if theirs_taken and unit(random) < TAKES:
        taking = game.around(theirs_taken) & legal
        if taking:
            return any_of(taking, random)
    good = legal & (roomy | game.around(theirs_taken))
    if last >= 0 and last != game.pass_move and unit(random) < ANSWERS:
        row = game.none.add(last)
        row = row | row << 1 | row >> 1
        nearby = (row | row << game.stride | row >> game.stride) & good
        answers = game.none
        for a in nearby:
            if is_answered(game, s, a):
                answers = answers.add(a)
        if answers:
            return any_of(answers, random)
    eyes_of_mine = eyes(game, empty, s.mine, s.theirs)
    good = good - eyes_of_mine
    if good:
        return any_of(good, random)
    rest = legal - eyes_of_mine
    if rest and unit(random) < 0.5:
        return any_of(rest, random)
    return game.pass_move


def sensible(game, s):
    """Free points that are legal, where a stone has room or takes some, and that are no own eyes."""
    empty = game.points - s.mine - s.theirs
    roomy = with_room(game, empty) | game.around(s.mine - s.atari) | game.around(s.theirs & s.atari)
    return (game.actions(s).remove(game.pass_move) & roomy) - eyes(game, empty, s.mine, s.theirs)


TAKING, SAVING, SHAPE, FOOLISH, EDGE = 20.0, 15.0, 10.0, -15.0, -8.0  # in visits that were won, or lost
NEAR = (24.0, 16.0, 6.0)  # within so many steps of the last move, by row and column


def hunch(game, s, a, last):
    """How a move looks before it was tried: as if so many visits to it had been won; below 0, lost."""
    if a == game.pass_move:
        return FOOLISH
    stone = game.none.add(a)
    beside = game.around(stone)
    empty = game.points - s.mine - s.theirs
    taking, saving = beside & s.theirs & s.atari, beside & s.mine & s.atari
    room = len(beside & empty)
    worth = 0.0
    if taking:
        worth += TAKING
    elif saving and room > 1:
        worth += SAVING
    elif room < 2 and not beside & s.mine - s.atari:
        worth += FOOLISH
    if a in eyes(game, empty, s.mine, s.theirs):
        return FOOLISH
    if is_answered(game, s, a):
        worth += SHAPE
    if a in game.edge and not beside & (s.mine | s.theirs):
        worth += EDGE
    if last >= 0 and last != game.pass_move:
        steps = abs(a // game.stride - last // game.stride) + abs(a % game.stride - last % game.stride)
        if steps <= len(NEAR):
            worth += NEAR[steps - 1]
    return worth
