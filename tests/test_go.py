"""Go: against a slow obvious twin, GNU Go and OpenSpiel; counts and values that John Tromp has published."""

import random
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from counterplay import UnreadableText, games, native, search
from counterplay.core.randomness import new_random
from counterplay.games.go import quick
from counterplay.native import native as make_native
from counterplay.study.check import examine
from tests.go_twin import Twin, twin_of

pytestmark = pytest.mark.long

COUNTS = Path(__file__).parent / "perft" / "go.txt"

# ---- the twin


def number(game, point):
    return game.pass_move if point is None else point[0] * game.stride + point[1]


def assert_twins(game, s, twin):
    where = game.to_text(s)
    black, white = (s.mine, s.theirs) if s.ply % 2 == 0 else (s.theirs, s.mine)
    for colour, stones in enumerate((black, white)):
        assert set(stones) == {number(game, p) for p, owner in twin.stones.items() if owner == colour}, where
    assert set(s.atari) == {number(game, p) for p in twin.atari()}, where
    assert list(game.actions(s)) == sorted(number(game, p) for p in twin.legal()), where
    assert game.is_terminal(s) == twin.over(), where
    assert game.area(s) == twin.area(), where


TWINS = [
    ("go:size=5", 10),
    ("go:size=3,suicide=true,most_moves=60", 30),
    ("go:size=3,ko=positional,most_moves=60", 30),
    ("go:size=2,columns=4,ko=positional,suicide=true,most_moves=60", 30),
    ("go:size=1,columns=5,ko=positional,suicide=true,most_moves=60", 30),
    ("go:size=7,columns=4,suicide=true", 8),
    ("go:size=9", 2),
    ("go:size=19,most_moves=90", 1),
]


@pytest.mark.parametrize(("text", "count"), TWINS)
def test_random_games_are_those_of_the_twin(text, count):
    game, source = games.load(text), random.Random(1)
    removed, repeats = 0, 0
    for _ in range(count):
        s, twin = game.initial(), Twin(game)
        while not twin.over():
            assert_twins(game, s, twin)
            moves = sorted(twin.legal() - {None})[:40] or [None]  # not all over a large board, or nothing is taken
            point = source.choice(moves) if source.random() < 0.95 else None
            before = len(twin.stones)
            s, twin = game.result(s, number(game, point)), twin.play(point)
            removed += point is not None and len(twin.stones) <= before
            repeats += point is not None and twin.stones in twin.past[:-1]
        assert_twins(game, s, twin)
        lead = twin.area() - game.komi
        assert game.utility(s, 0) == -game.utility(s, 1) == (lead > 0) - (lead < 0)
    assert removed > 0
    assert game.ko == "simple" or repeats == 0


# ---- others' rules

GNUGO = shutil.which("gnugo", path="/usr/games:/usr/local/games:/usr/bin:/usr/local/bin:/bin")


def random_game(game, source):
    """The states and actions of a random game; a pass is rarer than among the legal moves, so that games are long."""
    s, steps = game.initial(), []
    while not game.is_terminal(s):
        moves = list(game.actions(s))
        a = source.choice(moves[:-1]) if len(moves) > 1 and source.random() < 0.98 else game.pass_move
        steps.append((s, a))
        s = game.result(s, a)
    return steps, s


def gnugo_says(script, *options):
    """GNU Go's answers, one for each command; a list of points as a set."""
    command = [GNUGO, "--mode", "gtp", *options]
    done = subprocess.run(
        command, input="\n".join([*script, "quit"]) + "\n", capture_output=True, text=True, check=True
    )
    answers = done.stdout.split("\n\n")[: len(script)]
    assert all(answer.lstrip().startswith("=") for answer in answers), [a for a in answers if "?" in a][:3]
    return [set(answer.lstrip()[1:].split()) for answer in answers]


