"""`analyse --stdin`: queries in JSON, several at once, by priority, told of meanwhile, terminated. Nothing is timed."""

import json
import random
import threading

import pytest

from counterplay import UserError, games, native
from counterplay.apps.protocols.lines import Line
from counterplay.apps.protocols.queries import AnalysisEngine
from counterplay.search import Limits
from counterplay.study.analysis import best_lines
from tests.processes import WATCHDOG_SECONDS

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def _interpreted():
    with native.interpreted():
        yield


class Talk:
    """An analysis engine, what it has said, and waiting until it has said something."""

    def __init__(self, game="tic_tac_toe", **settings):
        self.said, self._condition = [], threading.Condition()
        settings.setdefault("default", Limits(nodes=50))
        self.engine = AnalysisEngine(games.load(game), self._hear, table_mb=1, **settings)

    def _hear(self, text):
        with self._condition:
            self.said.append(json.loads(text))
            self._condition.notify_all()

    def send(self, *asked):
        for each in asked:
            self.engine.answer(Line(each if isinstance(each, str) else json.dumps(each)))

    def wait_for(self, **fields):
        def is_there():
            return any(fields.items() <= each.items() for each in self.said)

        with self._condition:
            assert self._condition.wait_for(is_there, WATCHDOG_SECONDS)

    def finals(self):
        self.engine.finish()
        return [each for each in self.said if each.get("final")]


ENDLESS = {"id": "endless", "limits": {"seconds": 100_000}, "report_every": 0}


def test_an_answer_is_what_analyse_finds():
    talk = Talk()
    talk.send({"id": "a", "moves": "b2 a1", "limits": {"nodes": 300}, "lines": 2})
    (found,) = talk.finals()
    game = games.load("tic_tac_toe")
    expected = best_lines(game, game.at("b2 a1").state, 2, nodes=300, table_mb=1).as_dict()
    for each in (found, expected):
        del each["seconds"]
    assert found == {"id": "a", "final": True, "terminated": False, **json.loads(json.dumps(expected))}


def test_positions_moves_and_limits():
    talk = Talk()
    talk.send(
        {"id": 1, "position": "x.o/.../...", "moves": [], "limits": {"depth": 2}},
        {"id": 2, "moves": ["b2", "a1"], "only": ["c1", "c3"], "lines": 5},
        {"id": 3},
    )
    one, two, three = sorted(talk.finals(), key=lambda each: each["id"])
    assert (one["position"], one["depth"]) == ("x.o/.../...", 2)
    assert {each["action_name"] for each in two["lines"]} <= {"c1", "c3"}
    assert three["limits"]["nodes"] == 50


def test_the_same_query_has_the_same_answer_whatever_was_asked_before():
    talk = Talk()
    talk.send(*({"id": i, "moves": "b2", "limits": {"nodes": 100}} for i in range(3)))
    found = [(each["nodes"], each["line"], each["value"]) for each in talk.finals()]
    assert found[0] == found[1] == found[2]


def test_the_highest_priority_comes_first_and_reports_come_meanwhile():
    talk = Talk("connect_four")
    talk.send(ENDLESS)
    talk.wait_for(id="endless", final=False)
    talk.send({"id": "low"}, {"id": "high", "priority": 5}, {"id": "later"}, {"id": "lowest", "priority": -1})
    talk.send({"action": "terminate", "id": "endless"})
    assert [each["id"] for each in talk.finals()] == ["endless", "high", "low", "later", "lowest"]
    reports = [each for each in talk.said if each.get("final") is False]
    assert [each["depth"] for each in reports] == list(range(1, len(reports) + 1))


def test_several_at_once():
    """The second is answered while the first goes on."""
    talk = Talk("connect_four", workers=2)
    talk.send(ENDLESS, {"id": "short"})
    talk.wait_for(id="short", final=True)
    talk.send({"action": "terminate_all"})
    assert [each["id"] for each in talk.finals()] == ["short", "endless"]


