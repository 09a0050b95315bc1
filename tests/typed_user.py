"""A user's script as a type checker sees it: test_typing.py has mypy read it. It is never run."""

from typing import Any, NamedTuple, assert_type

import counterplay
from counterplay import Bits, Game, Position, analysis, arena, games, native, quiz, search, trees


class Heap(Game):
    """A game with all its types written out."""

    heap: int = 5

    class State(NamedTuple):
        stones: int
        turn: int

    def initial(self) -> State:
        return self.State(self.heap, 0)

    def player(self, s: State) -> int:
        return s.turn

    def actions(self, s: State) -> range:
        return range(1, min(3, s.stones) + 1)

    def result(self, s: State, a: int) -> State:
        return self.State(s.stones - a, 1 - s.turn)

    def is_terminal(self, s: State) -> bool:
        return s.stones == 0

    def utility(self, s: State, p: int) -> float:
        return -1.0 if s.turn == p else 1.0


game = Heap(heap=7)
assert_type(game.at(), Position)
assert_type(games.load("nim"), Game)
assert_type(games.names(), list[str])
assert_type(counterplay.__version__, str)

found = search.alphabeta(game, depth=4)
assert_type(found, search.Result)
assert_type(found.value, float)
assert_type(found.action, int | None)
assert_type(found.line_names, list[str])
assert_type(found.actions[0].value, float)
assert_type(search.minimax(game), search.Result)
assert_type(search.minimax(game.at(), 4), search.Result)
assert_type(search.mcts(game, simulations=10, seed=1), search.Result)
assert_type(search.perft(game, depth=2), list[int])
assert_type(search.best_for(game), str)

assert_type(arena.match(game, ("random", "alphabeta:depth=2"), 4), arena.Score)
assert_type(arena.match(game, ("random", "random"), 2).points, float)
assert_type(arena.tournament(game, ["random", "random"], games=2), arena.Standings)
assert_type(arena.ratings(["a", "b"], [(0, 1, 1.0), (0, 1, 0.0)]), arena.Ratings)
assert_type(arena.Sprt(0, 5).verdict([1, 2, 3, 2, 1]), str | None)
assert_type(analysis.best_lines(game), analysis.BestLines)
assert_type(analysis.explain(game, game.initial()), analysis.Explanation)
assert_type(trees.trace(game), trees.Trace)
assert_type(trees.svg(trees.trace(game)), str)
assert_type(quiz.sheet(list(quiz.questions(3))), str)

board = Bits(9, (0, 4))
assert_type(board | ~board, Bits)
assert_type(4 in board, bool)
assert_type(list(board), list[int])


@native.native
def stones(game: Heap, s: Heap.State) -> int:
    return s.stones


counted: Any = stones(game, game.initial())
with native.interpreted():
    assert_type(stones, native.NativeFunction)
