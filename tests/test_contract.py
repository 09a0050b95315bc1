"""What a game may say beyond its rules: terms and their weights, inputs for learning, what is hidden, names."""

from typing import NamedTuple

import pytest

from counterplay import Bits, BoardGame, Game, RulesError, UnreadableText, games, native, search
from counterplay.core.features import Active, default_features, number_of_inputs
from counterplay.core.game import FOR_PEOPLE, KNOWLEDGE, Knowledge
from counterplay.core.primitives import weighted_sum
from counterplay.native import native as make_native
from counterplay.native.source import fingerprint


class Piles(Game):
    """In turn take one or two stones for yourself; more stones win."""

    class State(NamedTuple):
        left: int
        taken: tuple
        turn: int

    class Terms(NamedTuple):
        lead: int  # an int and a float on purpose: both are numbers
        rest: float

    weights = Terms(0.25, -0.5)

    def initial(self):
        return self.State(7, (0, 0), 0)

    def player(self, s):
        return s.turn

    def actions(self, s):
        return range(1, min(2, s.left) + 1)

    def result(self, s, a):
        mine, theirs = (s.taken[0] + a, s.taken[1]) if s.turn == 0 else (s.taken[0], s.taken[1] + a)
        return self.State(s.left - a, (mine, theirs), 1 - s.turn)

    def is_terminal(self, s):
        return s.left == 0

    def utility(self, s, p):
        lead = s.taken[p] - s.taken[1 - p]
        return 0.0 if lead == 0 else 1.0 if lead > 0 else -1.0

    def terms(self, s):
        return self.Terms(s.taken[0] - s.taken[1], s.left / 8)


class Bent(Piles):
    half_win = 2.0


class Unweighted(Bent):
    weights = ()


class Shares(Bent):
    """The same for shares of one point."""

    utility_sum = 1.0
    utility_range = (0.0, 1.0)

    def utility(self, s, p):
        return s.taken[p] / 7


# ---- terms, weights, evaluate


@make_native
def estimate(game, s, p):
    return game.evaluate(s, p), game.knows.evaluate, game.knows.terms, game.knows.priority


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        (Piles(), 0.25 * 4 - 0.5 * 0.375),
        (Bent(), 0.8125 / 2.8125),
        (Unweighted(), 4.375 / 6.375),
        (Shares(), 0.5 + 0.5 * (0.8125 / 2.8125)),
    ],
    ids=repr,
)
def test_an_estimate_is_made_of_the_weighted_terms(game, expected):
    s = game.State(3, (4, 0), 0)
    for mode in (native.interpreted, native.compiled):
        with mode():
            assert estimate(game, s, 0) == (pytest.approx(expected, abs=1e-15), True, True, False)
            assert estimate(game, s, 1)[0] == game.utility_sum - game.evaluate(s, 0)
            end = game.State(0, (5, 2), 0)
            assert [estimate(game, end, p)[0] for p in (0, 1)] == [game.utility(end, p) for p in (0, 1)]


def test_an_estimate_stays_within_the_range_of_utilities():
    far = Piles.State(3, (40, 0), 0)
    assert Piles().evaluate(far, 0) == 1.0 == -Piles().evaluate(far, 1)
    assert 0.8 < Bent().evaluate(far, 0) < 1.0
    assert 0.9 < Shares().evaluate(far, 0) < 1.0


def test_a_game_may_bend_the_sum_itself():
    class Steep(Piles):
        def squash(self, x):
            return -1.0 if x < 0.0 else 1.0

    assert Steep().evaluate(Piles.State(3, (4, 0), 0), 1) == -1.0


def test_without_terms_all_players_are_promised_the_middle():
    game = games.load("tree:p1[p2[(1,2,3),(4,0,0)],p3[(2,2,2)]]")
    assert not game.knows.evaluate
    assert [game.evaluate(game.initial(), p) for p in range(3)] == [2.0, 2.0, 2.0]
    assert game.terms(game.initial()) == ()


def test_a_search_and_its_compiled_twin_agree_about_terms():
    for game in (Piles(), Bent(), Unweighted()):
        with native.interpreted():
            slow = search.alphabeta(game, depth=4)
        with native.compiled():
            fast = search.alphabeta(game, depth=4)
        assert (slow.value, slow.nodes, slow.line) == (fast.value, fast.nodes, fast.line)


@make_native
def sum_of(game, terms, weights):
    return weighted_sum(terms, weights)


@pytest.mark.parametrize(
    ("terms", "weights", "expected"),
    [((), (), 0.0), ((3,), (), 3.0), ((1, 0.5, True), (2.0, 4.0, 8.0), 12.0), ((0.1, 0.2, 0.3), (), 0.1 + 0.2 + 0.3)],
)
def test_a_weighted_sum_is_the_same_in_both_modes(terms, weights, expected):
    assert weighted_sum(terms, weights) == expected
    for mode in (native.interpreted, native.compiled):
        with mode():
            assert sum_of(Piles(), terms, weights) == expected


