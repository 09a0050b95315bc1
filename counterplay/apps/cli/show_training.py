"""A training while it goes on: the curve, drawn on the terminal; a line for each point where nobody looks."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING, Any

from counterplay.apps.cli import output

if TYPE_CHECKING:
    from rich.live import Live

    from counterplay.learn.course import Course, Point
    from counterplay.learn.events import Events
    from counterplay.learn.shelf import Kept
    from counterplay.learn.temporal import Progress

__all__ = ["drawn_curve", "follow", "show_model", "show_models"]

NAMES = {"random": "random moves", "estimate": "the hand-made estimate", "earlier": "itself at the point before"}
_MARKS = {"random": "r", "estimate": "h", "earlier": "e"}
_WIDTH, _HEIGHT = 64, 11


def follow(course: Course, text: str, as_json: bool, events: Events | None = None) -> None:
    """Train to the end, showing how it goes; `text` is how the user names the game."""
    settings: Any = course.training.settings
    if not as_json:
        rate = f"{settings.rate[0]:g} to {settings.rate[1]:g}"
        output.say(f"{course.game}: {course.recipe}, {course.recipe.about}")
        output.say(
            f"{settings.games:,} games, rate {rate}, {settings.in_words()}, "
            f"{sum(map(len, map(_flat, course.model.weights.values()))):,} weights, to {course.out}"
        )
    with output.live() as shown:
        told = _Telling(course, text, None if as_json else shown, as_json, events)
        try:
            course.run(told)
        except KeyboardInterrupt:
            told.end("stopped")
            raise
    told.end("done")


def _flat(weights: object) -> Sequence[object]:
    return weights.reshape(-1)  # type: ignore[attr-defined,no-any-return]


class _Telling:
    """Tells each point once, and between them on a terminal how far it is."""

    def __init__(self, course: Course, text: str, shown: Live | None, as_json: bool, events: Events | None) -> None:
        self._course, self._text, self._shown, self._as_json, self._events = course, text, shown, as_json, events
        self._told = len(course.curve)

    def __call__(self, progress: Progress, curve: list[Point]) -> None:
        for point in curve[self._told :]:
            if self._events is not None:
                self._events.tell(point)
            if self._as_json:
                output.print_json(point.as_dict())
            elif self._shown is None:
                output.say(_line(point))
        self._told = len(curve)
        if self._shown is not None:
            speed = progress.games / max(progress.seconds, 1e-9)
            now = f"{progress.games:,} of {progress.of:,} games, {speed:,.0f} a second; ctrl-C keeps it"
            self._shown.update(f"{drawn_curve(curve, progress.of)}\n{now}", refresh=True)

    def end(self, how: str) -> None:
        """Say what came out."""
        course = self._course
        progress = course.training.progress
        speed = progress.games / max(progress.seconds, 1e-9)
        if self._as_json:
            about = {"ended": how, "file": str(course.out), "game": str(course.game), "recipe": str(course.recipe)}
            counts = {"games": progress.games, "of": progress.of, "seconds": round(progress.seconds, 3)}
            output.print_json({**about, **counts, "games_per_second": round(speed, 1)})
            return
        if self._shown is not None:
            output.say(drawn_curve(course.curve, progress.of))
        output.say(f"{how}: {progress.games:,} games in {progress.seconds:.1f} s, {speed:,.0f} a second")
        file = quote(str(course.out))
        if how == "stopped":
            output.say(f"{file} has what was learned; the same command with --resume alone goes on")
        else:
            output.say(f"use it: counterplay play {quote(self._text)} --model {file}")


def _line(point: Point) -> str:
    shares = ", ".join(f"{NAMES[name]} {share:.0%}" for name, share in point.shares.items())
    return f"{point.games:>10,} games, {point.seconds:6.1f} s; against {shares}"


def drawn_curve(curve: Sequence[Point], of: int) -> str:
    """The share of the points against each opponent over the games, with letters for lines."""
    rows = [[" "] * (_WIDTH + 1) for _ in range(_HEIGHT)]
    for point in curve:
        for name, share in point.shares.items():
            row = round((1.0 - share) * (_HEIGHT - 1))
            rows[row][round(point.games / max(of, 1) * _WIDTH)] = _MARKS[name]
    marks = [f"{100 - 100 * i // (_HEIGHT - 1):>4}%" if i % 5 == 0 else " " * 5 for i in range(_HEIGHT)]
    lines = [f"{mark} |{''.join(row).rstrip()}" for mark, row in zip(marks, rows, strict=True)]
    met = {name for point in curve for name in point.shares}
    legend = ", ".join(f"{_MARKS[name]} {NAMES[name]}" for name in NAMES if name in met)
    width = len(f"{of:,}")
    axis = f"       0{' ' * (_WIDTH - width)}{of:,} games"
    return "\n".join([*lines, f"      +{'-' * _WIDTH}", axis, f"       points against {legend}"])


def show_model(model: Kept, measured: str) -> None:
    """All that is known of a model: what it is, what it was trained by, one time after the other, and its curve."""
    from counterplay.learn.course import Point

    shape = ", ".join(f"{name} {_brief(value)}" for name, value in model.shape.items())
    output.say(f"{model.file.name}: {model.kind} for {model.game}, {shape}")
    if measured:
        output.say(f"taken by default: {measured} against the same search without it")
    for number, time in enumerate(model.trained, 1):
        output.say(f"{number}. {', '.join(_how_trained(time))}")
        if note := time.get("note"):
            output.say(f"   {note}")
    curve = [Point(**point) for point in model.trained[-1].get("curve", [])] if model.trained else []
    if curve:
        output.say(f"\n{drawn_curve(curve, curve[-1].games)}\n{_line(curve[-1]).strip()}")


def _how_trained(time: dict[str, Any]) -> list[str]:
    """One training in words, as far as it is known."""
    words = {
        "recipe": "{}",
        "played": "{:,} games",
        "examples": "{:,} positions",
        "rate": "rate {0[0]:g} to {0[1]:g}",
        "trace": "lambda {:g}",
        "explore": "{:.0%} random moves",
        "threads": "threads {}",
        "seed": "seed {}",
        "seconds": "{:,.0f} s",
    }
    return [text.format(time[name]) for name, text in words.items() if name in time]


def _brief(value: object) -> str:
    """A setting in a few words: of many things, how many."""
    if isinstance(value, list) and len(value) > 3:
        return str(len(value))
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def show_models(shipped: Sequence[Kept], trained: Sequence[Kept]) -> None:
    """A row for each model: what it is for, what it is, how it was trained, what came of it, if it is the default."""
    from counterplay.learn.shelf import STRONGER

    table = output.table("file", "game", "recipe", "#games", "#v random", "#v hand")
    table.columns[0].overflow = "fold"  # nobody can use a name that was cut
    for each in (*shipped, *trained):
        default = ", default" if each.game in STRONGER else ""
        name = f"shipped{default}" if each in shipped else str(each.file)
        if each.problem:
            output.say(each.problem)
            continue
        last = each.trained[-1] if each.trained else {}
        shares = last["curve"][-1]["shares"] if last.get("curve") else {}
        against = [f"{shares[name]:.0%}" if name in shares else "" for name in ("random", "estimate")]
        played = f"{each.played:,}" if each.played < 1_000_000 else f"{each.played / 1e6:.2f} M"  # the row has to fit
        if not each.played and any("examples" in one for one in each.trained):
            played = ""  # it was fitted to positions
        recipe = last.get("recipe", each.kind).partition(":")[0]
        output.add_row(table, name, each.game, recipe, played, *against)
    if shipped or trained:
        output.say(table)
    else:
        output.say("there are no models here: `counterplay train GAME` makes one")
