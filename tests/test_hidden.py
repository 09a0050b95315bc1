"""Games with something hidden: their rules, what each player may see of them, and that nobody sees more."""

import json
import re
from collections import defaultdict

import pytest

from counterplay import CHANCE, UserError, games, native
from counterplay.arena import HUMAN, Session, match, new_player
from counterplay.arena.hidden import Blindfolded, hidden_player
from counterplay.core.randomness import new_random
from counterplay.core.views import View, information_key, view
from counterplay.games.kuhn_poker import KuhnPoker
from counterplay.games.matrix_game import NAMED, MatrixGame
from counterplay.search import random_action
from counterplay.study.check import examine

pytestmark = pytest.mark.long

HIDDEN = [name for name in games.names() if not games.load(name).perfect_information]


@pytest.fixture(autouse=True)
def _interpreted():
    with native.interpreted():
        yield


def random_states(game, playouts):
    for seed in range(playouts):
        s, random = game.initial(), new_random(seed)
        while True:
            yield s
            if game.is_terminal(s):
                break
            s = game.result(s, int(random_action(game, s, random)))


def written(known):
    """Everything that a person or a program can see of a view."""
    return str(known), json.dumps(known.as_dict()), known._repr_svg_(), known.key, tuple(known.moves.items())


# ---- views


@pytest.mark.parametrize("name", HIDDEN)
def test_no_view_differs_between_states_that_the_player_cannot_tell_apart(name):
    game = games.load(name)
    alike = defaultdict(dict)
    for s in random_states(game, 150):
        is_over = game.is_terminal(s)
        for p in range(CHANCE, game.players):
            is_on_turn = not is_over and game.player(s) == p
            alike[p, tuple(game.information(s, p)), is_on_turn, is_over][s] = written(view(game, s, p))
    pairs = [views for views in alike.values() if len(views) > 1]
    assert len(pairs) > 1, "something is hidden"
    for views in pairs:
        assert len(set(views.values())) == 1


@pytest.mark.parametrize("name", HIDDEN)
def test_everybody_sees_something(name):
    game = games.load(name)
    seen = {written(view(game, s, p)) for s in random_states(game, 5) for p in range(CHANCE, game.players)}
    assert len(seen) > 3


def test_a_view_has_what_the_player_knows_and_his_moves():
    game = games.load("kuhn_poker")
    s = game.at("K J pass").state
    mine, theirs = view(game, s, 1), view(game, s, 0)
    assert str(mine) == "your card: J   their card: ?\nmoves: pass"
    assert mine.moves == {"pass": 0, "bet": 1}
    assert theirs.moves == {}
    assert mine.utility is None
    assert mine.key == information_key(game.information(s, 1), 1) != theirs.key
    end = game.at("K J bet bet").state
    assert view(game, end, 1).utility == -2.0
    assert "their card: K" in str(view(game, end, 1))
    assert "?" in str(view(game, game.at("K J bet pass").state, 1)), "who folds is shown nothing"
    assert str(view(game, s, CHANCE)) == "player 1: ?   player 2: ?\nmoves: pass"
    with pytest.raises(UserError, match="seats 0 to 1"):
        view(game, s, 2)


# ---- who is handed what


class Spy:
    """Takes the first move, and remembers what it was shown."""

    def __init__(self):
        self.shown = []

    def choose(self, known, random):
        self.shown.append(known)
        return next(iter(known.moves.values()))


def test_players_get_views_and_never_states():
    game, spy = games.load("leduc_poker"), Spy()
    player = Blindfolded(game, spy, 0)
    states = [game.initial()]
    while not game.is_terminal(states[-1]):
        states.append(game.result(states[-1], player.choose(states)))
    assert spy.shown
    assert all(type(each) is View and each.moves for each in spy.shown)


def test_players_by_their_texts():
    game = games.load("kuhn_poker")
    states = [game.initial(), game.at("K").state, game.at("K J").state]
    assert hidden_player(game, "random", 1).choose(states) in (0, 1)
    strong = [game.initial(), game.at("J").state, game.at("J K").state, game.at("J K bet").state]
    assert {new_player(game, "equilibrium:iterations=200", seed).choose(strong) for seed in range(20)} == {1}
    for text, wrong in {
        "level:5": "something hidden",
        "alphabeta:depth=3": "something hidden",
        "equilibrium:depth=3": "no setting 'depth'",
        "equilibrium:method=magic": "no method 'magic'",
        "equilibrium:iterations=many": "are a number",
        "equilibrium:iterations=0": "1 iteration or more",
        "equilibrium:1": "is no player",
        "strategy:/nowhere/s.safetensors": "cannot be read",
    }.items():
        with pytest.raises(UserError, match=wrong):
            new_player(game, text)


def test_a_match_of_poker():
    game = games.load("kuhn_poker")
    score = match(game, ("equilibrium:iterations=200", "random"), games=60, opening_plies=0)
    assert score.games == 60
    assert score.points > 0.5