def compare_with_gnugo(text, count, *options):
    """Play random games; GNU Go must know the same legal moves before each, and the same stones and captures after.

    Suicide together with positional ko is not compared: GNU Go 3.8 lets a suicide bring back a position.
    """
    game, source = games.load(text), random.Random(2)
    script, expected = [], []
    for _ in range(count):
        steps, end = random_game(game, source)
        script += [f"boardsize {game.size}", "clear_board"]
        expected += [set(), set()]
        taken = [0, 0]
        for (s, a), after in zip(steps, [s for s, _ in steps[1:]] + [end], strict=True):
            colour, name = ("black", "white")[s.ply % 2], game.action_name(s, a)
            script += [f"all_legal {colour}", f"play {colour} {name}"]
            expected += [{game.action_name(s, point) for point in game.actions(s)} - {"pass"}, set()]
            taken[s.ply % 2] += len(s.theirs - after.mine)
            placed = s.mine if a == game.pass_move else s.mine.add(a)
            taken[1 - s.ply % 2] += len(placed - after.theirs)
        black, white = (end.mine, end.theirs) if end.ply % 2 == 0 else (end.theirs, end.mine)
        for colour, stones, captured in (("black", black, taken[0]), ("white", white, taken[1])):
            script += [f"list_stones {colour}", f"captures {colour}"]
            expected += [{game.action_name(end, point) for point in stones}, {str(captured)}]
    for command, theirs, ours in zip(script, gnugo_says(script, *options), expected, strict=True):
        assert theirs == ours, command
    return len(script)


WITH_GNUGO = [
    ("go:size=9", 8, ()),
    ("go:size=5", 15, ()),
    ("go:size=5,suicide=true", 10, ("--allow-suicide",)),
    ("go:size=5,ko=positional", 10, ("--positional-superko",)),
]
needs_gnugo = pytest.mark.skipif(GNUGO is None, reason="needs GNU Go (Debian: apt install gnugo)")


@needs_gnugo
@pytest.mark.parametrize(("text", "count", "options"), WITH_GNUGO)
def test_random_games_are_those_of_gnu_go(text, count, options):
    compare_with_gnugo(text, count, *options)


@needs_gnugo
@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "count", "options"),
    [
        ("go:size=5", 350, ()),
        ("go:size=6", 150, ()),
        ("go:size=7", 100, ()),
        ("go:size=8", 60, ()),
        ("go:size=9", 40, ()),
        ("go:size=5,suicide=true", 200, ("--allow-suicide",)),
        ("go:size=5,ko=positional", 100, ("--positional-superko",)),
        ("go:size=4,ko=positional,most_moves=100", 100, ("--positional-superko",)),
    ],
)
def test_more_random_games_are_those_of_gnu_go(text, count, options):
    compare_with_gnugo(text, count, *options)


def test_random_games_are_those_of_open_spiel():
    """It ends the game as a draw where a position comes again; until then the rules are the same."""
    pyspiel = pytest.importorskip("pyspiel", reason="needs OpenSpiel (pip install 'counterplay[peers]')")
    ends = []
    for size, count in ((5, 40), (9, 6)):
        game, source = games.load(f"go:size={size}"), random.Random(3)
        rival = pyspiel.load_game(f"go(board_size={size})")
        assert rival.max_game_length() == game.limit
        for _ in range(count):
            s, theirs = game.initial(), rival.new_initial_state()
            seen = {(s.mine, s.theirs)}
            while not theirs.is_terminal():
                moves = {game.pass_move if a == size * size else a // size * game.stride + a % size: a
                         for a in theirs.legal_actions()}  # fmt: skip
                assert sorted(moves) == list(game.actions(s)), game.to_text(s)
                a = source.choice(sorted(moves))
                s = game.result(s, a)
                theirs.apply_action(moves[a])
                position = (s.mine, s.theirs) if s.ply % 2 == 0 else (s.theirs, s.mine)
                repeated = a != game.pass_move and position in seen
                seen.add(position)
                assert theirs.is_terminal() == (game.is_terminal(s) or repeated), game.to_text(s)
            ends.append(repeated)
            if not repeated:
                assert theirs.returns() == [game.utility(s, 0), game.utility(s, 1)]
    assert False in ends


# ---- published counts: J. Tromp and G. Farnebäck, "Combinatorics of Go" (2007); Tromp's "Number of legal Go positions"


