"""Whether the tree of a search adds up."""

from counterplay.search.mcts.nodes import unpack


def assert_sound(game, s, memory, exactly=True):
    """Every node has its state's actions, its visits are its own and its children's, and so are its sums."""
    todo, seen = [(0, s)], 0
    visits, totals = memory.visits, memory.totals
    while todo:
        node, s = todo.pop()
        children = memory.children(node)
        seen += 1
        if not children:
            continue
        assert children.start > node
        assert sorted(map(int, memory.actions[children.start : children.stop])) == sorted(map(int, game.actions(s)))
        assert unpack(int(memory.links[node])).player == game.player(s)
        below = visits[children.start : children.stop].sum()
        # Of two threads that come to a new node at once, neither may stay: all of its visits are its children's then.
        assert visits[node] == below + 1 if exactly else visits[node] >= below
        if exactly:
            own = totals[node] - totals[children.start : children.stop].sum(axis=0)
            assert (own >= game.utility_range[0]).all()
            assert (own <= game.utility_range[1]).all()
        todo += [(child, game.result(s, int(memory.actions[child]))) for child in children if visits[child]]
    return seen
