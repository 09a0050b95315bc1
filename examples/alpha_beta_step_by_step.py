"""Alpha-beta step by step, on the tree of the lectures.

MAX moves first, then MIN; the leaves are what MAX gets:

            MAX
       /     |     \\
     MIN    MIN    MIN
    3 12 8  2 4 6  14 5 2

    python examples/alpha_beta_step_by_step.py [FOLDER]

prints the whole run and writes alpha_beta.html into the folder, or here: a page to step through it with buttons.
"""

import sys
from math import inf
from pathlib import Path

from counterplay import search, trees
from counterplay.games.tree import Tree


def main(folder: Path) -> None:
    game = Tree("[[3, 12, 8], [2, 4, 6], [14, 5, 2]]")

    # ---- 1. Minimax looks at everything. MIN takes the least of each three, 3, 2 and 2, and MAX the most of these.
    everything = search.minimax(game)
    print(f"minimax: value {everything.value:g}, {everything.nodes} states looked at")

    # ---- 2. Alpha-beta keeps two numbers. α is what MAX is sure of on the way here, β what MIN is sure of. While a
    # state is looked at, v is the best that its player has found there. As soon as v lies outside of α and β, one of
    # the two will never let the game come here, and the rest of the state's moves do not matter: they are cut.
    #
    # A trace is not another program that explains the search: it is the search, watched while it runs.
    found = trees.trace(game, algorithm="alphabeta")
    print(f"alpha-beta: value {found.value:g}, {len(found.visits)} states looked at\n")

    print("state    α    β    v")
    for step in found.steps:
        visit = found.visits[step.visit]
        if visit.is_leaf:
            continue  # a leaf has its value, and nothing happens there
        state = " ".join(way_to(found, visit)) or "root"
        numbers = "".join(f"{number(x):>5}" for x in (step.alpha, step.beta, step.v))
        print(f"{state:5}{numbers}  {step.text}{'  <- CUT' if step.event == 'cut' else ''}")

    # ---- 3. What was cut, and why. In the middle MIN has a 2, so that MAX, who has 3 on the left, will not come here,
    # whatever the 4 and the 6 are. On the right MIN finds its 2 last, and nothing is saved: order is everything.
    print()
    for visit in found.visits:
        for _, name in visit.skipped:
            way = [*way_to(found, visit), name]
            print(f"never looked at: {' '.join(way)}, which is {leaf(game, way)}: {visit.reason}")

    # ---- 4. The same tree with the middle and the right in the best order: MIN's 2 first, both times.
    better = trees.trace(Tree("[[3, 12, 8], [2, 4, 6], [2, 5, 14]]"))
    print(f"\nin a better order: value {better.value:g}, {len(better.visits)} states, {len(better.skipped)} leaves cut")

    page = folder / "alpha_beta.html"
    page.write_text(trees.page(found), encoding="utf-8")
    print(f"\nto step through: {page}")


def way_to(found: trees.Trace, wanted: trees.Visit) -> list[str]:
    """The moves from the root to a state of this tree, which is two moves high."""
    return [child.name for child in found.root.children if child is wanted or wanted in child.children]


def leaf(game: Tree, way: list[str]) -> str:
    """What a leaf is worth that the search never saw."""
    end = game.at(way).state
    return f"{game.utility(end, 0):g}"


def number(x: float | None) -> str:
    return "" if x is None else "∞" if x == inf else "-∞" if x == -inf else f"{x:g}"


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