@make_native
def legal_positions(game, point, black, white):
    """How many ways there are to fill the points from `point` on so that every group has a liberty."""
    if point >= game.pass_move:
        empty = game.points - black - white
        near = game.around(empty)
        lives = game.flood(near & black, black) == black and game.flood(near & white, white) == white
        return 1 if lives else 0
    if point not in game.points:
        return legal_positions(game, point + 1, black, white)
    return (
        legal_positions(game, point + 1, black, white)
        + legal_positions(game, point + 1, black.add(point), white)
        + legal_positions(game, point + 1, black, white.add(point))
    )


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("go:size=1", 1),
        ("go:size=1,columns=2", 5),
        ("go:size=2", 57),
        ("go:size=3", 12_675),
        pytest.param("go:size=4", 24_318_165, marks=pytest.mark.slow),
    ],
)
def test_there_are_as_many_legal_positions_as_published(text, count):
    game = games.load(text)
    kernel = legal_positions if game.size > 2 else legal_positions.interpreted
    assert kernel(game, 0, game.none, game.none) == count


def games_by_the_rules(game, s):
    """The games that begin at `s`, as sequences of positions: passes only say whose turn it is."""
    n = 1
    for mover in (s, game.result(s, game.pass_move)):
        for a in game.actions(mover):
            if a != game.pass_move:
                n += games_by_the_rules(game, game.result(mover, a))
    return n


@pytest.mark.parametrize(("columns", "count"), [(1, 1), (2, 9), (3, 907)])
def test_there_are_as_many_games_as_published(columns, count):
    game = games.load(f"go:size=1,columns={columns},ko=positional,suicide=true,most_moves=40")
    assert games_by_the_rules(game, game.initial()) == count


def graph(game):
    """Every position that can arise, as a number, and for each the set of those that one stone leads to, as bits."""
    first = game.initial()
    numbers, queue, links = {(first.mine, first.theirs): 0}, [first], []
    for s in queue:
        links.append(0)
        for mover in (s, s._replace(mine=s.theirs, theirs=s.mine, ply=1 - s.ply)):
            for a in game.actions(mover):
                if a == game.pass_move:
                    continue
                b = game.after_stone(mover, a)
                black, white = (b.mine, b.theirs) if mover.ply == 0 else (b.theirs, b.mine)
                if (black, white) not in numbers:
                    numbers[black, white] = len(numbers)
                    queue.append(game.State(black, white, b.atari, -1, 0, 0, 0, (0,)))
                links[-1] |= 1 << numbers[black, white]
    return tuple(links)


@make_native
def paths(game, links, index, here, free):
    """The simple paths from a position through those that are still free."""
    n, ahead = 1, links[here] & free
    while ahead:
        following = ahead & -ahead
        ahead ^= following
        n += paths(game, links, index, index[following % 67], free ^ following)
    return n


@pytest.mark.slow
def test_there_are_as_many_games_on_four_points_as_published():
    """2,098,407,841, of which those that begin at the edge and one beside it are counted; all others mirror them."""
    game = games.load("go:size=1,columns=4,suicide=true")
    links = np.array(graph(game), np.int64)
    index = np.zeros(67, np.int64)  # of a single bit: the powers of 2 differ modulo 67
    index[[(1 << i) % 67 for i in range(64)]] = range(64)
    everything = (1 << len(links)) - 2
    counts = {first: paths(game, links, index, first, everything ^ 1 << first) for first in (1, 2)}
    assert len(links) == 41
    assert counts == {1: 290_208_814, 2: 234_393_146}
    assert 1 + 4 * sum(counts.values()) == 2_098_407_841


# ---- published values: J. Tromp, "The game of Go" (tromp.github.io/go.html), area scoring and positional superko


@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("go:size=1", 0),
        ("go:size=2", 1),
        ("go:size=2,suicide=true", 1),
    ],
)
def test_the_first_player_leads_by_as_much_as_published(text, best):
    """Every position can come only once, so these limits are never reached."""
    for komi, value in ((best - 0.5, 1), (best, 0), (best + 0.5, -1)):
        game = games.load(f"{text},ko=positional,most_moves=116,komi={komi}")
        with native.interpreted():
            found = search.alphabeta(game, depth=200)
        assert (found.value, found.proven) == (value, True)


def lead(twin, alpha, beta):
    """By how much Black leads at the end, by alpha-beta without any refinement."""
    if twin.over():
        return twin.area()
    for point in (None, *sorted(twin.legal() - {None})):
        if twin.ply % 2 == 0:
            alpha = max(alpha, lead(twin.play(point), alpha, beta))
        else:
            beta = min(beta, lead(twin.play(point), alpha, beta))
        if alpha >= beta:
            break
    return alpha if twin.ply % 2 == 0 else beta