def alike_for(game, p):
    """Two lines of play, as names of moves, after which player `p` knows the same, and the game goes on; or None."""
    known = {}
    for seed in range(400):
        s, random, names = game.initial(), new_random(seed), []
        while not game.is_terminal(s):
            if game.player(s) != CHANCE and names:
                key = (tuple(game.information(s, p)), game.player(s) == p)
                before, earlier = known.setdefault(key, (s, list(names)))
                if before != s:
                    return earlier, names
            a = int(random_action(game, s, random))
            names.append(game.action_name(s, a))
            s = game.result(s, a)
    return None  # of two who move at the same time, nothing is hidden from who does so first in our account


@pytest.mark.parametrize("name", HIDDEN)
def test_no_session_record_or_page_tells_what_is_hidden(name, tmp_path):
    tables = pytest.importorskip("counterplay.apps.studio.tables", reason="pip install 'counterplay[studio]'")
    game = games.load(name)
    lines = {p: found for p in range(game.players) if (found := alike_for(game, p))}
    assert lines, "something is hidden"
    for p, pair in lines.items():
        told = []
        for names in pair:
            players = ["random"] * game.players
            players[p] = HUMAN
            session = Session.begin(name, players, moves=" ".join(names), seed=5)
            page = tables.Table("id", name, session.saved(), {}, game, None)
            shown = {key: value for key, value in page.state().items() if key != "version"}
            told.append(json.dumps([session.record(), session.as_dict(), shown]) + str(session.view(p)))
            with pytest.raises(UserError, match="tell what is hidden"):
                session.save(tmp_path / "game.json")
            with pytest.raises(UserError, match="tell what is hidden"):
                page.download()
        assert told[0] == told[1]
        assert not list(tmp_path.iterdir())


def test_a_session_tells_a_person_only_what_his_seat_knows(tmp_path):
    told = []
    for cards in ("K J", "K Q"):
        session = Session.begin("kuhn_poker", [HUMAN, "random"], moves=f"{cards} pass", seed=5)
        assert session.keeps_secrets
        told.append(json.dumps(session.record()) + str(session.view(0)))
        state = session.as_dict()
        assert (state["seed"], state["legal"]) == (None, [])
        with pytest.raises(UserError, match="tell what is hidden"):
            session.save(tmp_path / "game.json")
        with pytest.raises(UserError, match="can be taken back"):
            session.undo()
    assert told[0] == told[1]
    session.play("pass")
    session.save(tmp_path / "game.json")
    assert session.record()["moves"] == ["K", "Q", "pass", "pass"]


def test_the_commands_show_what_a_seat_knows(counterplay, answer, monkeypatch, tmp_path):
    status, out, _ = counterplay("show", "kuhn_poker", "--moves", "K J pass", "--seat", 2, "--svg", tmp_path / "v.svg")
    assert status == 0
    assert "J" in out
    assert "K" not in out + (tmp_path / "v.svg").read_text()
    assert answer("show", "kuhn_poker", "--moves", "K J pass", "--seat", 2)["moves"] == ["pass", "bet"]
    assert counterplay("show", "kuhn_poker", "--seat", 3)[0] == 2
    lines = iter(["hint", "save", "bet", "pass", "pass", "pass"])
    monkeypatch.setattr("builtins.input", lambda question="": next(lines))
    status, out, _ = counterplay("play", "kuhn_poker", "--players", f"{HUMAN},random", "--seed", 4)
    assert status == 0
    assert "not saved: the file would tell what is hidden" in out
    assert "chance:" not in out
    assert counterplay("play", "kuhn_poker", "--you", 1, "--level", 3)[0] == 2


# ---- the rules


def test_kuhn_poker_pays_as_it_should():
    game = games.load("kuhn_poker")
    for moves, gain in {"K Q pass pass": 1, "K Q bet bet": 2, "J Q bet pass": 1, "J Q pass bet pass": -1}.items():
        assert game.utility(game.at(moves).state, 0) == gain
    assert len(game.at().moves()) == 3
    with pytest.raises(UserError, match="2 to 13 cards"):
        KuhnPoker(cards=1)


def test_leduc_poker_pays_as_it_should():
    game = games.load("leduc_poker")
    ends = {
        "Js Kh call call Jh call call": 1,  # a pair beats a king
        "Js Kh raise raise call Qs raise raise call": -13,
        "Js Jh call call Qs raise call": 0,
        "Js Kh raise fold": 1,
        "Js Kh call raise fold": -1,
    }
    for moves, gain in ends.items():
        assert game.utility(game.at(moves).state, 0) == gain
    assert game.at("Js Kh raise raise").moves() == ["fold", "call"]
    for wrong in ("ranks=1", "raises=99", "bets=[2]", "bets=[0,1]"):
        with pytest.raises(UserError, match="leduc_poker has"):
            games.load(f"leduc_poker:{wrong}")


