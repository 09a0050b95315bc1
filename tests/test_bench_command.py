"""What `counterplay bench` measures in nodes: ordering and knowledge. Interpreted, on small trees; no times."""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from math import log

import pytest

from counterplay import UserError, experiments, games, native, search
from counterplay.apps.cli import output
from counterplay.apps.cli.show_experiments import knowledge_table, ordering_chart, ordering_table, speed_table
from counterplay.search.alphabeta.workspace import useful_refinements
from tests.test_uniform_tree import least

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def _interpreted():
    with native.interpreted():
        yield


def measured():
    return experiments.ordering(width=3, heights=range(2, 7), seeds=3)


@pytest.fixture(scope="module")
def found():
    with native.interpreted():
        return measured()


def nodes(found):
    return {each["name"]: each["nodes"] for each in found["series"]}


# ---- speed


def test_speed_in_both_modes(capsys):
    rows = experiments.measure(games.load("nim:heaps=[1,2]").at(), 0.01)
    assert [row["what"] for row in rows] == ["minimax nodes", "perft nodes", "playouts"]
    assert all(row["compiled"] > 0 and row["interpreted"] > 0 for row in rows)
    rows[0]["compiled"] = None  # a game that cannot be compiled
    output.say(speed_table(rows))
    first, *lines = capsys.readouterr().out.splitlines()
    assert first.split() == ["what", "compiled", "interpreted", "ratio"]
    assert [line.endswith("x") for line in lines] == [False, True, True]


# ---- ordering


def test_best_and_worst_order_are_as_theory_says(found):
    assert found["heights"] == [2, 3, 4, 5, 6]
    everything = [(3 ** (m + 1) - 1) // 2 for m in range(2, 7)]
    assert nodes(found)["minimax"] == nodes(found)["worst order"] == everything
    assert nodes(found)["best order"] == [sum(least(3, k) for k in range(m + 1)) for m in range(2, 7)]


def test_random_order_is_in_between(found):
    of = nodes(found)
    for worst, some, best in zip(of["worst order"], of["random order"], of["best order"], strict=True):
        assert best < some < worst


def test_exponents_tell_the_growth(found):
    exponents = {each["name"]: each["exponent"] for each in found["series"]}
    assert exponents["minimax"] == exponents["worst order"] == pytest.approx(1.0, abs=0.02)
    assert exponents["best order"] == pytest.approx(0.5, abs=0.1)
    assert exponents["best order"] < exponents["random order"] < exponents["worst order"]
    two = experiments.ordering(width=2, heights=(6, 3), seeds=2)
    for each in two["series"]:
        few, many = each["nodes"]
        assert each["exponent"] == pytest.approx(log(many / few) / (3 * log(2)), abs=1e-4)


def test_the_same_numbers_every_time_and_plain_for_json(found, capsys):
    assert measured() == found
    output.print_json(found)
    assert json.loads(capsys.readouterr().out) == found


def test_ordering_prints_a_table_and_draws_a_chart(found, capsys):
    output.say(ordering_table(found))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split("  ")[0] == "height"
    assert lines[5].split()[:3] == ["6", "1,093", "1,093"]
    assert lines[-2].startswith("exponent")
    assert lines[-1].split() == ["theory", "1", "1", "0.75", "0.5"]
    shown = [each.text for each in ET.fromstring(ordering_chart(found)).iter() if each.text]
    assert [name for name in shown if ", x = " in name] == [
        f"{each['name']}, x = {each['exponent']:.2f}" for each in found["series"]
    ]


@pytest.mark.parametrize(
    "wrong",
    [{"heights": [3]}, {"heights": [0, 3]}, {"seeds": 0}, {"width": 1}, {"width": 10, "heights": [2, 10]}],
)
def test_what_cannot_be_measured_is_refused(wrong):
    with pytest.raises(UserError):
        experiments.ordering(**wrong)


# ---- knowledge


POSITION = "xox/.o./.x."


def knowledge(name, position=None, depth=4):
    here = games.load(name).at(position=position)
    return {row["search"]: row for row in experiments.knowledge(here.game, here.state, depth)}


def test_knowledge_leaves_out_each_refinement_that_is_of_use():
    common = ["killers", "history", "scout", "bounds", "deepening", "aspiration"]
    rows = knowledge("tic_tac_toe", POSITION)
    left_out = {name.removeprefix("without ") for name in rows if name.startswith("without ")}
    assert left_out == {"table", "successors", *common}
    first, *_, textbook, last = rows
    assert (first, textbook, last) == ("all refinements", "textbook", "minimax")
    rows = knowledge("connect_four:rows=2,columns=3,connect=2", depth=3)
    left_out = {name.removeprefix("without ") for name in rows if name.startswith("without ")}
    assert left_out == {"table", "priority", "exact", *common}


def test_refinements_are_of_use_by_what_a_game_knows():
    of = {name: set(useful_refinements(games.load(name))) for name in ("nim", "tic_tac_toe", "connect_four", "chess")}
    assert of["tic_tac_toe"] - of["nim"] == {"successors"}
    assert of["connect_four"] - of["nim"] == {"priority", "exact"}
    assert of["chess"] - of["nim"] >= {"priority", "quiescence", "repetition"}
    assert useful_refinements(games.load("nim")) == tuple(name for name in search.REFINEMENTS if name in of["nim"])


def test_knowledge_counts_what_the_searches_count_and_all_agree():
    game, s = games.load("tic_tac_toe").at(position=POSITION)
    rows = knowledge("tic_tac_toe", POSITION)
    assert len({row["value"] for row in rows.values()}) == 1
    for name, without in (("all refinements", []), ("without table", ["table"]), ("textbook", ["all"])):
        assert rows[name]["nodes"] == search.alphabeta(game, s, 4, without=without).nodes
    assert rows["minimax"]["nodes"] == search.minimax(game, s, 4).nodes > rows["textbook"]["nodes"]
    assert rows["all refinements"]["ratio"] == 1.0
    assert rows["minimax"]["ratio"] == round(rows["minimax"]["nodes"] / rows["all refinements"]["nodes"], 3)
    assert knowledge("tic_tac_toe", POSITION) == rows


def test_minimax_is_left_out_where_it_is_dear(monkeypatch):
    monkeypatch.setattr(experiments, "_CHEAP", 10)
    assert list(knowledge("tic_tac_toe", POSITION))[-1] == "textbook"


def test_knowledge_prints_a_table(capsys):
    here = games.load("tic_tac_toe").at(position="xxo/oox/x..")
    rows = experiments.knowledge(*here, 2)
    output.say(knowledge_table(rows))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["search", "nodes", "ratio", "value"]
    assert lines[1].split() == ["all", "refinements", str(rows[0]["nodes"]), "1.00", "0"]
    assert len(lines) == 1 + len(rows)


def test_ctrl_c_ends_the_whole_measurement(monkeypatch):
    search_well = search.alphabeta

    def interrupted(*args, **kwargs):
        return replace(search_well(*args, **kwargs), stopped="interrupted")

    monkeypatch.setattr(search, "alphabeta", interrupted)
    with pytest.raises(KeyboardInterrupt):
        experiments.ordering(width=2, heights=(1, 2), seeds=1)
    with pytest.raises(KeyboardInterrupt):
        knowledge("tic_tac_toe", POSITION)