def test_weights_are_as_many_as_terms():
    class Uneven(Piles):
        weights = (1.0,)

    with pytest.raises(ValueError, match="there are 2 terms, but 1 weights"):
        Uneven().evaluate(Uneven().initial(), 0)


def test_terms_alone_are_no_estimate_for_three():
    class Three(Piles):
        players = 3

    with pytest.raises(RulesError, match="not two opponents: add  def evaluate"):
        Three()


# ---- knowledge


def test_knowledge_has_a_field_for_every_optional_method():
    assert Knowledge._fields == tuple(KNOWLEDGE)
    assert {"evaluate", "terms", "priority", "information", "features", "sample"} <= set(KNOWLEDGE)
    assert not any(games.load("nim").knows)
    assert [name for name, known in Piles().knows._asdict().items() if known] == ["evaluate", "terms"]


def test_what_is_for_people_is_no_part_of_the_rules():
    class Named(Piles):
        player_names = ("Ann", "Bob")
        unit = "stones"

        def show(self, s):
            return f"{s.left} left"

    assert {"player_names", "unit", "look", "show", "from_text"} <= FOR_PEOPLE
    plain = type("Named", (Piles,), {"__qualname__": Named.__qualname__})
    assert fingerprint(Named) == fingerprint(plain)


# ---- names


def test_players_have_names_and_values_a_unit():
    assert (Piles().player_names, Piles().unit) == (("player 1", "player 2"), "")
    assert (games.load("chess").player_names, games.load("chess").unit) == (("White", "Black"), "pawns")
    assert games.load("pig:players=3").player_names[2] == "player 3"
    assert games.load("two_against_one:as_team=yes").player_names == ("a partner", "the one")

    class Nameless(Piles):
        player_names = ("Ann",)

    with pytest.raises(RulesError, match="has 2 players: player_names must have a name for each"):
        Nameless()


# ---- inputs for learning


def test_inputs_come_from_the_state_by_itself():
    class State(NamedTuple):
        board: Bits
        scores: tuple
        turn: int
        rate: float

    s, on = State(Bits(5, [1, 4]), (0, 3), 1, 0.5), Active()
    default_features(s, on)
    first, second, turn, rate = 5, 38, 71, 104  # a whole number is how large it is, and one of 32 small ones
    assert number_of_inputs(s) == 105
    assert on.values == {
        1: 1.0,
        4: 1.0,
        first + 1 + 0: 1.0,
        second: 3 / 35,
        second + 1 + 3: 1.0,
        turn: 1 / 33,
        turn + 1 + 1: 1.0,
        rate: 0.5 / 1.5,
    }
    assert on.row(6) == [0.0, 1.0, 0.0, 0.0, 1.0, 0.0]


def test_numbers_that_are_not_small_have_only_their_size():
    on = Active()
    default_features((-2, 32, 10**9), on)
    assert on.values == {0: -2 / 34, 33: 32 / 64, 66: 10**9 / (10**9 + 32)}


