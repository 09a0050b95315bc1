"""The curve of a training as event files, which TensorBoard draws while it grows; by tensorboardX, an extra."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from counterplay.core.errors import UserError

if TYPE_CHECKING:
    from counterplay.learn.course import Point

__all__ = ["Events"]


class Events:
    """Writes points to a folder, for the length of a `with`."""

    def __init__(self, folder: Path) -> None:
        try:
            from tensorboardX import SummaryWriter
        except ImportError:
            raise UserError("--tensorboard needs tensorboardX: pip install 'counterplay[tensorboard]'") from None
        try:
            self._writer: Any = SummaryWriter(str(folder))
        except OSError as error:
            raise UserError(f"{folder} cannot be a folder of events: {error.strerror or error}") from None

    def tell(self, point: Point) -> None:
        """Write how strong a model is after so many games."""
        numbers = {f"share/{name}": share for name, share in point.shares.items()}
        if point.points is not None:
            numbers["points"] = point.points
        if point.seconds > 0:
            numbers["games_per_second"] = point.games / point.seconds
        for name, x in numbers.items():
            self._writer.add_scalar(name, x, point.games)
        self._writer.flush()  # whoever looks may look now

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._writer.close()