def test_liars_dice_and_who_is_a_liar():
    game = games.load("liars_dice")
    for moves, gain in {"3 5 1x3 liar": 1, "2 5 1x3 liar": -1, "3 6 2x3 liar": 1, "3 2 1x3 2x3 liar": 1}.items():
        assert game.utility(game.at(moves).state, 0) == gain
    assert game.at("1 1 2x6").moves() == ["liar"]
    with pytest.raises(UserError, match="2 to 20 faces"):
        games.load("liars_dice:faces=1")


def test_goofspiel_gives_the_prize_to_the_higher_bid():
    game = games.load("goofspiel:cards=3")
    here = game.at("1 3 3 2")
    assert here.state.lead == -3 + 2
    assert str(here) == "prize 3: bids 1 and 3\nprize 2: bids 3 and 2\nprize 1"
    assert game.utility(here.play("2").play("1").state, 0) == 0.0
    with pytest.raises(UserError, match="2 to 7 cards"):
        games.load("goofspiel:cards=9")


def test_who_tries_a_square_in_the_dark_that_is_taken_tries_again():
    game = games.load("dark_tictactoe")
    here = game.at("b2 b2")
    assert here.state.turn == 1
    assert "b2" not in here.moves()
    assert str(view(*here, 1)).count("x") == 1
    assert str(view(*here, 0)).count("o") == 0
    assert view(*game.at("b2"), 1) != view(*here, 1)
    assert game.utility(game.at("a1 b1 a2 b2 a3").state, 1) == -1.0


@pytest.mark.parametrize("name", NAMED)
def test_matrices_by_name(name):
    game = MatrixGame(payoffs=name)
    rows, columns = game.names
    s = game.at([rows[0], columns[-1]]).state
    assert [game.utility(s, p) for p in (0, 1)] == [float(x) for x in game.matrix[0][-1]]
    assert rows[0] in str(game.at())


def test_a_matrix_by_text():
    game = games.load("matrix_game:1/2 0 -1; 0 1/3 2,rows=top bottom,columns=left middle right")
    assert game.zero_sum
    assert game.utility_range == (-2.0, 2.0)
    assert games.load(str(game)) == game
    assert str(game.at("top right")).splitlines()[1] == "   top   1/2       0     -1"
    for text, wrong in {
        "1 2; 3": "no matrix",
        "": "no matrix",
        "1 x": "no cell",
        "(1,2,3)": "no cell",
        "1/0": "no cell",
    }.items():
        with pytest.raises(UserError, match=wrong):
            MatrixGame(payoffs=text)
    with pytest.raises(UserError, match="2 rows"):
        MatrixGame(payoffs="1 2; 3 4", rows="up up")


@pytest.mark.parametrize("name", HIDDEN)
def test_only_positions_that_can_come_about_are_read(name):
    game = games.load(name)
    for s in random_states(game, 20):
        assert game.from_text(game.to_text(s)) == s
        wrong = game.to_text(s).replace("1", "9").replace("0", "-7")
        if wrong != game.to_text(s):
            with pytest.raises(UserError):
                game.from_text(wrong)


# ---- the check


class Forgetful(KuhnPoker):
    def information(self, s, p):
        return self.Hand(s.cards[p] if s.past == 1 else -1, -1, s.past)


class Betraying(KuhnPoker):
    def actions(self, s):
        if s.cards[1] < 0:
            for card in range(3):
                if card != s.cards[0]:
                    yield card
        elif not self.is_terminal(s):
            yield 0
            if s.past == 1 or s.cards[0] > 0:
                yield 1


class Changing(KuhnPoker):
    def information(self, s, p):
        return (s.cards[p],) if s.past == 1 else (s.cards[p], s.past)


class Unfit(KuhnPoker):
    def information(self, s, p):
        return (str(s.cards),)


class Telling(KuhnPoker):
    def sample_state(self, s, p, random):
        return s


class Mistaken(KuhnPoker):
    def sample_state(self, s, p, random):
        return self.State((s.cards[1], s.cards[0]), s.past)


class Ending(KuhnPoker):
    def sample_state(self, s, p, random):
        return self.State(s.cards, 0b100)


@pytest.mark.parametrize(
    ("cls", "problem", "says"),
    [
        (Forgetful, "players remember", "information forgets"),
        (Betraying, "no move tells what is hidden", "other moves"),
        (Changing, "information keeps its type", "another shape"),
        (Unfit, "information is a tuple of numbers", "str"),
        (Telling, "what is imagined could be so", "it tells what is hidden"),
        (Mistaken, "what is imagined could be so", "knows something else"),
        (Ending, "what is imagined could be so", "not his turn"),
    ],
)
def test_the_check_finds_what_information_forgets_or_betrays(cls, problem, says):
    report = examine(cls(), compare=False)
    assert [each.property for each in report.problems] == [problem]
    assert "test_hidden.py" in report.problems[0].where or cls is Betraying
    assert re.search(says, report.problems[0].message)


def test_a_large_game_is_examined_by_random_games():
    assert examine(games.load("dark_tictactoe"), compare=False).ok
