"""A tiny engine for the tests of players that are programs: plays the first move that it is taught, and misbehaves.

    python fake_engine.py PROTOCOL MOVES [HABIT] [FILE]

MOVES are joined by `+`: it plays the one whose number is that of the moves so far. HABIT is what it does instead of
its second move: `crash`, `hang`, `illegal`, `resign`; or `crash-once`, which leaves FILE behind and behaves after that;
`stillborn` is never ready; `refuse` takes no size of the board. `orphan` starts a child that would outlive it, and
writes its number to FILE.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

protocol, moves = sys.argv[1], sys.argv[2].split("+")
habit = sys.argv[3] if len(sys.argv) > 3 else ""
file = Path(sys.argv[4]) if len(sys.argv) > 4 else None


def say(text):
    print(text, flush=True)


def move(ply):
    """What it plays after so many moves; in GTP, NBoard, UCI and UGI alike."""
    if ply >= 2 and habit:
        if habit == "crash-once" and not file.exists():
            file.touch()
            misbehave("crash")
        elif habit != "crash-once":
            return misbehave(habit)
    return moves[ply]


def misbehave(how):
    if how == "crash":
        print("out of memory", file=sys.stderr, flush=True)
        os._exit(3)
    if how == "hang":
        time.sleep(1e6)
    return {"illegal": "z9", "resign": "resign"}[how]


if habit == "stillborn":
    sys.exit("no such network file")
if habit == "orphan":
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1e6)"], stdout=subprocess.DEVNULL)
    file.write_text(str(child.pid))
    habit = "hang"

played = 0
for line in sys.stdin:
    words = line.split() or [""]
    if words[0] == "quit" and habit != "hang":
        break
    if protocol in ("uci", "ugi"):
        if words[0] == protocol:
            say("id name fake\noption name Skill Level type spin default 20 min 0 max 20\nnoise")
            say("option name UCI_LimitStrength type check default false\noption name UCI_Elo type spin min 1 max 3000")
            say(f"{protocol}ok")
        elif words[0] == "isready":
            say("readyok")
        elif words[0] == "position":
            played = len(words[words.index("moves") + 1 :]) if "moves" in words else 0
        elif words[0] == "go":
            say(f"info string asked: {' '.join(words[1:])}\nbestmove {move(played)} ponder e7e5")
    elif protocol == "gtp":
        if words[0] == "genmove":
            say(f"= {move(played)}\n")
            played += 1
        elif words[0] == "known_command":
            say("= true\n")
        elif words[0] == "boardsize" and habit == "refuse":
            say("? unacceptable size\n")
        else:
            played = 0 if words[0] == "clear_board" else played + (words[0] == "play")
            say("= \n")
    elif protocol == "nboard":
        if words[0] == "ping":
            say(f"pong {words[1]}")
        elif words[:2] == ["set", "game"]:
            played = line.count("]B[") + line.count("]W[")
        elif words[0] == "go":
            say(f"status thinking\n=== {move(played)} 0.10 0.5")
