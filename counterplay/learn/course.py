"""A training from beginning to end: it is measured at points, written down while it goes on, and taken up again.

    course = Course(game, recipe_for(game), Path("kalah.safetensors"))
    course.run(told=print)

At some points the model plays quick matches: against random moves, against the hand-made estimate, and against itself
as it was at the point before. The points are the curve, which goes into the file of the model.

While it goes on, a folder beside that file has the last three checkpoints. Each is a folder, made under another name
and renamed when all is on the disk, so that one that has its name is whole. With one thread, a training that was killed
and taken up again ends with the same weights to the last bit.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import time
from collections.abc import Callable
from math import log10
from pathlib import Path
from typing import Any, NamedTuple

from counterplay.core.charts import line_chart
from counterplay.core.errors import UserError
from counterplay.core.files import read_json, read_text, write_files
from counterplay.core.game import Game
from counterplay.learn.convolution import ConvolutionalNetwork
from counterplay.learn.distributed import Spread, spread_over
from counterplay.learn.files import load, resume, save
from counterplay.learn.model import Model, copied
from counterplay.learn.recipes import Recipe, recipe_for
from counterplay.learn.strength import Score, quick_match
from counterplay.learn.temporal import Progress

__all__ = ["Course", "Point", "curve_svg", "elo_of", "elo_svg", "games_within"]

PARTS = (0.0, 0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""When strength is measured: after these parts of all games."""
MATCH_GAMES = 400
MATCH_SECONDS = 3.0
"""A match of a slow game is broken off then."""
KEPT = 3
"""So many checkpoints are kept."""
CHECKPOINT_SECONDS = 10.0
CHECKPOINT_SHARE = 0.04
"""A checkpoint is written so often, or rarer, so that writing takes no more than this share of the time."""
_STEP_SECONDS = 0.2
_MODEL, _EARLIER, _COURSE = "model.safetensors", "earlier.safetensors", "course.json"


class Point(NamedTuple):
    """How strong the model was after so many games: its share of the points against each opponent."""

    games: int
    seconds: float
    shares: dict[str, float]
    """By opponent: `random`; `estimate`, the hand-made one; `earlier`, itself as it was at the point before."""
    points: float | None
    """What it wins a game from the hand-made estimate, or from random moves if there is none."""

    def as_dict(self) -> dict[str, Any]:
        return self._asdict()


Told = Callable[[Progress, "list[Point]"], None]
"""Called now and then with how far a training is, and with its curve."""


