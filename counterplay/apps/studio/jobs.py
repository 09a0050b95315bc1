"""What the workers do, by name: each takes a game, `tell`, and plain arguments, and returns plain values for JSON."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from counterplay import native
from counterplay.arena import SavedGame, Session, Standings, tournament
from counterplay.core.game import CHANCE, Game, UserError
from counterplay.core.words import line_text, value_text
from counterplay.games.tree import Tree, parse
from counterplay.search import Result
from counterplay.study import trees
from counterplay.study.analysis import BestLines, ReviewedMove, best_lines, explain, review
from counterplay.study.trees.draw import Drawn, arrange

__all__ = ["advise", "choose", "grown", "judge", "lines", "matched", "reasons", "reviewed", "traced", "trained"]

_MOST_NODES = 2_000_000_000
_JUDGE_NODES, _JUDGE_INTERPRETED = 60_000, 500
_VERDICTS = {"?!": "inaccuracy", "?": "mistake", "??": "blunder", "": ""}
_SHOWN_MOVES = 12
_MOST_DRAWN, _MOST_STEPS = 400, 6_000


def _session(game: Game, saved: dict[str, Any]) -> Session:
    return Session(_saved(saved), game)


def _saved(saved: dict[str, Any]) -> SavedGame:
    frozen: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in saved.items()}
    return SavedGame(**frozen)


def choose(game: Game, tell: Any, saved: dict[str, Any]) -> dict[str, Any]:
    """The move of the computer whose turn it is."""
    session = _session(game, saved)
    choice = session.choose(tell)
    return {"move": choice.name, "opinion": None if choice.result is None else _opinion(choice.result)}


def advise(game: Game, tell: Any, saved: dict[str, Any]) -> dict[str, Any]:
    """A hint: what a search at the highest level would play, and what it thinks of the position."""
    _must_be_open(game)
    result = _session(game, saved).advise(tell)
    if result.action is None:
        raise UserError("there was no time to find a move")
    return {"move": result.action_name, **_opinion(result)}


def lines(
    game: Game, tell: Any, saved: dict[str, Any], ply: int | None = None, multi: int = 3, nodes: int = _MOST_NODES
) -> dict[str, Any]:
    """The best moves at a ply of a game, told at every depth until it is stopped."""
    _must_be_open(game)
    states = _saved(saved).states(game)[: None if ply is None else ply + 1]
    *earlier, s = states
    tell.describe = lambda result: _told_lines(BestLines(result, multi), earlier)
    seconds = max(0.05, tell.left)
    return _told_lines(
        best_lines(game, s, multi, nodes=nodes, seconds=seconds, history=earlier, progress=tell), earlier
    )


def _told_lines(found: BestLines, earlier: list[Any]) -> dict[str, Any]:
    result = found.result
    told = []
    for each in found.lines:
        text, _ = result.worth_of(each)
        told.append(
            {
                "move": result.game.action_name(result.state, each.action),
                "worth": text,
                "line": line_text(result.game, result.state, each.line, earlier, _SHOWN_MOVES),
                "names": result.names_of(each.line),
            }
        )
    return {"lines": told, **_opinion(result)}


def _opinion(result: Result) -> dict[str, Any]:
    """What a search thinks of a position, for people."""
    game = result.game
    return {
        "worth": result.worth(),
        "chance": _chance(game, result.values),
        "proven": result.proven,
        "depth": result.depth,
        "nodes": result.nodes,
        "seconds": result.seconds,
        "algorithm": result.algorithm,
        "simulations": result.simulations,
        "told": result.told(),
    }


def _chance(game: Game, values: tuple[float, ...]) -> float:
    """What the first player can expect, 0 to 1: the height of the bar."""
    return float(min(max(game.chance_to_win(values[0]), 0.0), 1.0))


def judge(game: Game, tell: Any, saved: dict[str, Any], ply: int) -> dict[str, Any]:
    """What to think of one move of a game, the one at that ply."""
    states = _saved(saved).states(game)[ply : ply + 2]
    nodes = _JUDGE_INTERPRETED if native.is_interpreted(game) else _JUDGE_NODES  # somebody is waiting for the next move
    found = review(game, states, nodes=nodes, table_mb=16, watching=tell)
    return _verdict(game, found.moves[0], ply)


def reviewed(game: Game, tell: Any, saved: dict[str, Any], nodes: int = _JUDGE_NODES) -> dict[str, Any]:
    """What to think of every move of a game."""
    _must_be_open(game)
    states = _saved(saved).states(game)

    def progress(done: int, of: int) -> None:
        tell.say({"done": done, "of": of})
        if tell.is_over:
            raise KeyboardInterrupt

    found = review(game, states, nodes=nodes, table_mb=32, progress=progress, watching=tell)
    return {
        "moves": [_verdict(game, move, move.number - 1) for move in found.moves],
        "summary": str(found),
        "complete": found.is_complete,
    }


def _verdict(game: Game, move: ReviewedMove, ply: int) -> dict[str, Any]:
    """A move as the page shows it: the same words as `analyse` has."""
    better = ""
    if move.mark and move.line:
        shown = value_text(game, move.before[move.player], proven=move.proven)
        better = f"better {' '.join(move.line[:6])}: {shown}"
    who = 0 if move.player == CHANCE else move.player
    return {
        "ply": ply,
        "mark": move.mark,
        "verdict": _VERDICTS[move.mark],
        "better": better,
        "best": move.line[0] if move.line and move.mark else "",
        "worth": value_text(game, move.after[who], proven=move.settled),
        "chance": _chance(game, move.after),
        "before": _chance(game, move.before),
    }


def reasons(game: Game, tell: Any, saved: dict[str, Any], ply: int, move: str | None = None) -> dict[str, Any]:
    """Why the best move at a ply is better than the one that was played there, or than `move`, or the second best."""
    _must_be_open(game)
    known = _saved(saved)
    *earlier, s = known.states(game)[: ply + 1]
    move = move or (known.moves[ply] if ply < len(known.moves) else None)
    found = explain(game, s, move, seconds=min(5.0, max(0.1, tell.left)), history=earlier, progress=tell)
    return {"paragraphs": found.paragraphs(), "best": found.chosen.name}


# ---- watching


def traced(
    game: Game | None, tell: Any, tree: str, algorithm: str, depth: int | None, begins: str, moves: list[str]
) -> dict[str, Any]:
    """A search step by step, with every node and its place in the picture; of a written tree, or of a game."""
    here = _tree(tree) if game is None else game
    s = _at(here, begins, moves)
    with native.interpreted():
        found = trees.trace(here, s, algorithm, depth)
    drawn = arrange(found, _MOST_DRAWN, whole=game is None)
    nodes: list[dict[str, Any]] = []

    def put(node: Drawn, parent: int | None) -> None:
        number, visit = len(nodes), node.visit
        nodes.append(
            {
                "parent": parent,
                "x": node.x,
                "depth": node.depth,
                "name": node.label,
                "kind": "unseen" if visit is None else visit.kind,
                "value": node.shown,
                "visit": None if visit is None else visit.number,
                "cut_at": node.cut_at,
                "folded": node.folded,
            }
        )
        for child in node.children:
            put(child, number)

    put(drawn, None)
    seen = {node["visit"] for node in nodes}
    told = found.as_dict()
    shown = [step for step in told["steps"] if step["visit"] in seen]
    return {
        "algorithm": algorithm,
        "nodes": nodes,
        "steps": shown[:_MOST_STEPS],
        "complete": len(shown) == len(found.steps) <= _MOST_STEPS,
        "value": found.value,
        "line": told["line"],
        "visits": len(found.visits),
        "skipped": len(found.skipped),
        "svg": trees.svg(found),
        "tree": None if game is not None else _written(here),
    }


def grown(
    game: Game | None,
    tell: Any,
    tree: str,
    simulations: int,
    exploration: float,
    seed: int,
    begins: str,
    moves: list[str],
) -> dict[str, Any]:
    """Monte Carlo tree search simulation by simulation, and what the tree is worth, to see where it leads."""
    here = _tree(tree) if game is None else game
    found = trees.grow(here, _at(here, begins, moves), simulations, exploration, seed)
    value = None
    if game is None and here.players == 2:
        with native.interpreted():
            value = trees.trace(here, None, "minimax").value
    return {**found.as_dict(), "value": value, "tree": None if game is not None else _written(here)}


def _tree(text: str) -> Any:
    return Tree(text)  # type: ignore[no-untyped-call]


def _at(game: Game, begins: str, moves: list[str]) -> Any:
    return game.at(moves, begins or None).state


def _written(game: Any) -> dict[str, Any]:
    """A written tree for the page's editor: its text, and the same as nested nodes."""

    def node(each: Any, player: int) -> dict[str, Any]:
        mover = player if each.player is None else each.player
        following = 0 if mover + 1 >= max(2, game.players) else mover + 1
        return {
            "label": each.label,
            "player": mover,
            "utilities": list(each.utilities),
            "probabilities": list(each.probabilities),
            "children": [node(child, following if mover != CHANCE else player) for child in each.children],
        }

    root = parse(game.tree)  # type: ignore[no-untyped-call]
    return {"text": game.tree, "root": node(root, 0), "players": game.players}


