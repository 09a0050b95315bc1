"""The studio's server: who may ask, games that are played and kept, and searches that end when nobody wants them."""

import asyncio
import json
import os
import socket as sockets
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path

import pytest

from counterplay.arena import SavedGame
from tests.processes import WATCHDOG_SECONDS
from tests.studio_server import HUMAN, MIDDLE, RANDOM, heard, studio, table_where

pytestmark = pytest.mark.long

pytest.importorskip("fastapi", reason="needs the studio (pip install 'counterplay[studio]')")
pytest.importorskip("httpx", reason="needs httpx (pip install httpx)")
pytest.importorskip("websockets", reason="needs websockets (pip install websockets)")

from counterplay.apps.studio.catalogue import Catalogue  # noqa: E402
from counterplay.apps.studio.guard import Bucket, Guard  # noqa: E402
from counterplay.apps.studio.server import _listen  # noqa: E402
from counterplay.apps.studio.store import Store  # noqa: E402
from counterplay.apps.studio.workers import Workers  # noqa: E402

BENCHMARK = Path(__file__).parent.parent / "benchmarks" / "studio.py"

PLACES = '''"""Put marks on a row; who has three side by side wins."""
from typing import NamedTuple
from counterplay import Game

class Row(Game):
    class State(NamedTuple):
        cells: tuple
        turn: int
    def initial(self): return self.State((0,) * 7, 0)
    def player(self, s): return s.turn
    def actions(self, s): return [i for i in range(7) if s.cells[i] == 0]
    def result(self, s, a): return self.State(s.cells[:a] + (s.turn + 1,) + s.cells[a + 1:], 1 - s.turn)
    def won(self, s): return any(s.cells[i] == s.cells[i + 1] == s.cells[i + 2] != 0 for i in range(5))
    def is_terminal(self, s): return self.won(s) or 0 not in s.cells
    def utility(self, s, p): return 0.0 if not self.won(s) else -1.0 if s.turn == p else 1.0
    def board(self, s): return [[".xo"[c] for c in s.cells]]
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("studio")


@pytest.fixture(scope="module")
def served(folder):
    file = folder / "row.py"
    file.write_text(PLACES)
    with studio(folder / "games.sqlite", str(file), "--processes", "1") as running:
        yield running


# ---- who may ask


def test_nothing_is_answered_without_the_token(served):
    ask = served.client
    for path in ("/", "/api/games", "/wrong/api/games", "/main.js", f"/{'x' * 32}/"):
        assert ask.get(served.origin + path).status_code == 403
    assert served.get("api/games").status_code == 200


def test_other_hosts_and_origins_are_refused(served):
    ask = served.client
    assert ask.get("api/games", headers={"host": f"evil.example:{served.port}"}).status_code == 403
    for origin in (
        "http://evil.example",
        "null",
        f"http://127.0.0.1:{served.port + 1}",
        f"https://127.0.0.1:{served.port}",
    ):
        assert ask.post("api/tables", json={}, headers={"origin": origin}).status_code == 403
    assert ask.post("api/tables", json={}, headers={"sec-fetch-site": "same-site"}).status_code == 403
    assert ask.get("", headers={"sec-fetch-site": "cross-site"}).status_code == 403


@pytest.mark.parametrize("origin", ["http://evil.example", None])
def test_sockets_of_other_origins_are_refused(served, origin):
    from websockets.exceptions import InvalidStatus

    with pytest.raises(InvalidStatus) as refused, served.live(origin=origin):
        pass
    assert refused.value.response.status_code == 403


def test_answers_tell_the_browser_what_to_refuse(served):
    for path in ("", "main.js", "api/games", "nothing.js"):
        headers = served.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-content-type-options"] == "nosniff"


def test_the_page_names_no_paths(served, folder):
    for path in ("../server.py", "..%2fserver.py", "%2e%2e/server.py", "api/../../server.py", "/etc/passwd"):
        assert served.client.get(served.address + path).status_code in (403, 404)
    for game in ("../../x.py", str(folder / "row.py"), "row.py", "openspiel:chess", "tree:[1,2]", 7, None):
        answer = served.post("api/tables", game=game, seats=[HUMAN, RANDOM])
        assert answer.status_code == 400
    assert served.begin("row", HUMAN, RANDOM)["game"] == "row"


@pytest.mark.parametrize(
    "seat",
    [
        {"kind": "engine", "engine": "uci:stockfish"},
        {"kind": "uci:sh"},
        {"kind": "search", "search": "alphabeta", "depth": 1000},
        {"kind": "search", "search": "alphabeta", "depth": "4,model=/etc/passwd"},
        {"kind": "search", "search": "uci"},
        {"kind": "level", "level": 99},
        "human",
        {},
    ],
)
def test_the_page_names_no_programs(served, seat):
    assert served.post("api/tables", game="nim", seats=[HUMAN, seat]).status_code == 400


def test_programs_in_saved_games_are_not_started(served):
    table = served.begin("nim", HUMAN, MIDDLE)
    text = json.loads(served.get(f"api/tables/{table['id']}/text").text)
    for player in (
        "uci:stockfish",
        "alphabeta:depth=3,model=/etc/passwd,seconds=1",
        "alphabeta:seconds=1000",
        "nothing",
    ):
        answer = served.post("api/load", text=json.dumps({**text, "players": ["human", player]}))
        assert answer.json()["players"] == ["human", "level:5"]


def test_what_is_too_long_or_nonsense_is_refused(served):
    assert served.post("api/load", text="x" * 2_000_000).status_code == 413
    assert served.post("api/load", text="x" * 500_000).status_code == 400
    assert served.client.post("api/tables", content=b"[" * 100_000).status_code == 400
    assert served.client.post("api/tables", content=b"[]").status_code == 400
    assert served.post("api/load", text="{}").status_code == 400
    assert served.get("api/tables/nothing").status_code == 400

    def chunks():
        for _ in range(40):
            yield b"x" * 50_000

    assert served.client.post("api/load", content=chunks()).status_code in (400, 413)
    with served.live() as live:
        for text in (
            "x",
            "[]",
            "7",
            '{"do": "nothing", "id": 1}',
            '{"watch": "nothing"}',
            '{"do": "lines", "id": "x"}',
        ):
            live.send(text)
            assert "failed" in heard(live, lambda _: True)


def test_a_page_that_sends_too_much_is_hung_up(served):
    from websockets.exceptions import ConnectionClosed

    def hear_all(*messages):
        for message in messages:
            live.send(message)
        heard(live, lambda _: False)

    with served.live() as live:
        with pytest.raises(ConnectionClosed) as closed:
            hear_all(*['{"stop": 1}'] * 2_000)
        assert closed.value.rcvd.code == 1008
    with served.live() as live, pytest.raises(ConnectionClosed):
        hear_all("x" * 2_000_000)


# ---- playing


def test_a_game_against_the_computer_to_its_end(served):
    table = served.begin("tic_tac_toe", HUMAN, MIDDLE, seed=1)
    with served.live() as live:
        live.send(json.dumps({"watch": table["id"]}))
        while not table["ending"]:
            table = table_where(live, lambda t: t["ending"] or t["turn"] == "human")
            if not table["ending"]:
                answer = served.post(f"api/tables/{table['id']}/play", move=table["legal"][0]["name"])
                assert answer.status_code == 200
                table = answer.json()
    assert table["ending"] in ("X wins", "O wins", "a draw")
    assert table["legal"] == []
    moves = served.get(f"api/tables/{table['id']}").json()["moves"]
    assert [move["seat"] for move in moves] == [i % 2 for i in range(len(moves))]


def test_verdicts_hints_and_reasons_have_the_words_of_the_analysis(served):
    table = served.begin("nim", HUMAN, HUMAN, moves="a2 b1 c1")
    with served.live() as live:
        live.send(json.dumps({"watch": table["id"]}))
        judged = table_where(live, lambda t: all("verdict" in move for move in t["moves"]))
        assert [(move["verdict"], move["mark"]) for move in judged["moves"]] == [("", ""), ("", ""), ("blunder", "??")]
        assert judged["moves"][2]["better"].startswith("better c3")
        assert judged["moves"][2]["best"] == "c3"
        live.send(json.dumps({"do": "hint", "id": 1, "table": table["id"]}))
        hint = heard(live, lambda m: "done" in m)["done"]
        assert hint["worth"].endswith("for player 2")
        live.send(json.dumps({"do": "why", "id": 2, "table": table["id"], "ply": 2}))
        assert "c3" in " ".join(heard(live, lambda m: "done" in m)["done"]["paragraphs"])


def test_undo_resign_take_over_save_and_load(served):
    table = served.begin("nim", HUMAN, HUMAN)
    path = f"api/tables/{table['id']}"
    served.post(f"{path}/play", move="a1")
    served.post(f"{path}/play", move="b1")
    assert [m["name"] for m in served.post(f"{path}/undo").json()["moves"]] == ["a1"]
    assert served.post(f"{path}/play", move="z9").status_code == 400
    assert served.post(f"{path}/seat", seat=0, player=MIDDLE).json()["players"] == ["level:2", "human"]
    assert served.post(f"{path}/seat", seat=7, player=MIDDLE).status_code == 400
    text = served.get(f"{path}/text").text
    again = served.post("api/load", text=text).json()
    assert (again["players"], [m["name"] for m in again["moves"]]) == (["level:2", "human"], ["a1"])
    assert served.post(f"{path}/resign").json()["ending"] == "player 1 wins: player 2 resigned"
    assert served.get(f"{path}/at/0").json()["text"].startswith("a  o o o (3)")
    assert served.get(f"{path}/at/9").status_code == 400


def test_what_is_hidden_stays_hidden(served):
    table = served.begin("kuhn_poker", HUMAN, RANDOM, seed=3)
    said = json.dumps(table)
    assert table["moves"] == []
    assert "cards" not in said
    path = f"api/tables/{table['id']}"
    for forbidden in (served.get(f"{path}/text"), served.get(f"{path}/at/0"), served.post(f"{path}/undo")):
        assert forbidden.status_code == 400
    assert served.post(f"{path}/seat", seat=1, player=HUMAN).status_code == 400
    assert served.post("api/tables", game="kuhn_poker", seats=[HUMAN, HUMAN]).status_code == 400
    with served.live() as live:
        live.send(json.dumps({"do": "hint", "id": 1, "table": table["id"]}))
        assert "hidden" in heard(live, lambda m: "failed" in m)["failed"]


def test_clocks_run_and_a_bad_one_is_refused(served):
    table = served.begin("nim", HUMAN, HUMAN, clock="300+2")
    assert 0 < table["left"][0] <= 300
    assert served.post("api/tables", game="nim", seats=[HUMAN, HUMAN], clock="soon").status_code == 400


# ---- analysing


def test_lines_come_as_they_are_found_and_a_game_is_read_and_judged(served):
    pgn = '[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0'
    game = served.post("api/read", game="chess", text=pgn).json()
    assert (game["players"], game["moves"][-1]) == (["A", "B"], "Qxe5#")
    here = served.post("api/position", **{**game, "moves": game["moves"][:4]}).json()
    assert here["whose"] == "White"
    assert {"name": "Qxe5#", "clicks": [[[3, 7], [3, 4]]]} in here["legal"]
    assert served.post("api/read", game="kuhn_poker", text="").status_code == 400
    assert served.post("api/read", game="chess", text="1. e5").status_code == 400
    with served.live() as live:
        live.send(json.dumps({"do": "lines", "id": 5, "multi": 2, **game, "moves": game["moves"][:4]}))
        found = heard(live, lambda m: m.get("id") == 5 and "lines" in m.get("progress", m.get("done", {})))
        best = found.get("progress", found.get("done"))
        assert best["lines"][0]["move"] == "Qxe5#"
        assert best["worth"].endswith(" for White")
        live.send('{"stop": 5}')
        live.send(json.dumps({"do": "review", "id": 6, "game": "tic_tac_toe", "moves": ["a3", "b3", "b2"]}))
        done = heard(live, lambda m: m.get("id") == 6 and "done" in m)["done"]
        assert [move["mark"] for move in done["moves"]] == ["", "??", ""]
        assert done["summary"].startswith("X: 2 moves, 0 inaccuracies")


# ---- watching, asking, learning


def done(served, **asked):
    """What comes of a request by the socket."""
    with served.live() as live:
        live.send(json.dumps({"id": 1, **asked}))
        return heard(live, lambda m: "done" in m or "failed" in m)


TWO_PLY = "[[3, 12, 8], [2, 4, 6], [14, 5, 2]]"


def test_a_search_step_by_step(served):
    found = done(served, do="trace", tree=TWO_PLY, algorithm="alphabeta")["done"]
    assert (found["value"], found["skipped"], len(found["steps"]), found["complete"]) == (3, 2, 33, True)
    assert [node["value"] for node in found["nodes"] if node["kind"] == "unseen"] == ["4", "6"]
    assert found["tree"]["root"]["children"][1]["player"] == 1
    assert found["svg"].startswith("<svg")
    game = done(served, do="trace", game="tic_tac_toe", algorithm="minimax", depth=1)["done"]
    assert (game["visits"], game["tree"]) == (10, None)
    for wrong in (
        {"tree": "[3,", "algorithm": "minimax"},
        {"tree": TWO_PLY, "algorithm": "mcts"},
        {"tree": "[" * 30_000, "algorithm": "minimax"},
        {"game": "chess", "algorithm": "minimax", "depth": 9000},
        {"game": "kuhn_poker", "algorithm": "minimax", "depth": 1},
        {"game": "nim", "moves": [1], "algorithm": "minimax"},
    ):
        assert "failed" in done(served, do="trace", **wrong), wrong


def test_a_tree_that_grows(served):
    found = done(served, do="grow", tree=TWO_PLY, simulations=200)["done"]
    assert (found["value"], len(found["simulations"])) == (3, 200)
    assert found["nodes"][found["best"]]["name"] == "1"
    for wrong in ({"simulations": 10**9}, {"exploration": -1}, {"seed": "x"}):
        assert "failed" in done(served, do="grow", tree=TWO_PLY, **wrong)


def test_questions_and_answers(served):
    for kind in served.get("api/quiz").json():
        about = {"kind": kind["name"], "difficulty": 1, "seed": 4}
        asked = served.post("api/quiz", **about).json()
        assert "answer" not in asked
        assert asked["nodes"][0]["parent"] is None
        wrong = served.post("api/quiz/answer", **about, answer="x9 -77 77")
        right = served.post("api/quiz/answer", **about, answer=(wrong.json().get("answer") or "0"))
        assert wrong.status_code == 400 or not wrong.json()["right"]
        if wrong.status_code == 200:
            assert right.json()["right"]
            assert right.json()["solution"][0]["words"]
    assert served.post("api/quiz", kind="value", difficulty=9, seed=1).status_code == 400
    assert served.post("api/quiz", kind="none", difficulty=1, seed=1).status_code == 400


def test_a_match_is_told_game_by_game(served):
    found = done(served, do="match", game="nim", players=[RANDOM, RANDOM], games=2)["done"]
    assert (found["games"], sum(row["points"] for row in found["standings"])) == (2, 2)
    for wrong in ({"players": [HUMAN, RANDOM]}, {"players": [RANDOM]}, {"players": [RANDOM] * 2, "games": 10**6}):
        assert "failed" in done(served, do="match", game="nim", **wrong)


def test_a_training_is_watched_and_stopped_and_its_model_plays(served):
    assert {each["name"] for each in served.get("api/recipes").json()} >= {"any", "samuel"}
    model = {"kind": "model", "model": "trained", "depth": 1}
    assert served.post("api/tables", game="nim", seats=[HUMAN, model]).status_code == 400
    with served.live() as live:
        live.send(json.dumps({"do": "train", "id": 1, "game": "nim", "games": 50}))
        said = heard(live, lambda m: "failed" in m or m.get("progress", {}).get("curve"))
        assert "random" in said["progress"]["curve"][0]["shares"]
        live.send('{"stop": 1}')
    table = served.begin("nim", HUMAN, model)
    served.post(f"api/tables/{table['id']}/play", move="a1")
    with served.live() as live:
        live.send(json.dumps({"watch": table["id"]}))
        assert len(table_where(live, lambda t: t["turn"] == "human")["moves"]) == 2
    for wrong in ({"recipe": "none"}, {"games": 0}, {"seconds": 0}, {"game": "kuhn_poker"}):
        assert "failed" in done(served, **{"do": "train", "game": "nim", **wrong})


# ---- workers and the store


def test_a_closed_page_frees_its_search(served):
    """There is one process: what comes next is answered, though what came before would have taken a minute."""
    with served.live() as live:
        live.send(json.dumps({"do": "lines", "id": 1, "game": "chess", "moves": []}))
        heard(live, lambda m: "progress" in m)
    began = time.monotonic()
    with served.live() as live:
        live.send(json.dumps({"do": "lines", "id": 2, "game": "tic_tac_toe", "moves": ["a1"]}))
        assert heard(live, lambda m: "done" in m)["done"]["worth"] == "draw"
    assert time.monotonic() - began < WATCHDOG_SECONDS


def test_what_nobody_waits_for_is_compiled_to_the_end(tmp_path, monkeypatch):
    """A page that is closed while its search is compiled loses the search, and not the machine code."""
    monkeypatch.setenv("COUNTERPLAY_CACHE_DIR", str(tmp_path))
    workers, told, said = Workers(1), [], threading.Semaphore(0)
    order = {"saved": asdict(SavedGame("nim:(1, 2)", "heaps=(1,2) turn=0"))}

    def tell(what, message):
        told.append((what, message))
        said.release()

    first = workers.begin("lines", "nim:(1, 2)", order, tell)
    assert said.acquire(timeout=WATCHDOG_SECONDS)
    assert told == [("progress", {"compiling": True})]
    first.cancel()
    told.clear()
    workers.begin("lines", "nim:(1, 2)", order, tell)
    while not told or told[-1][0] == "progress":
        assert said.acquire(timeout=WATCHDOG_SECONDS)
    workers.close()
    assert told[-1][0] == "done"
    assert ("progress", {"compiling": True}) not in told


def test_killing_the_server_loses_no_game(folder):
    store = folder / "kept.sqlite"
    with studio(store) as first:
        table = first.begin("nim", HUMAN, HUMAN)
        first.post(f"api/tables/{table['id']}/play", move="a1")
        first.process.kill()
    with studio(store) as second:
        again = second.get(f"api/tables/{table['id']}").json()
        assert [move["name"] for move in again["moves"]] == ["a1"]
        assert [each["id"] for each in second.get("api/tables").json()] == [table["id"]]
        second.post(f"api/tables/{table['id']}/forget")
        assert second.get("api/tables").json() == []
        assert second.get(f"api/tables/{table['id']}").status_code == 400


def test_the_load_test_runs():
    command = [sys.executable, str(BENCHMARK), "--pages", "2", "--games", "4", "--game", "nim", "--think", "0"]
    environment = {**os.environ, "COUNTERPLAY_INTERPRETED": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=WATCHDOG_SECONDS)
    found = json.loads(done.stdout)
    assert (found["games"], found["failures"]) == (4, 0)


# ---- parts of it


def test_small_answers_are_sent_at_once():
    """asyncio switches Nagle's delay off only for sockets that say that they are TCP's."""
    with _listen("127.0.0.1", 0) as listening, sockets.create_connection(listening.getsockname()) as ours:
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.proto == ours.proto == sockets.IPPROTO_TCP


def test_a_bucket_fills_again():
    now = 0.0
    bucket = Bucket(per_second=2, most=3, now=lambda: now)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    now = 1.0
    assert [bucket.take() for _ in range(3)] == [True, True, False]


def asked(guard, host, path="/token/x", **headers):
    """The status of an answer, without a network."""
    found = []

    async def send(message):
        found.append(message)

    async def receive():
        return {"type": "http.request", "body": b""}

    lines = [(name.replace("_", "-").encode(), value.encode()) for name, value in {"host": host, **headers}.items()]
    scope = {"type": "http", "path": path, "headers": lines}
    asyncio.run(guard(scope, receive, send))
    return found[0]["status"]


def test_a_server_for_others_has_addresses_but_no_names():
    async def app(scope, receive, send):
        assert scope["path"] == "/x"
        await send({"type": "http.response.start", "status": 200, "headers": []})

    wide, here = (Guard(app, "token", host, 80) for host in ("0.0.0.0", "127.0.0.1"))
    assert asked(wide, "192.168.1.7:80") == 200
    assert asked(wide, "evil.example:80") == asked(wide, "192.168.1.7:81") == 403
    assert asked(here, "192.168.1.7:80") == 403
    assert asked(here, "127.0.0.1:80") == asked(here, "localhost:80") == 200
    assert asked(here, "127.0.0.1:80", "/tokens/x") == asked(here, "127.0.0.1:80", "/") == 403
    assert (
        asked(here, "127.0.0.1:80", content_length="9000000") == asked(here, "127.0.0.1:80", content_length="x") == 413
    )


def test_only_a_few_games_are_kept(monkeypatch):
    monkeypatch.setattr("counterplay.apps.studio.store.MOST_GAMES", 2)
    store = Store(None)
    for i in range(3):
        store.keep(str(i), "nim", SavedGame("nim", "heaps=(3,4,5) turn=0", ("a1",)), {"verdicts": {}})
    assert [each["id"] for each in store.newest()] == ["2", "1"]
    assert store.find("0") is None
    assert store.find("2")[1].moves == ("a1",)
    store.close()


def test_players_are_those_that_were_offered():
    catalogue = Catalogue(engines=["uci:stockfish"])
    chess, poker = catalogue.game("chess"), catalogue.game("kuhn_poker")
    assert catalogue.player(chess, {"kind": "engine", "engine": "uci:stockfish"}) == "uci:stockfish"
    assert (
        catalogue.player(chess, {"kind": "search", "search": "alphabeta", "depth": 3})
        == "alphabeta:depth=3,seconds=30.0"
    )
    assert catalogue.allowed(chess, ["alphabeta:depth=3,seconds=30.0", "level:3", "ugi:x"]) == (
        "alphabeta:depth=3,seconds=30.0",
        "level:3",
        "level:5",
    )
    for name, by in {"othello": "alphabeta", "connect_four": "mcts"}.items():  # whose model speaks of moves, too
        text = catalogue.player(catalogue.game(name), {"kind": "model", "seconds": 1})
        assert text == f"{by}:seconds=1,model=shipped"
        assert catalogue.allowed(catalogue.game(name), [text]) == (text,)
    assert catalogue.allowed(poker, ["level:3", "strategy:/etc/passwd"]) == ("equilibrium", "equilibrium")
    assert catalogue.about("chess")["engines"] == ["uci:stockfish"]
    assert catalogue.about("kuhn_poker")["levels"] == 0


def test_whoever_lets_others_in_is_warned(folder):
    with studio(folder / "wide.sqlite", "--host", "0.0.0.0") as running:
        assert running.address.startswith("http://127.0.0.1:")
        assert running.get("api/games").status_code == 200
        running.process.kill()
        assert "everybody who can reach 0.0.0.0" in running.process.stderr.read()


# ---- the command


def test_what_is_wrong_is_one_line(counterplay, tmp_path):
    with sockets.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for arguments, said in (
            (("--port", port), "nothing can be served"),
            (("no_such_game",), "there is no game"),
            (("--engine", "stockfish"), "is no player by another program"),
            (("--processes", "0"), "1 to 64"),
            (("--store", str(tmp_path)), "cannot keep"),
        ):
            status, out, err = counterplay("studio", "--no-open", "--store", str(tmp_path / "x"), *arguments)
            assert (status, out) == (2, "")
            assert said in err
            assert err.count("\n") == 1
