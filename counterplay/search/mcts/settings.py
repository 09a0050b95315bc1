"""The settings of Monte Carlo tree search: plain UCT, and its variations by name, each with its paper.

docs/mcts.md has what each variation is worth.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from counterplay.core.game import Game, UserError
from counterplay.search.mcts.leaf import Evaluator
from counterplay.search.mcts.variations import VARIATIONS
from counterplay.search.run import must_be_threads

__all__ = ["TreeSettings"]


@dataclass(frozen=True)
class TreeSettings:
    """How a tree search goes about it. None: without. Values are in units of half the game's range of utilities."""

    exploration: float = 1.0
    """c of UCB1: how much a move that was tried seldom is favoured."""
    solver: bool = False
    """Back up what is proven: Winands et al., Monte-Carlo tree search solver, 2008. With bounds instead of wins and
    losses, so that draws and dice can be proven too: Cazenave & Saffidine, Score bounded Monte-Carlo tree search,
    2010."""
    rave: float | None = None
    """All moves as first: the visits at which they count about as much as a move's own. Gelly & Silver, Combining
    online and offline knowledge in UCT, 2007."""
    bias: float | None = None
    """Progressive bias: what the game's `evaluate` adds to the score, divided by visits + 1. Chaslot et al.,
    Progressive strategies for Monte-Carlo tree search, 2008."""
    widening: float | None = None
    """Progressive widening: only the 1 + widening * sqrt(visits) best moves by `priority`, or else by `evaluate`, are
    looked at. Coulom, Computing Elo ratings of move patterns in the game of Go, 2007; Chaslot et al. 2008."""
    minimax: float | None = None
    """Implicit minimax backups: the weight of the tree's minimax value by `evaluate` beside the mean. Lanctot et al.,
    Monte Carlo tree search with heuristic evaluations using implicit minimax backups, 2014."""
    cutoff: int | None = None
    """Playouts end after so many plies, with the game's `evaluate`; 0: no playouts. Lorentz, Amazons discover
    Monte-Carlo, 2008."""
    blend: float | None = None
    """The share of the game's `evaluate` in what a leaf is worth, beside its playout. Silver et al., Mastering the game
    of Go with deep neural networks and tree search, 2016, who took a half."""
    guide: float | None = None
    """How often a playout takes the best move by the game's `priority`, from 0 to 1. Gelly et al., Modification of UCT
    with patterns in Monte-Carlo Go, 2006."""
    quick: bool = False
    """Playouts by the game's own `quick_action` instead of any action. Gelly et al. 2006."""
    hunch: float | None = None
    """The game's own `hunch` of a move counts so many times as visits among all moves; needs `rave`. Gelly & Silver
    2007."""
    wide: bool = False
    """64 playouts from each leaf at once, and their mean: for games that have `playouts`, as rule sheets do. Means of
    several playouts: Chaslot et al., Parallel Monte-Carlo tree search, 2008 (leaf parallelization)."""
    puct: float | None = None
    """Priors: c * prior * sqrt(parent's visits) / (1 + visits) instead of UCB1's bound. Rosin, Multi-armed bandits with
    episode context, 2011, as in Silver et al., AlphaGo Zero, 2017. The priors are the evaluator's, or follow from the
    game's `priority`, or else its `evaluate`."""
    fpu: float | None = None
    """First-play urgency: a move not yet tried is taken to be worth its parent's mean less this, instead of being tried
    at once. Gelly & Wang, Exploration exploitation in Go, 2006. With `puct` 0 unless given."""
    expand: int | None = None
    """A leaf gets its children when it is visited for the time of this number, not for the second: where priors are
    dear. Coulom, Efficient selectivity and backup operators in Monte-Carlo tree search, 2006; Silver et al. 2016."""
    evaluator: Evaluator | None = None
    """Weighs leaves, `batch` at once, instead of playouts: see `leaf.py`. Sets `puct` to 1.25 unless given."""
    batch: int = 16
    noise: float | None = None
    """Dirichlet noise of this alpha is a quarter of the priors at the root, so that self-play differs. Silver et al.
    2017. Needs `puct`."""
    temperature: float = 0.0
    """0: the move most visited; t: by chance, as visits ** (1 / t)."""
    memory_mb: float = 256
    threads: int = 1
    parallel: str = "tree"
    """Threads share one tree, or each has its own and the visits at the "root" are added up. Chaslot et al., Parallel
    Monte-Carlo tree search, 2008."""
    seed: int = 0

    def __post_init__(self) -> None:
        shares = ("guide", "minimax", "blend")
        above_zero = ("rave", "widening", "puct", "noise", "memory_mb")
        for name in (*above_zero, "exploration", "bias", "fpu", "hunch", "temperature", "cutoff", *shares):
            setting = getattr(self, name)
            if setting is None:
                continue
            enough = isinstance(setting, int | float) and (setting > 0 or (setting == 0 and name not in above_zero))
            if not enough:
                raise UserError(f"{name} is {'more than 0' if name in above_zero else '0 or more'}, not {setting}")
            if setting > 1 and name in shares:
                raise UserError(f"{name} is a share, from 0 to 1, not {setting}")
        for name, least in (("threads", 1), ("batch", 1), ("expand", 2)):
            setting = getattr(self, name)
            if setting is not None and (not isinstance(setting, int) or setting < least):
                raise UserError(f"{name} is {least} or more, not {setting}")
        must_be_threads(self.threads)
        if self.evaluator is not None and not callable(self.evaluator):
            raise UserError(f"an evaluator is a Python function, so it cannot be {self.evaluator!r}")
        if self.parallel not in ("tree", "root"):
            raise UserError(f"threads are parallel at the 'tree' or at the 'root', not '{self.parallel}'")
        if self.evaluator is not None and self.threads > 1:
            raise UserError("an evaluator has a batch of leaves at once instead of threads")
        if self.hunch is not None and self.rave is None:
            raise UserError("hunches count among all moves, which only rave looks at: set rave, too")
        if self.noise is not None and self.puct is None and self.evaluator is None:
            raise UserError("noise is added to priors, which only puct has")

    def variations(self, game: Game) -> dict[str, float]:
        """Those that are on, in the game's units; empty for plain search."""
        half = 0.5 * (game.utility_range[1] - game.utility_range[0])
        found: dict[str, float] = {}
        for name, variation in VARIATIONS.items():
            setting = getattr(self, name, None)
            if setting is not None and setting is not False:
                found[name] = setting * (half if variation.is_utility else 1.0)
        if self.evaluator is not None:
            found["outside"] = 1.0
            found.setdefault("puct", 1.25 * half)
        if "puct" in found:
            found.setdefault("fpu", 0.0)
        return found

    def given(self) -> dict[str, Any]:
        """The settings that are not the default, for the record."""
        plain = TreeSettings()
        changed = {f.name: getattr(self, f.name) for f in fields(self)}
        changed = {name: value for name, value in changed.items() if value != getattr(plain, name)}
        if self.evaluator is not None:
            changed["evaluator"] = getattr(self.evaluator, "__name__", type(self.evaluator).__name__)
        return changed