# ---- learning and comparing


def trained(game: Game, tell: Any, recipe: str | None, games: int | None, seconds: float, out: str) -> dict[str, Any]:
    """Let a game teach itself; the model is written whenever its strength was measured, and at the end."""
    from counterplay.learn.course import Course, games_within
    from counterplay.learn.files import save
    from counterplay.learn.recipes import recipe_for

    chosen = recipe_for(game, recipe)
    tell.say({"compiling": True})
    number = games or games_within(game, chosen, seconds)
    course = Course(game, chosen, Path(out), number)
    measured = 0

    def told(progress: Any, curve: list[Any]) -> None:
        nonlocal measured
        if len(curve) > measured:
            measured = len(curve)
            save(course.model, out)  # so that it can be played against as it grows
        tell.say(_training(course))
        if tell.is_over:
            raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        course.run(told)
    return _training(course)


def _training(course: Any) -> dict[str, Any]:
    progress = course.training.progress
    return {
        "recipe": str(course.recipe),
        "about": course.recipe.about,
        "games": progress.games,
        "of": progress.of,
        "seconds": progress.seconds,
        "done": progress.is_done,
        "curve": [point.as_dict() for point in course.curve],
    }


def matched(game: Game, tell: Any, players: list[str], games: int, seconds: float) -> dict[str, Any]:
    """A tournament in which everybody meets everybody, told after every game."""

    def told(standings: Standings) -> None:
        tell.say(_standings(standings))
        if tell.is_over:
            raise KeyboardInterrupt

    return _standings(tournament(game, players, "round-robin", games, seconds=seconds, progress=told))


def _standings(standings: Standings) -> dict[str, Any]:
    found = standings.as_dict()
    return {name: found[name] for name in ("games", "wanted", "no_elo", "standings")}


def _must_be_open(game: Game) -> None:
    if not game.perfect_information:
        raise UserError("something is hidden here: nobody may look into the other's hand")