def test_the_twin_finds_the_same_lead():
    game = games.load("go:size=2,ko=positional,most_moves=116")
    assert lead(Twin(game), -4, 4) == 1


@pytest.mark.slow
def test_the_first_player_takes_all_of_the_board_of_nine():
    """By 9 points, in a game that is scored after 60 moves at the latest."""
    game = games.load("go:size=3,ko=positional,most_moves=60,komi=8.5")
    found = search.alphabeta(game, depth=200)
    assert (found.value, found.proven) == (1, True)
    assert found.line_names[0] == "B2"


# ---- counts of lines


def counted():
    """(game, position, counts by depth) for every line of the file."""
    for line in COUNTS.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            text, position, *counts = (part.strip() for part in line.split(";"))
            pairs = [tuple(map(int, count.split())) for count in counts]
            assert [depth for depth, _ in pairs] == list(range(1, len(pairs) + 1))
            yield text, position, [count for _, count in pairs]


def lines(twin, depth):
    return 1 if depth == 0 else sum(lines(twin.play(point), depth - 1) for point in twin.legal())


@pytest.mark.parametrize(("text", "position", "counts"), list(counted()))
def test_perft(text, position, counts):
    game = games.load(text)
    s = game.from_text(position)
    shallow = [n for n in counts if n < 1_000]
    assert [lines(twin_of(game, s), depth + 1) for depth in range(len(shallow))] == shallow
    shallow = [n for n in counts if n < 7_000]
    with native.interpreted():
        assert search.perft(game, s, depth=len(shallow))[1:] == shallow


@pytest.mark.slow
@pytest.mark.parametrize(("text", "position", "counts"), [each for each in counted() if max(each[2]) > 50_000])
def test_deep_perft(text, position, counts):
    game = games.load(text)
    assert search.perft(game, game.from_text(position), depth=len(counts))[1:] == counts


# ---- single rules


def test_what_has_no_liberty_is_taken_in_all_directions():
    game = games.load("go:size=5")
    s = game.from_text("..X../.XOX./XO.OX/.XOX./..X.. X")
    taken = game.result(s, game.parse_action(s, "C3"))
    assert game.to_text(taken) == "..X../.X.X./X.X.X/.X.X./..X.. O"


def test_a_ko_is_retaken_after_a_move_elsewhere():
    position = games.load("go:size=4").at(position=".XO./X.XO/.XO./.... O").play("B3")
    assert game_text(position) == ".XO./XO.O/.XO./.... X ko=C3 moves=2"
    assert "C3" not in position.moves()
    assert "C3" in position.play("D1").play("pass").moves()
    assert "B3" not in position.play("D1").play("A1").play("C3").moves()


def test_taking_one_of_two_is_no_ko():
    """The stone that takes joins a larger group, so taking it back would not repeat the position."""
    position = games.load("go:size=4").at(position="XXO./.OXX/XXOO/.... X")
    assert game_text(position.play("A3")) == "XXO./X.XX/XXOO/.... O"


def game_text(position):
    return position.game.to_text(position.state)


def test_suicide():
    text = ".OX./OOX./XXX./.... O"
    position = games.load("go:size=4").at(position=text)
    assert "A4" not in position.moves()
    assert (
        game_text(games.load("go:size=4,suicide=true").at(position=text).play("A4")) == "..X./..X./XXX./.... X moves=2"
    )
    lone = games.load("go:size=4,suicide=true").at(position=".X../X.../..../.... O")
    assert "A4" not in lone.moves(), "a single stone would change nothing"


def test_two_passes_or_too_many_moves_end_the_game():
    game = games.load("go:size=3,komi=0.5,most_moves=5")
    end = game.at("B2 pass pass")
    assert end.moves() == []
    assert game.area(end.state) == 9
    assert [game.utility(end.state, p) for p in (0, 1)] == [1.0, -1.0]
    assert game.at("B2 pass A1 C1").moves() != []
    assert game.at("B2 pass A1 C1 A3").moves() == []
    empty = game.at("pass pass")
    assert game.utility(empty.state, 0) == -1.0


def test_a_drawn_score_is_worth_nothing():
    game = games.load("go:size=3,komi=9")
    assert [game.utility(game.at("B2 pass pass").state, p) for p in (0, 1)] == [0.0, 0.0]


# ---- knowledge