def test_all_can_be_terminated_those_that_wait_too():
    talk = Talk("connect_four")
    talk.send(ENDLESS)
    talk.wait_for(id="endless", final=False)
    talk.send({"id": "waits"}, {"action": "terminate_all"})
    finals = talk.finals()
    assert {"action": "terminate_all", "ids": ["endless", "waits"]} in talk.said
    assert {"id": "waits", "final": True, "terminated": True} in finals
    ended = next(each for each in finals if each["id"] == "endless")
    assert ended["terminated"]
    assert ended["action_name"]  # what was known by then


BAD = [
    "x",
    "[]",
    "3",
    "{",
    "[" * 100_000,
    '{"id": NaN}',
    '{"id": null}',
    '{"id": true}',
    '{"id": [1]}',
    '{"moves": "b2"}',
    '{"id": 1, "moves": 5}',
    '{"id": 1, "moves": [5]}',
    '{"id": 1, "moves": "zz"}',
    '{"id": 1, "position": 7}',
    '{"id": 1, "position": "x"}',
    '{"id": 1, "limits": 5}',
    '{"id": 1, "limits": {"depth": 0}}',
    '{"id": 1, "limits": {"depth": 1.5}}',
    '{"id": 1, "limits": {"nodes": true}}',
    '{"id": 1, "limits": {"seconds": -1}}',
    '{"id": 1, "limits": {"minutes": 1}}',
    '{"id": 1, "lines": 0}',
    '{"id": 1, "only": "b2"}',
    '{"id": 1, "only": ["z9"]}',
    '{"id": 1, "priority": "high"}',
    '{"id": 1, "report_every": "often"}',
    '{"id": 1, "colour": "red"}',
    '{"action": "dance"}',
    '{"action": "terminate"}',
    '{"action": "version", "id": 1}',
    '{"action": ["version"]}',
]


@pytest.mark.parametrize("line", BAD, ids=lambda line: line[:40])
def test_a_bad_line_gets_one_error(line):
    talk = Talk()
    talk.send(line)
    assert [list(each)[-1] for each in talk.said] == ["error"]
    assert talk.finals() == []


def test_what_else_is_refused():
    talk = Talk("connect_four")
    talk.send("", "   ", ENDLESS)
    talk.wait_for(id="endless", final=False)
    talk.send({"id": "endless"}, {"action": "terminate", "id": "nobody"}, {"action": "version"})
    talk.engine.answer(Line("", False))
    talk.send({"action": "terminate_all"})
    talk.engine.finish()
    told = [each for each in talk.said if "final" not in each]
    assert "not answered yet" in told[0]["error"]
    assert told[1] == {"action": "terminate", "ids": []}
    assert told[2]["game"] == "connect_four"
    assert "bytes" in told[3]["error"]
    with pytest.raises(UserError, match="workers"):
        Talk(workers=0)


def test_a_rule_that_fails_is_an_error_and_the_others_go_on(monkeypatch):
    talk = Talk()
    plain = type(talk.engine.game).evaluate

    def fails(self, s, p):
        if threading.current_thread() is not threading.main_thread() and not talk.said:
            raise ZeroDivisionError("a rule of theirs")
        return plain(self, s, p)

    monkeypatch.setattr(type(talk.engine.game), "evaluate", fails)
    talk.send({"id": 1})
    talk.wait_for(id=1)
    talk.send({"id": 2})
    first, second = talk.finals()
    assert first == {"id": 1, "final": True, "error": "ZeroDivisionError: a rule of theirs"}
    assert second["action_name"]


def test_any_bytes():
    talk, rng = Talk(), random.Random(0)
    lines = [json.dumps({"id": 1, "moves": "b2", "limits": {"nodes": 5}, "lines": 1}).encode()] * 2_000
    for line in lines:
        at = rng.randrange(len(line))
        mutilated = line[:at] + rng.randbytes(rng.randrange(3)) + line[at + rng.randrange(3) :]
        talk.engine.answer(Line(mutilated.decode("utf-8", "replace")))
    finals = talk.finals()
    assert len(talk.said) >= 1_900  # but for lines that are blank, each has its answer
    assert all("error" in each or each in finals for each in talk.said)


def test_the_command(counterplay):
    status, _, err = counterplay("analyse", "nim", "--stdin", "--moves", "a1")
    assert status == 2
    assert "--stdin wants a GAME" in err