class Course:
    """A training on its way to a file."""

    def __init__(
        self,
        game: Game,
        recipe: Recipe,
        out: Path,
        games: int | None = None,
        threads: int = 1,
        seed: int = 0,
        spread: Spread | None = None,
        half: bool = False,
        begun_with: Model | None = None,
    ) -> None:
        self.game, self.recipe, self.out, self.half = game, recipe, out, half
        self.model = recipe.model(game, seed)
        self._before: list[dict[str, Any]] = []  # how the model was trained that it begins with
        if begun_with is not None:
            self._begin_with(begun_with)
        self.training = recipe.begin(game, self.model, games, threads, seed)
        if spread is not None:
            self.training = spread_over(game, self.training, spread, _folder(out) / "parcels")
        self.training.keep_in(_folder(out) / "replay")
        self.curve: list[Point] = []
        self._earlier: Model | None = None

    def _begin_with(self, model: Model) -> None:
        """Begin with the weights of another model of the same shape."""
        if type(model) is not type(self.model) or model.shape != self.model.shape:
            told = [f"{each.kind} of {each.shape}" for each in (model, self.model)]
            raise UserError(f"a training can begin with a model of its own shape only: not {told[0]}, but {told[1]}")
        for name, weights in model.weights.items():
            self.model.weights[name][...] = weights
        self._before = list(model.pedigree)

    @classmethod
    def taken_up(cls, game: Game, out: Path, spread: Spread | None = None, half: bool = False) -> Course:
        """The training that was begun for this file, where its last checkpoint is."""
        found = _checkpoints(_folder(out))
        if not found:
            raise UserError(f"there is no training of {out} to go on with")
        about = _about(found[-1])
        begun = (about["games"], about["threads"], about["seed"])
        course = cls(game, recipe_for(game, about["recipe"]), out, *begun, spread, half)
        resume(course.training, found[-1] / _MODEL)
        course.training.catch_up()
        course.curve = [Point(**point) for point in about["curve"]]
        course._before = about.get("before", [])
        if (found[-1] / _EARLIER).exists():
            course._earlier = load(found[-1] / _EARLIER, game)
        return course

    def must_be_new(self) -> None:
        """Refuse to write over what somebody has trained."""
        if _checkpoints(_folder(self.out)):
            raise UserError(f"a training of {self.out} has been begun: go on with --resume, or name another --out")
        if not self.out.parent.is_dir():
            raise UserError(f"there is no folder {self.out.parent}")
        if self.out.exists():
            raise UserError(f"{self.out} exists already: name another --out")

    def run(self, told: Told) -> None:
        """Train to the end. At ctrl-C all is written down before it is raised again."""
        _compile(self.game, self.recipe)
        try:
            self._run(told)
        except KeyboardInterrupt:
            self._checkpoint()
            self._save()
            raise
        finally:
            self.training.close()
        self._save()
        shutil.rmtree(_folder(self.out), ignore_errors=True)  # all of it is in the file now

    def _run(self, told: Told) -> None:
        due = 0.0
        while True:
            if not self.curve or self.curve[-1].games < self.training.games == self._next():
                self._measure()
                due = self._checkpoint()
            told(self.training.progress, self.curve)
            if self.training.progress.is_done:
                return
            self.training.run(_STEP_SECONDS, until=self._next())
            if time.perf_counter() >= due:
                due = self._checkpoint()

    # ---- strength

    def _next(self) -> int:
        """After how many games strength is measured next."""
        of, last = self.training.settings.games, self.curve[-1].games if self.curve else -1
        return next((int(part * of) for part in PARTS if int(part * of) > last), of)

    def _measure(self) -> None:
        ours: Game = self.game.with_model(self.model)
        against: dict[str, Game | None] = {"random": None}
        if self.game.knows.evaluate:
            against["estimate"] = self.game
        if self._earlier is not None:
            against["earlier"] = self.game.with_model(self._earlier)
        is_slow = self.game.chance or isinstance(self.model, ConvolutionalNetwork)
        depth, seed = 1 if is_slow else 2, self.training.settings.seed
        scores: dict[str, Score] = {
            name: quick_match(ours, theirs, MATCH_GAMES, depth, seed, MATCH_SECONDS) for name, theirs in against.items()
        }
        points = scores["estimate" if "estimate" in scores else "random"].points
        shares = {name: round(score.share, 4) for name, score in scores.items()}
        seconds = round(self.training.seconds, 1)
        self.curve.append(Point(self.training.games, seconds, shares, round(points, 4)))
        self._earlier = copied(self.model)

    # ---- on disk

    def _save(self) -> None:
        """Write the model, with how it was trained; in 16 bits if that was asked for."""
        settings = self.training.settings
        self.model.pedigree = [
            *self._before,
            {
                "method": self.recipe.method,
                "recipe": str(self.recipe),
                **settings._asdict(),
                **self.training.about,
                "rate": list(settings.rate),
                "played": self.training.games,
                "seconds": round(self.training.seconds, 1),
                "curve": [point.as_dict() for point in self.curve],
            },
        ]
        save(self.model, self.out, half=self.half)

    def _checkpoint(self) -> float:
        """Write all that is needed to go on into a new folder, and forget the oldest; when to do so again."""
        folder, began = _folder(self.out), time.perf_counter()
        whole = folder / f"{self.training.games:012}-{len(self.curve)}"
        if whole.exists():
            return began + CHECKPOINT_SECONDS
        part = folder / f".{secrets.token_hex(8)}.part"
        settings = self.training.settings
        about = {
            "recipe": str(self.recipe),
            "games": settings.games,
            "threads": settings.threads,
            "seed": settings.seed,
            "curve": [point.as_dict() for point in self.curve],
            "before": self._before,
        }
        try:
            part.mkdir(parents=True)
            save(self.model, part / _MODEL, self.training)
            if self._earlier is not None:
                save(self._earlier, part / _EARLIER)
            write_files({part / _COURSE: json.dumps(about)})
            part.rename(whole)
            _sync(folder)
            self.training.written()
        except OSError as error:
            raise UserError(f"{folder} cannot be written: {error.strerror or error}") from None
        for old in [*_checkpoints(folder)[:-KEPT], *folder.glob(".*.part")]:
            shutil.rmtree(old, ignore_errors=True)
        ended = time.perf_counter()
        return ended + max(CHECKPOINT_SECONDS, (ended - began) / CHECKPOINT_SHARE)