def test_the_estimate_knows_who_has_more():
    game = games.load("go:size=5,komi=0")
    s = game.from_text("..X../..X../..X../.OX../.OX.. O")
    terms = game.terms(s)
    assert terms == game.Terms(area=19.0 - 5.0, liberties=8.0 - 3.0, atari=0.0, komi=0.0)
    assert 0.0 < game.evaluate(s, 0) == -game.evaluate(s, 1) < 1.0
    end = game.at("C3 pass pass").state
    assert game.evaluate(end, 0) == game.utility(end, 0) == 1.0


def test_stones_that_can_be_taken_count_for_the_one_who_moves():
    game = games.load("go:size=5,komi=0")
    text = "...../..X../.XOX./...../..... "
    taking, saving = game.from_text(text + "X"), game.from_text(text + "O")
    assert game.terms(taking).atari == 1.0
    assert game.terms(taking).area == 25.0
    assert game.evaluate(taking, 0) > game.evaluate(saving, 0)


def test_captures_come_first_and_own_eyes_last():
    game = games.load("go:size=5")
    s = game.from_text(".XX../XXXX./.XOO./..XX./..... X")
    order = sorted(game.actions(s), key=lambda a: -game.priority(s, a))
    names = [game.action_name(s, a) for a in order]
    assert names[0] == "E3"
    assert names[-2:] == ["A5", "pass"]
    ahead = game.from_text("XXXXX/X.X.X/XXXXX/...../..... X passes=1 moves=2")
    assert max(game.actions(ahead), key=lambda a: game.priority(ahead, a)) == game.pass_move


def test_only_taking_several_stones_is_noisy():
    game = games.load("go:size=4")
    s = game.from_text("OX../OX../..../..XO X")
    noisy = {game.action_name(s, a) for a in game.actions(s) if game.is_noisy(s, a)}
    assert noisy == {"A2"}


def quick_moves(game, s, last, tries=60):
    """Where quick games go on."""
    return {game.action_name(s, game.quick_action(s, last, new_random(seed))) for seed in range(tries)}


def test_quick_games_save_and_take_stones():
    game = games.load("go:size=5")
    point = {game.action_name(None, a): a for a in range(game.none.width)}
    s = game.from_text("...../.XOX./..X../...../..... O moves=5")
    assert "C5" in quick_moves(game, s, point["D4"])
    s = game.from_text("...../.XOX./..X../...../..... X moves=6")
    moves = [game.action_name(s, game.quick_action(s, point["A1"], new_random(seed))) for seed in range(100)]
    assert moves.count("C5") > 60


def test_quick_games_answer_the_last_move_by_shape():
    game = games.load("go:size=7")
    s = game.from_text("......./......./..XOX../......./......./......./....... O moves=3")
    point = {game.action_name(None, a): a for a in range(game.none.width)}
    answers = {game.action_name(s, a) for a in game.actions(s) if a != game.pass_move and quick.is_answered(game, s, a)}
    assert {"D4", "D6"} <= answers
    assert "A1" not in answers
    moves = [game.action_name(s, game.quick_action(s, point["E5"], new_random(seed))) for seed in range(100)]
    assert sum(move in answers for move in moves) > 80


def test_every_shape_stands_for_its_images_and_both_colours():
    game = games.load("go:size=5")
    for shape in quick.SHAPES:
        if "#" in shape:
            continue
        above, middle, below = shape.replace("?", ".").replace("x", ".").replace("o", ".").split()
        middle = middle[0] + "." + middle[1]
        grid = np.array([list(above), list(middle), list(below)])
        for turned in (np.rot90(each, k) for each in (grid, grid[:, ::-1]) for k in range(4)):
            for side in "XO":
                rows = ["....."] + ["." + "".join(row) + "." for row in turned] + ["....."]
                s = game.from_text("/".join(rows) + f" {side} moves={4 if side == 'X' else 5}")
                assert quick.is_answered(game, s, 2 * game.stride + 2), (shape, rows)


def test_moves_that_look_well_are_tried_first():
    game = games.load("go:size=5")
    s = game.from_text("...../.XOX./..X../...../..... X moves=6")
    point = {game.action_name(None, a): a for a in range(game.none.width)}
    looks = {name: game.hunch(s, a, point["D4"]) for name, a in point.items() if a in game.actions(s)}
    assert max(looks, key=looks.get) == "C5"
    assert looks["pass"] < 0 < looks["C5"]
    assert game.hunch(s, point["A1"], -1) < 0
    result = search.mcts(game, s, 60, quick=True, rave=1000.0, hunch=1.0, exploration=0.1, memory_mb=4)
    assert result.action_name == "C5"
    assert sum(each.visits > 0 for each in result.actions) < 12


