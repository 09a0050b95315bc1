"""UCI with compiled chess: the same nodes as the command line, and python-chess as the GUI."""

import asyncio

import chess
import chess.engine
import pytest

from tests.processes import WATCHDOG_SECONDS
from tests.talk import COMMAND, talk

pytestmark = pytest.mark.long

LIMITS = [1, 2, 5, 10, 30, 60, 100, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 4000, 5000, 6000, 8000, 10_000]


def test_the_same_nodes_as_the_command_line_and_again_after_ucinewgame(answer):
    moves = "e2e4 c7c5 g1f3 d7d6"
    lines = [f"position startpos moves {moves}"]
    for nodes in LIMITS:
        lines += ["ucinewgame", f"go nodes {nodes}"] * 2
    answers = talk("chess", *lines)
    found = []
    for i, line in enumerate(answers):
        if line.startswith("bestmove"):
            words = answers[i - 1].split()
            found.append((int(words[words.index("nodes") + 1]), line.split()[1]))
    expected = []
    for nodes in LIMITS:
        result = answer("search", "chess", "--moves", moves, "--nodes", nodes)
        move = chess.Board(result["position"]).parse_san(result["action_name"]).uci()
        expected += [(result["nodes"], move)] * 2
    assert found == expected


def test_python_chess_drives_us_through_a_game_analysis_ponder_and_options():
    asyncio.run(asyncio.wait_for(as_a_gui_does(), WATCHDOG_SECONDS))


async def as_a_gui_does():
    transport, engine = await chess.engine.popen_uci([*COMMAND, "chess"])
    assert engine.id["name"].startswith("Counterplay")
    options = {"Hash", "Threads", "MultiPV", "Move Overhead", "Skill Level", "UCI_LimitStrength", "UCI_Elo", "Ponder"}
    assert options <= set(engine.options)
    await engine.ping()
    await engine.configure({"Hash": 8, "Threads": 1, "Move Overhead": 20})
    with pytest.raises(chess.engine.EngineError):
        await engine.configure({"Hash": 0})

    board = chess.Board()  # a whole game: every move is legal, and it ends
    while not board.is_game_over(claim_draw=True):
        played = await engine.play(board, chess.engine.Limit(nodes=300), info=chess.engine.INFO_ALL, game="first")
        assert played.info["nodes"] >= 1
        board.push(played.move)

    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")  # analysis
    info = await engine.analyse(board, chess.engine.Limit(depth=4), multipv=2)
    assert info[0]["score"].relative == chess.engine.Mate(1)
    assert [each["multipv"] for each in info] == [1, *([2] if len(info) > 1 else [])]
    only = await engine.play(board, chess.engine.Limit(nodes=200), root_moves=[chess.Move.from_uci("h2h3")])
    assert only.move.uci() == "h2h3"
    with await engine.analysis(chess.Board()) as analysis:  # without an end, stopped by us
        async for each in analysis:
            if each.get("depth", 0) >= 3:
                break
        analysis.stop()
        best = await analysis.wait()
    assert best.move in chess.Board().legal_moves

    board = chess.Board()  # pondering, with a hit and with a miss
    for is_hit in (True, False, True):
        played = await engine.play(board, chess.engine.Limit(white_clock=2, black_clock=2), ponder=True, game="second")
        board.push(played.move)
        missed = next(move for move in board.legal_moves if move != played.ponder)
        board.push(played.ponder if is_hit and played.ponder is not None else missed)
    await engine.play(board, chess.engine.Limit(white_clock=0.5, black_clock=0.5, white_inc=0.01), game="second")

    await engine.configure({"UCI_LimitStrength": True, "UCI_Elo": 1000})
    played = await engine.play(board, chess.engine.Limit(time=0.05))
    assert played.move in board.legal_moves
    await engine.quit()
    assert transport.get_returncode() in (0, None)