def test_each_player_has_inputs_of_his_own_by_default():
    game = games.load("nim")
    seen = []
    for s in (game.initial(), game.result(game.initial(), next(iter(game.actions(game.initial()))))):
        on = Active(game.inputs)
        game.features(s, on)
        seen.append({i * game.views // game.inputs for i in on.values})
    assert game.views == 2
    assert seen == [{0}, {1}]


def test_inputs_beyond_their_number_are_refused():
    with pytest.raises(ValueError, match="not below `inputs`"):
        Active(4).add(4)
    on = Active(4, most=1)
    on.add(3)
    with pytest.raises(ValueError, match="more active inputs"):
        on.add(2)


@pytest.mark.parametrize("name", games.names())
def test_every_game_has_inputs_within_their_number(name):
    game = games.load(name)
    s = game.initial()
    for _ in range(6):
        on = Active()
        game.features(s, on)
        assert all(0 <= i < game.inputs for i in on.values)
        if not game.is_terminal(s):
            s = game.result(s, next(iter(game.actions(s))))


def seen_of(x):
    """The inputs of the textbook as ours: of the first three of a point only the last."""
    for i in (i for side in (0, 98) for i in range(side, side + 96, 4)):
        x[i] -= x[i + 1]
        x[i + 1] -= x[i + 2]
    return x.tolist()


def test_backgammon_is_seen_by_the_player_to_move():
    game = games.load("backgammon")
    s = game.at("31 8/5,6/5").state
    on = Active()
    game.features(s, on)
    both = seen_of(game.td_features(s))
    assert game.player(game.at("31").state) == 0
    assert on.row(game.inputs) == [*both[98:196], *both[:98], *[0.0] * 196]


def test_a_race_of_backgammon_has_inputs_of_its_own():
    game = games.load("backgammon")
    s = game.from_text("hgcAALIDAAAAAA")
    on = Active()
    game.features(s, on)
    assert game.is_race(s)
    assert not game.is_race(game.initial())
    assert on.row(game.inputs) == [*[0.0] * 196, *seen_of(game.td_features(s))[:196]]


def test_features_of_ones_own_need_their_number():
    class Learnt(Piles):
        def features(self, s, on):
            on.add(s.turn)

    with pytest.raises(RulesError, match="does not say how many"):
        Learnt()

    class Counted(Learnt):
        inputs = 2

    assert Counted().knows.features
    assert Counted().inputs == 2


# ---- what is hidden


class HighCard(Piles):
    """Each has a card; player 0 bets or not, and then the higher card wins."""

    terms, weights = Game.terms, ()
    chance = True

    class State(NamedTuple):
        cards: tuple
        bet: int

    def initial(self):
        return self.State((0, 0), -1)

    def player(self, s):
        return -1 if s.cards[1] == 0 else 0

    def actions(self, s):
        return range(1, 4) if s.cards[1] == 0 else range(2 if s.bet < 0 else 0)

    def probability(self, s, a):
        return 1 / 3

    def result(self, s, a):
        if s.cards[0] == 0:
            return self.State((a, 0), -1)
        return self.State((s.cards[0], a), -1) if s.cards[1] == 0 else self.State(s.cards, a)

    def is_terminal(self, s):
        return s.bet >= 0

    def utility(self, s, p):
        lead = 0.5 * s.bet * ((s.cards[0] > s.cards[1]) - (s.cards[0] < s.cards[1]))
        return lead if p == 0 else -lead

    def information(self, s, p):
        return s.cards[p], s.bet


def test_a_game_that_says_who_knows_what_has_something_hidden():
    game = HighCard()
    assert not game.perfect_information
    assert game.knows.information
    one, other = game.State((2, 1), -1), game.State((2, 3), -1)
    assert game.information(one, 0) == game.information(other, 0)
    assert game.information(one, 1) != game.information(other, 1)
    for name, algorithm in search.ALGORITHMS.items():
        if not search.ENGINES[name].abilities.hidden:
            with pytest.raises(search.Unsuited, match="nothing hidden"):
                algorithm(game)


def test_in_other_games_everyone_knows_the_state():
    game = Piles()
    assert game.perfect_information
    assert game.information(game.initial(), 1) == game.initial()


def test_a_game_cannot_hide_something_and_deny_it():
    class Denying(HighCard):
        perfect_information = True

    with pytest.raises(RulesError, match="leave out perfect_information"):
        Denying()


# ---- boards


class Stars(BoardGame):
    """Each puts down one star in turn, on two rows of three squares; nothing else happens."""

    pieces = "*+"
    says_turn = False
    rows, columns = 2, 3

    class State(NamedTuple):
        mine: Bits
        theirs: Bits
        turn: int

    def initial(self):
        return self.State(self.empty, self.empty, 0)

    def player(self, s):
        return s.turn

    def actions(self, s):
        return ~(s.mine | s.theirs)

    def result(self, s, a):
        return self.State(s.theirs, s.mine.add(a), 1 - s.turn)

    def is_terminal(self, s):
        return not ~(s.mine | s.theirs)

    def utility(self, s, p):
        return 0.0

    def mistake(self, s):
        return "the corner stays empty" if 0 in s.mine | s.theirs else ""


class SaidStars(Stars):
    says_turn = True


def test_a_board_is_written_read_and_named_by_its_shape():
    game, said = Stars(), SaidStars()
    s = game.at("b2 c1 a1").state
    assert (game.shape, game.player_names) == ((2, 3), ("*", "+"))
    assert str(game.at("b2 c1 a1")) == "2 . * .\n1 * . +\n  a b c"
    assert (game.to_text(s), said.to_text(s)) == (".*./*.+", ".*./*.+ +")
    assert game.from_text(".*./*.+") == said.from_text(".*./*.+ +") == s
    assert game.sides(s) == (Bits(6, [1, 3]), Bits(6, [5]))
    assert [list(squares) for squares in game.read(".*./*.+")] == [[1, 3], [5]]
    assert (game.square(1, 2), game.square_name(5), game.set_up(*s)) == (5, "c1", s)


@pytest.mark.parametrize(
    ("game", "text", "message"),
    [
        (Stars(), "*../...", "cannot be: the corner stays empty"),
        (Stars(), ".**/...", r"cannot be: \* begins, so there are as many \* as \+ or one more"),
        (Stars(), "...", "not a board of 2 rows and 3 columns"),
        (SaidStars(), ".../...", "end it with ' \\*' or ' \\+'"),
        (SaidStars(), "", "does not say who is to move"),
        (SaidStars(), ".../...*", "does not say who is to move"),
    ],
)
def test_a_board_that_cannot_be_says_why(game, text, message):
    with pytest.raises(UnreadableText, match=message):
        game.from_text(text)
