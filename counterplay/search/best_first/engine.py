"""Best-first minimax as a player uses it: settings, limits, the result. The algorithm is in `kernel.py`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from counterplay.core.game import Game, UserError
from counterplay.search.best_first.kernel import KEPT, begin_tree, grow, new_growth
from counterplay.search.engine import Abilities, Engine, Request, of_position, why_stopped, with_line
from counterplay.search.limits import Limits
from counterplay.search.mcts.nodes import MOST_CHILDREN, NodeStore, new_workspace, unpack
from counterplay.search.repetition import set_past
from counterplay.search.result import ActionValue, Result
from counterplay.search.run import NO_LIMIT, Progress, run
from counterplay.search.suited import for_each_player, some_actions

__all__ = ["BestFirst", "best_first"]


class BestFirst(Engine):
    """Unbounded best-first minimax as an engine.

    `descent`: each iteration goes on to the end of the game; `memory_mb`: how large the tree may become. When it is
    full, the search ends.
    """

    name = "best_first"
    abilities = Abilities(limits=("simulations", "nodes", "seconds"), every_value=True, history=True, chance=False)

    def __init__(self, game: Game, *, descent: bool = False, memory_mb: float = 256.0) -> None:
        super().__init__(game)
        self.descent, self.memory_mb = descent, memory_mb
        self.memory = NodeStore(game, memory_mb, KEPT)
        self._w = new_workspace(game, self.memory, 0)
        self._x = new_growth(self.memory, descent)
        self._tallies = [self._w]

    def _answer(self, request: Request, progress: Progress | None) -> Result:
        game, s, w, limits = self.game, request.state, self._w, request.limits
        if game.is_terminal(s):
            values = tuple(float(game.utility(s, p)) for p in range(game.players))
            return Result(game, s, self.name, None, values[0], values, (), (), 1, 0, 0.0, True, "solved", {}, 0)
        some_actions(game, s)
        w.most_simulations = w.simulations
        grow(game, s, w, self._x)  # which compiles, outside the clock
        began = time.perf_counter()
        self.memory.clear()
        begin_tree(game, self._x)
        w.simulations = w.deepest = w.full = w.solved = w.too_wide = 0
        w.nodes = 1
        w.most_simulations, w.most_nodes = limits.simulations or NO_LIMIT, limits.nodes or NO_LIMIT
        self._x.every = request.wants_several or bool(request.only)
        if game.knows.reversible:
            set_past(game, s, request.history, w)
        run(lambda: self._work(s), w, progress, limits.seconds)
        if w.too_wide:
            raise UserError(f"{game} has more than {MOST_CHILDREN:,} moves in a position, which is more than we take")
        return self._result(request, time.perf_counter() - began)

    def _work(self, s: Any) -> None:
        """Grow; the root gets its children even if there is time for nothing more."""
        w, stop, nodes = self._w, int(self._w.stop), int(self._w.most_nodes)
        w.stop, w.most_nodes, most, w.most_simulations = 0, NO_LIMIT, int(w.most_simulations), 1
        grow(self.game, s, w, self._x)
        w.most_nodes, w.most_simulations = nodes, most
        w.stop = w.stop or stop
        if not w.solved:
            grow(self.game, s, w, self._x)

    # ---- what was found

    def _result(self, request: Request, seconds: float) -> Result:
        game, s, w, limits = self.game, request.state, self._w, request.limits
        actions = [each for each in self._actions(s, 0) if not request.only or each.action in request.only]
        best = self._best(s, 0, actions)
        line = self._line(s, best.action)
        solved = bool(w.solved) or (best.proven and self._is_enough(0))
        if solved:
            stopped = "solved"
        elif w.full:
            stopped = "memory"
        elif limits.simulations is not None and w.simulations >= limits.simulations:
            stopped = "simulations"
        else:
            stopped = why_stopped(limits, int(w.nodes), seconds)
        return Result(
            game=game,
            state=s,
            algorithm=self.name,
            action=best.action,
            value=best.value,
            values=best.values,
            line=line,
            actions=with_line(tuple(actions), line),
            nodes=int(w.nodes),
            depth=int(w.deepest),
            seconds=seconds,
            proven=best.proven if request.only else solved,
            stopped=stopped,
            simulations=int(w.simulations),
            settings={
                "limits": limits.given(),
                **({"descent": True} if self.descent else {}),
                "memory_mb": self.memory_mb,
                "tree_nodes": self.memory.used,
            },
        )

    def _is_enough(self, node: int) -> bool:
        """Whether the value of a node is proven."""
        return bool(self.memory.section("low")[node] == self.memory.section("high")[node])

    def _actions(self, s: Any, node: int) -> list[ActionValue]:
        """What the tree says of the moves at a node, in the game's order."""
        game, memory, children = self.game, self.memory, self.memory.children(node)
        found = []
        for child in children:
            v = float(memory.section("guess")[child])
            values, visits = for_each_player(game, v), int(memory.visits[child])
            found.append(
                ActionValue(int(memory.actions[child]), v, True, values, self._is_enough(child), visits=visits)
            )
        return found

    def _best(self, s: Any, node: int, actions: list[ActionValue]) -> ActionValue:
        """The move to play: what is proven best; else the one most visited of those that may be better than is sure.

        The most visited is the safest, which was better in play than the one that is worth most (Cohen-Solal 2020). A
        loss that is proven is not taken while there is something else: the other player may not see it.
        """
        game, p = self.game, int(self.game.player(s))
        least = game.utility_range[0]

        def sure(each: ActionValue) -> float:
            return each.values[p] if each.proven else least

        safe = max(actions, key=lambda each: (sure(each), each.visits))
        open_ = [each for each in actions if not each.proven]
        if not open_ or (self._is_enough(node) and safe.proven):
            return safe
        best = max(open_, key=lambda each: (each.visits, each.values[p]))
        return best if best.values[p] > sure(safe) or sure(safe) == least else safe

    def _line(self, s: Any, a: int) -> tuple[int, ...]:
        """Best play from `s` on, which begins with `a`, as far as the tree goes."""
        line, node = [a], 0
        while True:
            node = next(child for child in self.memory.children(node) if self.memory.actions[child] == a)
            s = self.game.result(s, a)
            if unpack(int(self.memory.links[node])).size == 0:
                return tuple(line)
            a = self._best(s, node, self._actions(s, node)).action
            line.append(a)


@of_position
def best_first(
    game: Game,
    s: Any = None,
    simulations: int | None = None,
    *,
    descent: bool = False,
    memory_mb: float = 256.0,
    nodes: int | None = None,
    seconds: float | None = None,
    history: Sequence[Any] = (),
    progress: Progress | None = None,
) -> Result:
    """The best move at `s` (default: the initial state) by unbounded best-first minimax.

    So many iterations (`simulations`), or as the limits allow; without any it goes on until the game is solved or the
    memory is full. With `descent` each iteration goes on to the end of the game. Estimates are the game's `evaluate`.
    """
    engine = BestFirst(game, descent=descent, memory_mb=memory_mb)
    limits = Limits(nodes=nodes, seconds=seconds, simulations=simulations)
    return engine.search(s, limits, history=history, progress=progress)
