"""The root of alpha-beta: plain Python at first, compiled after many small searches, the same in both."""

from queue import SimpleQueue

import pytest

from counterplay import games, native
from counterplay.apps.protocols.thinker import Ask, Thinker
from counterplay.arena import new_player
from counterplay.search import AlphaBeta, Limits
from counterplay.search.alphabeta import root
from counterplay.search.alphabeta.kernel import value
from counterplay.search.alphabeta.root import ask, kernel_of, note_search, root_is_compiled
from tests.small_games import Nim

pytestmark = pytest.mark.long

LIMITS = [Limits(depth=3), Limits(), *(Limits(nodes=n) for n in (1, 2, 5, 9, 20, 50, 120))]


def told(result):
    """All of a result but the time it took."""
    return {name: each for name, each in vars(result).items() if name not in ("seconds", "game")}


def answers(game):
    """What a kept engine finds in a game from the beginning to the end, asked in every way that there is."""
    engine, s, found = AlphaBeta(game, table_mb=1), game.initial(), []
    while not game.is_terminal(s):
        actions = list(map(int, game.actions(s)))
        for limits in LIMITS:
            engine.new_game()
            found.append(told(engine.search(s, limits)))
        found.append(told(engine.search(s, Limits(depth=4), multi=2)))
        found.append(told(engine.search(s, Limits(depth=4), also=actions[-1:])))
        found.append(told(engine.search(s, Limits(depth=4), only=actions[:2])))
        s = game.result(s, engine.search(s, Limits(depth=2)).action)
    found.append(told(engine.search(s, Limits(depth=2))))
    return found


@pytest.mark.parametrize(
    "name", ["nim:heaps=[1,3,4]", pytest.param("connect_four:rows=4,columns=4", marks=pytest.mark.rare)]
)
def test_the_compiled_root_finds_what_the_plain_one_does(name, monkeypatch):
    with native.interpreted():
        interpreted = answers(games.load(name))
    monkeypatch.setattr(root, "_MANY", 10**9)
    plain = games.load(name)
    plain.__dict__["_native_root"] = use = root._Use(plain, plain.initial(), AlphaBeta(plain).memory)
    use.is_compiled = False  # even if it is on disk
    assert answers(plain) == interpreted
    assert kernel_of(plain) is value
    monkeypatch.setattr(root, "_MANY", 1)
    compiled = games.load(name)
    assert answers(compiled) == interpreted
    assert kernel_of(compiled) is ask


def test_the_root_is_compiled_after_many_small_searches_without_a_clock(monkeypatch):
    monkeypatch.setattr(root, "_MANY", 3)
    monkeypatch.setattr(root.ask, "is_ready", lambda game, *args: False)
    game = Nim()
    s, w = game.initial(), AlphaBeta(game, table_mb=1).memory
    for nodes, is_timed in ((50, False), (50, True), (10**6, False), (50, False)):
        assert not root_is_compiled(game, s, w)
        note_search(game, nodes, is_timed)
    assert not root_is_compiled(game, s, w)
    note_search(game, 50, is_timed=False)
    assert root_is_compiled(game, s, w)
    with native.interpreted():
        assert not root_is_compiled(game, s, w)


@pytest.mark.parametrize(("limits", "is_compiled"), [("seconds=0.1", True), ("depth=2", False), ("nodes=90", False)])
def test_players_by_seconds_have_the_root_compiled_before_a_game(monkeypatch, limits, is_compiled):
    monkeypatch.setattr(root.ask, "is_ready", lambda game, *args: False)
    game = Nim()
    player = new_player(game, f"alphabeta:{limits},table_mb=1")
    player.prepare()
    assert (kernel_of(game) is ask) == is_compiled
    with native.interpreted():
        AlphaBeta(Nim()).hasten()  # nothing to do


def test_engines_for_other_programs_have_the_root_compiled(monkeypatch):
    monkeypatch.setattr(root.ask, "is_ready", lambda game, *args: False)
    events: SimpleQueue = SimpleQueue()
    thinker = Thinker(Nim(), events.put)
    thinker.begin(Ask(Limits(depth=2)), lambda found: None, lambda found: None)
    while thinker.is_thinking:
        events.get()()
    assert kernel_of(thinker.game) is ask


@native.native
def doubled(game, x):
    return 2 * x


def test_a_function_is_ready_once_it_was_compiled(monkeypatch, tmp_path):
    monkeypatch.setenv("COUNTERPLAY_CACHE_DIR", str(tmp_path))
    game = Nim()
    assert not doubled.is_ready(game, 3)
    assert doubled.compiled(game, 3) == 6
    assert doubled.is_ready(game, 4)
    assert not doubled.is_ready(game, 0.5)