def test_own_eyes_are_not_filled():
    game = games.load("go:size=5")
    s = game.from_text(".X.X./XXXXX/XXXXX/XXXXX/XX.OO X moves=30")
    empty = game.points - s.mine - s.theirs
    found = {game.action_name(s, a) for a in quick.eyes(game, empty, s.mine, s.theirs)}
    assert found == {"A5", "C5", "E5"}
    false = game.from_text(".X.../XO.../...../...../..... X moves=30")
    empty = game.points - false.mine - false.theirs
    assert not quick.eyes(game, empty, false.mine, false.theirs)
    assert quick_moves(game, s, -1) <= {"C1"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "go:size=3,ko=positional,suicide=true,most_moves=40",
        "go:size=4,columns=3,suicide=true,komi=2",
    ],
)
def test_its_variants_keep_their_word_in_both_modes(text):
    report = examine(games.load(text))
    assert report.ok, str(report)
    assert report.both_modes


# ---- texts


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("..../..../..../....", "..../..../..../.... X"),
        ("..../.x../..../.... o", "..../.X../..../.... O"),
        ("..../.X../..../.... O passes=1 moves=7", "..../.X../..../.... O passes=1 moves=7"),
        (".XO./XO.O/.XO./.... X ko=c3", ".XO./XO.O/.XO./.... X ko=C3"),
    ],
)
def test_positions_are_read_and_written(text, rewritten):
    game = games.load("go:size=4")
    assert game.to_text(game.from_text(text)) == rewritten


def test_the_past_is_part_of_the_text():
    game = games.load("go:size=2,ko=positional,most_moves=20")
    position = game.at("A1 B2 B1 A2")  # takes two stones
    text = game.to_text(position.state)
    assert text.startswith("OO/.. X moves=4 past=0,")
    assert game.from_text(text) == position.state
    forgetful = game.from_text(text.split(" past=")[0])
    assert len(list(game.actions(forgetful))) >= len(position.moves())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not a board of 4 rows"),
        (".../.../...", "not a board of 4 rows"),
        ("..../.A../..../.... X", "is no piece"),
        ("..../..../..../.... Z", "no position"),
        ("..../..../..../.... X Y", "no position"),
        ("..../..../..../.... X moves=-1", "not a number of moves"),
        ("..../..../..../.... X moves=3", "even number"),
        ("..../..../..../.... X moves=400", "even number"),
        ("..../..../..../.... X passes=1", "cannot be"),
        ("..../..../..../.... X ko=B2", "cannot be"),
        ("..../..../..../.... X ko=I2", "cannot be"),
        ("..../..../..../.... X past=0", "ko=positional"),
        (".X../X.../..../.... X colour=3", "no position"),
        ("OX../X.../..../.... X", "the stone at A4 has no liberty"),
    ],
)
def test_what_is_no_position_is_refused(text, reason):
    with pytest.raises(UnreadableText, match=reason):
        games.load("go:size=4").from_text(text)


@pytest.mark.parametrize(("past", "reason"), [("0", "needs 2 numbers"), ("0,zz", "hexadecimal"), ("0,-1", "64 bits")])
def test_a_past_that_cannot_be_is_refused(past, reason):
    with pytest.raises(UnreadableText, match=reason):
        games.load("go:size=2,ko=positional").from_text(f"X./.. X moves=2 past={past}")


@pytest.mark.parametrize("text", ["size=0", "size=20", "columns=20", "ko=super", "most_moves=-1", "komi=nan"])
def test_parameters_that_make_no_game_are_refused(text):
    with pytest.raises(UnreadableText, match="go"):
        games.load(f"go:{text}")


def test_points_are_named_without_i():
    game = games.load("go:size=19")
    names = game.at().moves()
    assert names[:10] == ["A1", "B1", "C1", "D1", "E1", "F1", "G1", "H1", "J1", "K1"]
    assert names[-2:] == ["T19", "pass"]
    assert [game.action_name(None, game.parse_action(game.initial(), name)) for name in names] == names
