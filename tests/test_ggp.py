"""The general player and its protocol: a manager of ours plays whole games with it over HTTP."""

import http.client
import threading

import pytest

from counterplay import games, search
from counterplay.apps.protocols.ggp import GgpServer, Manager
from counterplay.arena.general import GeneralPlayer
from counterplay.games._gdl import SHEETS
from counterplay.games._gdl.kif import MOST_CHARACTERS, parse, written
from tests.processes import WATCHDOG_SECONDS

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def all_is_interpreted(monkeypatch):
    """In every thread; that compiled rules are the same is tested elsewhere."""
    monkeypatch.setenv("COUNTERPLAY_INTERPRETED", "1")


def sheet_text(name):
    return " ".join(written(sentence.term) for sentence in parse((SHEETS / name).read_text()))


@pytest.fixture
def server():
    with GgpServer(0) as listening:
        thread = threading.Thread(target=listening.serve_forever, daemon=True)
        thread.start()
        yield listening
        listening.shutdown()
        thread.join(WATCHDOG_SECONDS)


def post(server, text, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=WATCHDOG_SECONDS)
    try:
        connection.request("POST", "/", text.encode(), headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def test_a_whole_game_over_http(server):
    """Against the first legal move of each position; the manager has the rules from our own copy of the sheet."""
    game = games.load("nim.kif")
    assert post(server, "(INFO)") == (200, "((name counterplay) (status available))")
    assert post(server, f"(start m1 second ({sheet_text('nim.kif')}) 2 1)") == (200, "ready")
    assert post(server, "(info)") == (200, "((name counterplay) (status busy))")
    s, last = game.initial(), "nil"
    while not game.is_terminal(s):
        status, ours = post(server, f"(play m1 {last})")
        assert status == 200
        theirs = written(game.move(next(iter(game.actions(s))))) if s.turn == 0 else "noop"
        last = f"({theirs} {ours})"
        (s,) = game.after_all(s, parse(last, lists=True)[0].term)
    assert post(server, f"(stop m1 {last})") == (200, "done")
    assert post(server, "(info)")[1].endswith("(status available))")


def test_what_is_no_message_is_told_in_one_line():
    manager = Manager()
    rules = sheet_text("nim.kif")
    for text, answer in [
        ("(play m1 nil)", '(error "there is no match m1")'),
        ("hello", '(error "unknown message hello")'),
        ("(", "(error \"the sheet ends before the '(' of line 1 is closed\")"),
        ("(info) (info)", '(error "a message is one sentence, as (info)")'),
        (f"(start m third ({rules}) 1 1)", '(error "the sheet has no role third; it has: first, second")'),
        (f"(start m first ({rules}) soon 1)", '(error "a clock is a whole number of seconds, not soon")'),
        ("(start m first ((role a)) 1 1)", '(error "m.kif: no sentence of the sheet says `legal`, so it is no game")'),
    ]:
        assert manager.answer(text) == answer


def test_only_programs_on_this_machine_are_heard(server):
    assert server.address.startswith("http://127.0.0.1:")
    assert post(server, "(info)", Origin="http://example.org")[0] == 403
    assert post(server, "(info)", Host="example.org")[0] == 403
    assert post(server, "", **{"Content-Length": str(MOST_CHARACTERS + 1)})[0] == 413


def test_a_match_that_is_aborted_is_over():
    manager = Manager()
    assert manager.answer(f"(start m left ({sheet_text('rock_paper_scissors.kif')}) 0 0)") == "ready"
    assert manager.answer("(play m nil)") in ("rock", "paper", "scissors")
    assert manager.answer("(abort m)") == "done"
    assert manager.answer("(abort m)") == '(error "there is no match m")'


@pytest.mark.parametrize(("sheet", "plan"), [("nim.kif", "solved"), ("rock_paper_scissors.kif", "equilibrium")])
def test_a_general_player_finds_out_how_to_play(sheet, plan):
    game = games.load(sheet)
    player = GeneralPlayer(game, 0)
    player.prepare(WATCHDOG_SECONDS)
    assert player.plan == plan
    s = game.initial()
    a = player.choose([s], WATCHDOG_SECONDS)
    if plan == "solved":
        assert search.alphabeta(game, game.result(s, a)).value == 100.0
    player.close()


def test_a_general_player_that_has_no_time_moves_all_the_same():
    game = games.load("three_way.kif")
    player = GeneralPlayer(game, 0)
    assert player.choose([game.initial()], 0.0) in list(game.actions(game.initial()))
    player.close()


def test_where_the_game_is_too_large_random_games_decide():
    """Rock against one who has shown scissors already."""
    game = games.load("rock_paper_scissors.kif")
    player = GeneralPlayer(game, 1)
    player.plan = "samples"
    s = game.at(["scissors"]).state
    assert game.action_name(s, player._best_of_samples(s, 0.0)) == "rock"
    player.close()
