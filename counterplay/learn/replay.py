"""A training that remembers positions, and writes down what it remembers: what `zero` and `descent` share."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from counterplay.learn.temporal import Training

__all__ = ["ReplayTraining"]


class ReplayTraining(Training):
    """A training whose threads each have a record `_works` of what is remembered, used in a circle."""

    _room: ClassVar[dict[str, str]]
    """The arrays of the record, and by what count each is filled."""

    def memory(self) -> dict[str, Any]:
        found = {}
        for i, r in enumerate(self._works):
            for name, of in self._room.items():
                found[f"{i}.{name}"] = r[name][: min(int(r[of]), len(r[name]))].copy()
        return found

    def take_up(self, state: dict[str, Any], memory: dict[str, Any]) -> None:
        inputs = self.model.inputs
        for i, counts in enumerate(state["counts"]):
            for name, of in self._room.items():
                kept, room = memory[f"{i}.{name}"], self._works[i][name]
                if kept.dtype != room.dtype or kept.shape != (min(counts[of], len(room)), *room.shape[1:]):
                    raise ValueError(f"'{name}' has another shape")
                most = {"index": inputs - 1, "count": self.model.most_active}.get(name, np.inf)
                if not np.isfinite(kept).all() or (kept.size and not 0 <= kept.min() <= kept.max() <= most):
                    raise ValueError(f"'{name}' has a number that cannot be")
        super().take_up(state, memory)
        for i, r in enumerate(self._works):
            for name in self._room:
                kept = memory[f"{i}.{name}"]
                r[name][: len(kept)] = kept