def _folder(out: Path) -> Path:
    """Where the checkpoints of a training are."""
    return out.with_name(f"{out.name}.training")


def _checkpoints(folder: Path) -> list[Path]:
    """The checkpoints in a folder, the last one last."""
    return sorted(path for path in folder.glob("[0-9]*") if path.is_dir())


def _about(checkpoint: Path) -> dict[str, Any]:
    about = read_json(read_text(checkpoint / _COURSE))
    if not isinstance(about, dict) or not {"recipe", "games", "threads", "seed", "curve"} <= about.keys():
        raise UserError(f"{checkpoint / _COURSE} is of no training of ours")
    return about


def _sync(folder: Path) -> None:
    """Have the names in a folder on the disk, where the system can do that."""
    if os.name == "posix":
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _compile(game: Game, recipe: Recipe) -> None:
    """Play a game that nobody learns from, so that no time of the compiler is counted."""
    recipe.begin(game, recipe.model(game), games=1).run()


# ---- for those who have so much time


def games_within(game: Game, recipe: Recipe, seconds: float, threads: int = 1) -> int:
    """About how many games can be learned in that time, found by trying for a tenth of it."""
    _compile(game, recipe)
    trial = recipe.begin(game, recipe.model(game), 1 << 40, threads)
    half = min(max(seconds / 20, 0.1), 5.0)
    trial.run(half)
    games, spent = trial.games, trial.seconds
    trial.run(half)  # it counts from here on: at first games are longer, or shorter
    speed = (trial.games - games) / max(trial.seconds - spent, 1e-9)
    return max(int(0.9 * seconds * speed), 1)


def elo_of(curve: list[dict[str, Any]]) -> list[tuple[int, float]]:
    """How strong each generation is, in Elo above the first, by what each has got from the one before.

    A match that was won outright says only that it is so many games' worth of Elo at least.
    """
    found, total = [], 0.0
    for point in curve:
        share = point["shares"].get("earlier")
        if share is not None:
            most = 1.0 - 0.5 / MATCH_GAMES
            share = min(max(float(share), 1.0 - most), most)
            total += 400.0 * log10(share / (1.0 - share))
        found.append((int(point["games"]), round(total, 1)))
    return found


def elo_svg(game: Game, recipe: str, curve: list[dict[str, Any]]) -> str:
    """The Elo of the generations as a picture, from the points in the pedigree of a model."""
    series = {"each against the one before": elo_of(curve)}
    return line_chart(series, f"{game}: {recipe}", "games", "Elo above the first", log_y=False)


def curve_svg(game: Game, recipe: str, curve: list[dict[str, Any]]) -> str:
    """The learning curve as a picture, from the points in the pedigree of a model."""
    names = {"random": "random moves", "estimate": "hand-made estimate", "earlier": "itself before"}
    series = {
        long: [(point["games"], point["shares"][name]) for point in curve if name in point["shares"]]
        for name, long in names.items()
    }
    drawn = {name: points for name, points in series.items() if points}
    return line_chart(drawn, f"{game}: {recipe}", "games", "share of the points against", log_y=False)
