"""Whatever a protocol is sent: no line ends it, none is answered by a traceback, and memory stays as it was.

`python -m tests.test_protocol_fuzz 1000000` sends so many lines to each protocol.
"""

import gc
import random
import sys

import pytest

from counterplay import native
from counterplay.apps.protocols.lines import Line
from counterplay.search import Limits
from tests.talk import new_dispatcher, run_engine

pytestmark = pytest.mark.slow

GAMES = {"uci": "tic_tac_toe", "ugi": "nim", "gtp": "go:size=3", "nboard": "othello:size=4"}
NUMBERS = ["0", "1", "2", "3", "7", "-1", "99999999999999999999", "1e9", "nan", "x", "", "0x10", "٣", "1.5"]
TTT = ["a1", "b2", "c3", "a2", "b1", "c1", "d4", "0000", "A1", "a1b2"]
UNIVERSAL = [
    ["isready"],
    ["stop"],
    ["ponderhit"],
    ["debug", ["on", "off", "maybe"]],
    [
        "setoption",
        ["name", ""],
        ["Hash", "Threads", "MultiPV", "Move Overhead", "UCI_Elo", "Ponder", "x"],
        "value",
        NUMBERS,
    ],
    ["setoption", "name", ["Ponder", "Clear Hash", "ponder"], "value", ["true", "false", "x"]],
    ["setoption", "name", "Skill Level", "value", ["20", "x"]],  # lower ones search as long as they like
    ["position", ["startpos", "fen", "x"], ["moves", "", "x.o/.../...", "x.o/.../... moves"], TTT, TTT, TTT],
    ["position", "startpos", "moves", TTT, TTT],
    ["go", ["depth", "nodes", "movetime", "mate", "searchmoves", "x"], ["x", "-1", "0", "1.5", ""]],
    ["position"],
    ["go", "depth"],
]
GRAMMAR = {
    "uci": [["uci"], ["ucinewgame"], *UNIVERSAL],
    "ugi": [["ugi"], ["uginewgame"], ["query", ["gameover", "p1turn", "result", "x", ""]], *UNIVERSAL],
    "gtp": [
        [["", "1", "99"], ["name", "version", "protocol_version", "list_commands", "showboard", "final_score", "undo"]],
        [["", "1"], ["boardsize"], NUMBERS],
        [["", "1"], "clear_board"],
        [["", "1"], "komi", NUMBERS],
        [
            ["", "1"],
            "play",
            ["b", "w", "black", "green", ""],
            ["A1", "B2", "C3", "pass", "resign", "Z9", "a2", "c1", "i1"],
        ],
        ["known_command", ["genmove", "x", ""]],
        ["set_free_handicap", ["A1", "B2"], ["A1", "C3", "pass", ""]],
        [
            ["time_settings", "kgs-time_settings", "time_left"],
            ["b", "byoyomi", "canadian", "none", "1"],
            NUMBERS,
            NUMBERS,
        ],
        [["genmove", "reg_genmove"], ["green", ""]],
    ],
    "nboard": [
        ["nboard", NUMBERS],
        ["set", ["depth", "contempt", "x", "game"], NUMBERS],
        [
            "set",
            "game",
            ["(;GM[Othello]B[D3]W[D4];)", "(;BO[4 -----O*--*O----- *];)", "(;B[", "(;BO[];)", "(;GM[Go];)", ""],
        ],
        ["move", ["D3", "d2/1/2", "PA", "A1", "C4", "", "x/y/z"]],
        ["hint", ["x", "0", "-1"]],
        ["ping", NUMBERS],
        [["learn", "x"]],
    ],
}
SEARCHES = {
    "uci": ["go nodes 1", "go depth 1", "go nodes 1 searchmoves a1", "go infinite\nstop"],
    "ugi": ["go nodes 1", "go depth 1", "go ponder nodes 1\nponderhit"],
    "gtp": ["genmove b", "genmove w", "reg_genmove b"],
    "nboard": ["go", "hint 2", "analyze", "hint 1\nping 5"],
}


def made_lines(protocol, rng):
    """Lines without end: most by the grammar, some of any bytes, some mutilated, and now and then one that searches."""
    while True:
        kind = rng.random()
        if kind < 0.0002:
            yield rng.choice(SEARCHES[protocol]).encode()
        elif kind < 0.3:
            yield rng.randbytes(rng.randrange(40))
        else:
            words = [rng.choice(each) if isinstance(each, list) else each for each in rng.choice(GRAMMAR[protocol])]
            line = " ".join(words).encode()
            if kind < 0.4 and line:
                at = rng.randrange(len(line))
                line = line[:at] + rng.randbytes(1) + line[at + 1 :]
            yield line


def fuzz(protocol, number, seed=0):
    """Send so many lines; how many answers there were, and how many objects more in the second half."""
    said = []
    dispatcher = new_dispatcher(GAMES[protocol], said, protocol)
    dispatcher.thinker.usual = Limits(nodes=1)
    lines, answers, objects = made_lines(protocol, random.Random(seed)), 0, []
    for i in range(number):
        if i in (number // 2, number - 1):
            gc.collect()
            objects.append(len(gc.get_objects()))
        for line in next(lines).split(b"\n"):
            dispatcher.hear(Line(line.decode("utf-8", "replace")))
            dispatcher.step()
        while dispatcher.thinker.is_thinking:
            dispatcher.step()
        assert not dispatcher.protocol.is_over
        assert not any("Traceback" in each or "Error:" in each for each in said), said
        answers += len(said)
        said.clear()
    assert dispatcher.thinker.position.game == dispatcher.thinker.game
    return answers, objects[1] - objects[0]


@pytest.mark.parametrize("lines", [20_000, pytest.param(100_000, marks=pytest.mark.rare)])
@pytest.mark.parametrize("protocol", GAMES)
def test_no_line_ends_an_engine(protocol, lines):
    with native.interpreted():
        answers, more = fuzz(protocol, lines)
    assert answers > 0.3 * lines
    assert more < 2_000


@pytest.mark.parametrize("protocol", GAMES)
def test_no_line_ends_a_process(protocol):
    lines, rng = made_lines(protocol, random.Random(1)), random.Random(2)
    sent = [next(lines) for _ in range(3_000)]
    text = b"\n".join(line for line in sent if b"quit" not in line and rng.random() < 0.99)
    last = {"gtp": b"\n77 name\n", "nboard": b"\nping 77\n"}.get(protocol, b"\nisready\n")
    status, out, err = run_engine(text + last, GAMES[protocol], "--protocol", protocol, "--nodes", "1", "--interpreted")
    assert (status, err) == (0, "")
    assert {"gtp": "=77 Counterplay", "nboard": "pong 77"}.get(protocol, "readyok") in out.splitlines()
    assert "Traceback" not in out


if __name__ == "__main__":
    import resource

    with native.interpreted():
        for name in GAMES:
            found = fuzz(name, int(sys.argv[1]), seed=7)
            print(name, *found, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, "MB", flush=True)
