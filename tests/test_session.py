"""Sessions: games with people and players at their seats, without a screen. None sleeps: clocks are told the time."""

import json
import threading
from math import inf
from typing import NamedTuple

import pytest

from counterplay import CHANCE, Game, UserError, arena, games, native
from counterplay.arena import HUMAN, Clock, Ending, SavedGame, Session
from counterplay.arena.session import split_players
from counterplay.core.game import AmbiguousText, IllegalAction, UnreadableText

pytestmark = pytest.mark.long

PEOPLE = (HUMAN, HUMAN)


@pytest.fixture(autouse=True)
def _interpreted():
    with native.interpreted():
        yield


class Time:
    """A clock on the wall that stands still until it is moved."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


def played(session, *moves):
    for move in moves:
        session.play(move)
    return session


def snapshot(session):
    return session.as_dict() | {"states": session.states}


# ---- moves


def test_moves_by_name_and_by_number():
    session = Session.begin("tic_tac_toe", PEOPLE)
    assert (session.seat, session.turn, session.ending) == (0, "human", None)
    assert session.play("B2") == "b2"
    assert session.play(session.legal()["a1"]) == "a1"
    assert session.moves == ("b2", "a1")
    assert session.position.state == session.game.at("b2 a1").state == session.states[-1]
    assert session.position.history == session.states[:-1]


@pytest.mark.parametrize("move", ["b2", "z9", "", 4, -1, 99])
def test_an_illegal_move_changes_nothing(move):
    session = played(Session.begin("tic_tac_toe", PEOPLE), "b2")
    before = snapshot(session)
    with pytest.raises(IllegalAction, match="is not a legal move here; legal: "):
        session.play(move)
    assert snapshot(session) == before


def test_the_errors_of_a_game_are_the_usual_ones():
    session = Session.begin("chess", PEOPLE, position="4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    with pytest.raises(UserError):
        session.play("R")

    class Fragile(type(games.load("nim"))):
        """Nim that falls over what it cannot read."""

        def parse_action(self, s, text):
            return {"1": 1}[text]

    game = Fragile()
    session = Session(SavedGame("nim", game.to_text(game.initial()), players=PEOPLE), game)
    with pytest.raises(IllegalAction, match="'many' is not a legal move here"):
        session.play("many")
    assert session.moves == ()


def test_what_could_be_two_moves_is_asked_back():
    class Words(Game):
        class State(NamedTuple):
            ply: int

        def initial(self):
            return self.State(0)

        def player(self, s):
            return s.ply % 2

        def actions(self, s):
            return range(0 if self.is_terminal(s) else 2)

        def result(self, s, a):
            return self.State(s.ply + 1)

        def is_terminal(self, s):
            return s.ply == 3

        def utility(self, s, p):
            return 0.0

        def action_name(self, s, a):
            return ("go", "GO")[a]

    session = Session(SavedGame("words", "ply=0", players=PEOPLE), Words())
    with pytest.raises(AmbiguousText):
        session.play("Go")
    assert session.number_of("GO") == 1


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"players": (HUMAN,)}, "tic_tac_toe has 2 players, not 1"),
        ({"players": (HUMAN, "grandmaster")}, "no player 'grandmaster'"),
        ({"clocks": ("60",)}, "2 players, but 1 clocks"),
        ({"clocks": ("60", "soon")}, "'soon' is no clock"),
        ({"moves": "b2 b2"}, "'b2' is not a legal move"),
    ],
)
def test_a_session_that_cannot_be_is_refused(about, message):
    with pytest.raises(UserError, match=message):
        Session.begin("tic_tac_toe", **({"players": PEOPLE} | about))


def test_players_in_one_text():
    assert split_players("alphabeta:depth=2,table_mb=1, human") == ("alphabeta:depth=2,table_mb=1", HUMAN)


# ---- the computer


def test_the_computer_and_chance_play():
    session = Session.begin("pig:goal=10", (HUMAN, "level:2"), seed=3)
    seats = set()
    for _ in range(200):
        if session.turn == "human":
            session.play("roll")
        elif session.turn != "over":
            choice = session.think()
            seats.add(choice.seat)
            assert session.moves[-1] == choice.name
            assert (choice.result is None) == (choice.seat == CHANCE)
    assert seats == {CHANCE, 1}
    assert session.ending.by == "rules"
    with pytest.raises(UserError, match="the game is over"):
        session.think()


def test_choosing_plays_nothing():
    session = Session.begin("tic_tac_toe", ("minimax:depth=9", "random"), moves="a1 b1 a2 b2")
    choice = session.choose()
    assert (choice.name, choice.seat, choice.is_stopped, len(session.moves)) == ("a3", 0, False, 4)
    assert session.think().name == "a3"
    assert session.ending == Ending("rules", (0,), (8.0, -8.0))


def test_nobody_chooses_for_a_person():
    with pytest.raises(UserError, match="X is a person"):
        Session.begin("tic_tac_toe", PEOPLE).think()


def test_progress_is_told():
    seen = []

    class Told:
        def __call__(self, tally):
            pass

        def found(self, result):
            seen.append(result.depth)

    session = Session.begin("connect_four", ("alphabeta:depth=3", HUMAN))
    session.think(Told())
    assert seen == [1, 2, 3]


class Thinking:
    """A session that thinks in another thread, for as long as it is let."""

    def __init__(self, players=("alphabeta:seconds=1000", HUMAN), **about):
        self.session = Session.begin("connect_four", players, **about)
        self.begun, self.outcome, self.errors = threading.Event(), [], []
        context = native.interpreted  # a thread has a mode of its own

        def run():
            try:
                with context():
                    self.outcome.append(self.session.think(lambda tally: self.begun.set()))
            except UserError as error:
                self.errors.append(str(error))

        self.thread = threading.Thread(target=run)
        self.thread.start()
        assert self.begun.wait(60)

    def ends(self):
        self.thread.join(60)
        assert not self.thread.is_alive()
        assert not self.errors
        return self.outcome[0]


def test_a_search_is_stopped_and_moves():
    thinking = Thinking()
    assert thinking.session.as_dict()["thinking"]
    with pytest.raises(UserError, match="thinking already"):
        thinking.session.advise()
    thinking.session.stop()
    choice = thinking.ends()
    assert choice.is_stopped
    assert thinking.session.moves == (choice.name,)
    assert not thinking.session.as_dict()["thinking"]
    thinking.session.stop()  # nothing runs: nothing happens


@pytest.mark.parametrize(
    ("change", "moves"),
    [
        (lambda session: session.undo(), ()),
        (lambda session: session.resign(1), ("4",)),
        (lambda session: session.play("1"), ("4", "1")),
    ],
)
def test_a_game_that_changed_meanwhile_drops_the_thought(change, moves):
    thinking = Thinking(players=(HUMAN, "alphabeta:seconds=1000"), moves="4")
    change(thinking.session)
    assert thinking.ends() is None
    assert thinking.session.moves == moves


def test_a_search_that_found_nothing_in_time_plays_any_move():
    class Late:
        """A player who is stopped before he knows anything."""

        def search(self, states, progress):
            from dataclasses import replace

            found = arena.new_player(games.load("nim"), "minimax:depth=1").search(states, progress)
            return replace(found, action=None, line=(), stopped=self.stopped)

    session = Session.begin("nim", ("minimax:depth=1", HUMAN), seed=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("counterplay.arena.session.new_player", lambda *about: Late())
        Late.stopped = "interrupted"
        chosen = {session.choose().name for _ in range(3)}
        assert len(chosen) == 1
        assert chosen <= set(session.legal())
        Late.stopped = "depth"
        with pytest.raises(UserError, match="minimax finds no action"):
            session.choose()


def test_advice_is_what_the_highest_level_finds():
    session = Session.begin("tic_tac_toe", PEOPLE, moves="a1 b1 a2 b2")
    result = session.advise()
    assert (result.action_name, result.value, result.proven) == ("a3", 8, True)
    assert len(session.moves) == 4


# ---- taking back, giving up, the end


def test_undo_goes_back_to_a_persons_move():
    session = Session.begin("tic_tac_toe", (HUMAN, "level:1"), seed=1)
    session.play("b2")
    reply = session.think()
    assert session.undo() == 2
    assert (session.moves, session.seat) == ((), 0)
    session.play("b2")
    assert session.think().name == reply.name  # as it would have been
    session.undo()
    with pytest.raises(UserError, match="no move of yours"):
        session.undo()


def test_undo_takes_back_what_ended_the_game():
    session = played(Session.begin("tic_tac_toe", PEOPLE), "a1", "b1", "a2", "b2", "a3")
    assert session.ending.winners == (0,)
    assert session.undo() == 1
    assert session.seat == 0
    session.resign()
    session.undo()
    assert (session.turn, session.moves) == ("human", ("a1", "b1", "a2"))


def test_resignation():
    session = played(Session.begin("tic_tac_toe", PEOPLE), "b2")
    session.resign()
    assert session.ending == Ending("resignation", (0,), None, 1)
    assert (session.is_over, session.turn, session.seat, session.legal()) == (True, "over", None, {})
    for act in (session.resign, session.choose, lambda: session.play("a1")):
        with pytest.raises(UserError, match="the game is over"):
            act()
    three = Session.begin("pig:players=3", (HUMAN,) * 3)
    with pytest.raises(UserError, match="seats 0 to 2, not 3"):
        three.resign(3)
    three.resign(2)
    assert three.ending == Ending("resignation", (), None, 2)


def test_dice_do_not_resign():
    session = played(Session.begin("pig", PEOPLE), "roll")
    assert (session.seat, session.turn) == (CHANCE, "chance")
    with pytest.raises(UserError, match="say who resigns"):
        session.resign()
    session.resign(1)
    assert session.ending.winners == (0,)


def test_a_draw_has_no_winners():
    session = Session.begin("tic_tac_toe", PEOPLE, moves="b2 a1 c1 a3 a2 c2 b3 b1 c3")
    assert session.ending == Ending("rules", (), (0.0, 0.0))


def test_repetition_ends_the_game():
    there_and_back = "Nf3 Nf6 Ng1 Ng8 " * 2
    session = Session.begin("chess", PEOPLE, moves=there_and_back)
    assert session.ending == Ending("repetition", (), (0.0, 0.0))
    assert session.record()["utilities"] == [0, 0]


# ---- on disk


def test_a_saved_game_goes_on_as_it_would_have(tmp_path):
    file, about = tmp_path / "game.json", ("pig:goal=15", (HUMAN, "level:2"))

    def finished(session, saves):
        while session.turn != "over":
            if saves:
                session.save(file)
                session = Session.load(file)
            if session.turn == "human":
                session.play(list(session.legal())[-1])  # hold, where that is possible
            else:
                session.think()
        return session.record()

    assert finished(Session.begin(*about, seed=5), saves=True) == finished(Session.begin(*about, seed=5), saves=False)


def test_only_a_saved_game_is_overwritten(tmp_path):
    session, file = Session.begin("nim", PEOPLE), tmp_path / "mine.txt"
    file.write_text("mine")
    with pytest.raises(UserError, match="is not a saved game"):
        session.save(file)
    assert file.read_text() == "mine"
    session.saved().write(tmp_path / "other.json")
    session.save(tmp_path / "other.json")


def test_a_file_of_players_that_there_are_not_is_named(tmp_path):
    file = tmp_path / "game.json"
    SavedGame("nim", games.load("nim").to_text(games.load("nim").initial()), players=("x", HUMAN)).write(file)
    with pytest.raises(UserError, match=r"game\.json: there is no player 'x'"):
        Session.load(file)


@pytest.mark.parametrize(
    "field", [{"clocks": "60"}, {"used": [-1]}, {"used": ["1"]}, {"used": [float("nan")]}, {"flagged": "1"}]
)
def test_times_that_are_none_make_no_saved_game(tmp_path, field):
    file = tmp_path / "game.json"
    file.write_text(json.dumps({"game": "tic_tac_toe", "begins": ".../.../...", **field}))
    with pytest.raises(UserError, match="is not a saved game"):
        SavedGame.read(file)
    file.write_text(json.dumps({"game": "tic_tac_toe", "begins": ".../.../...", "flagged": 2}))
    with pytest.raises(UserError, match="nobody at seat 2 can run out of time"):
        SavedGame.read(file)


def test_a_session_is_plain_for_json():
    session = played(Session.begin("tic_tac_toe", (HUMAN, "level:3"), clocks=("60+1", "")), "b2")
    shown = session.as_dict()
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown
    assert (shown["turn"], shown["seat"], shown["ending"], shown["left"][1]) == ("computer", 1, None, None)
    assert shown["legal"] == list(session.legal())
    assert shown.items() >= session.record().items()
    choice = session.choose().as_dict()
    assert json.loads(json.dumps(choice, allow_nan=False)) == choice
    assert choice["name"] == choice["result"]["action_name"]
    session.resign()
    assert session.as_dict()["ending"] == {"by": "resignation", "winners": [0], "utilities": None, "seat": 1}


# ---- clocks


def test_a_clock_is_a_text():
    assert Clock.read("300+2") == Clock(300, 2)
    assert Clock.read(str(Clock(90.5))) == Clock(90.5, 0)
    for text in ("", "soon", "0", "-5", "10+-1", "inf", "nan", "5+nan"):
        with pytest.raises(UnreadableText, match="is no clock"):
            Clock.read(text)
    assert Clock(100, 2).after([3, 4.5]).total == 96.5


def timed(*moves, clocks=("60+2", "30"), **about):
    clock = Time()
    return clock, played(Session.begin("tic_tac_toe", PEOPLE, clocks=clocks, now=clock, **about), *moves)


def test_time_runs_for_who_is_to_move():
    clock, session = timed()
    clock.now += 10
    assert (session.left(0), session.left(1)) == (50, 30)
    session.play("b2")
    clock.now += 4
    assert (session.left(0), session.left(1)) == (52, 26)
    session.play("a1")
    assert (session.left(0), session.left(1)) == (52, 26)
    assert Session.begin("nim", PEOPLE).left(0) == inf


def test_the_flag_falls():
    clock, session = timed("b2")
    clock.now += 29.9
    assert not session.is_over
    clock.now += 0.1
    with pytest.raises(UserError, match="the time of O is up"):
        session.play("a1")
    assert session.ending == Ending("time", (0,), None, 1)
    assert session.moves == ("b2",)
    clock.now += 100
    assert (session.left(0), session.left(1)) == (62, 0)
    assert session.undo() == 1  # and time with it
    assert (session.left(0), session.left(1), session.turn) == (60, 30, "human")


def test_clocks_stand_still_when_the_game_is_over():
    clock, session = timed("a1", "b1", "a2", "b2")
    clock.now += 5
    session.play("a3")
    clock.now += 100
    assert (session.left(0), session.left(1)) == (61, 30)
    clock, session = timed("a1")
    clock.now += 5
    session.resign()
    clock.now += 100
    assert (session.ending.by, session.left(1)) == ("resignation", 25)


def test_clocks_go_on_after_loading(tmp_path):
    file = tmp_path / "game.json"
    clock, session = timed()
    clock.now += 3
    session.play("b2")
    clock.now += 7
    session.save(file)
    later = Time()
    again = Session.load(file, later)
    later.now += 1
    assert (again.left(0), again.left(1)) == (59, 22)
    later.now += 22
    assert again.ending.by == "time"
    again.save(file)
    assert Session.load(file).ending == Ending("time", (0,), None, 1)


def test_without_clocks_nothing_of_time_is_saved():
    assert played(Session.begin("nim", PEOPLE), "a1").saved().used == ()


def test_the_computer_keeps_its_time():
    """It moves before long when the clock says so, and that is no interruption."""
    clock = Time()
    session = Session.begin("connect_four", ("alphabeta:seconds=1000", HUMAN), clocks=("60", "60"), now=clock)

    def told(tally):
        clock.now += 1

    choice = session.think(told)
    assert not choice.is_stopped
    assert 55 < session.left(0) <= 58


def test_the_flag_of_the_computer_falls_while_it_thinks():
    clock = Time()
    session = Session.begin("connect_four", ("alphabeta:seconds=1000", HUMAN), clocks=("60", "60"), now=clock)

    def told(tally):
        clock.now += 61

    assert session.think(told) is None
    assert session.ending == Ending("time", (1,), None, 0)
    assert session.moves == ()
