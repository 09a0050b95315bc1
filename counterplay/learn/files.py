"""Models on disk: one safetensors file with the weights, what they are for, and how they were trained.

    learn.save(model, "othello.safetensors")
    model = learn.load("othello.safetensors")

A file says for which game its model is, with a fingerprint of the rules and of the inputs; and it has a canary: some
positions with the values that they had when it was saved. A model is loaded only if all of that still holds. Files are
written whole, and reading one runs none of it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from counterplay import games
from counterplay.core.errors import UserError
from counterplay.core.files import read_bytes, read_json, write_files
from counterplay.core.game import Game
from counterplay.core.randomness import new_random
from counterplay.learn.convolution import ConvolutionalNetwork
from counterplay.learn.dual import DualNetwork
from counterplay.learn.identity import fingerprint
from counterplay.learn.linear import Linear
from counterplay.learn.model import Model
from counterplay.learn.network import Network
from counterplay.learn.patterns import MOST_WEIGHTS, Patterns
from counterplay.learn.sided import SidedNetwork
from counterplay.native import interpreted
from counterplay.search.playout import choose

if TYPE_CHECKING:
    from counterplay.learn.temporal import Training

__all__ = ["MODELS", "describe", "load", "resume", "save"]

MODELS: dict[str, type[Model]] = {
    each.kind: each for each in (Linear, Network, SidedNetwork, DualNetwork, ConvolutionalNetwork, Patterns)
}

VERSION = 1
CANARY = 12
"""So many positions are kept with their values."""
TOLERANCE = 1e-5
"""So much may a value differ, as part of the range of utilities. (On one machine it never does.)"""
MOST_BYTES = 4 * MOST_WEIGHTS + 700_000_000
_MEMORY = "memory."
_KINDS = {np.dtype(np.float32), np.dtype(np.float16)}


def save(model: Model, file: str | Path, training: Training | None = None, half: bool = False) -> None:
    """Write a model to a file, with all that the training needs to be taken up again if there is one.

    With `half` the weights are rounded to 16 bits, the model's own, too, and the file has half the size.
    """
    from safetensors.numpy import save as as_bytes

    if half:
        for weights in model.weights.values():
            with np.errstate(over="ignore"):  # what is too large for 16 bits is not finite, and refused
                weights[:] = weights.astype(np.float16)
    for name, weights in model.weights.items():
        if not np.isfinite(weights).all():
            raise UserError(f"the model is not saved: '{name}' has a weight that is no finite number; lower the rate")
    about = {
        "version": VERSION,
        "game": str(model.game),
        "fingerprint": fingerprint(model.game),
        "model": model.kind,
        "shape": model.shape,
        "trained": model.pedigree,
        "canary": _canary(model),
        "training": None if training is None else training.state(),
    }
    memory = {} if training is None else {f"{_MEMORY}{name}": each for name, each in training.memory().items()}
    kind = np.float16 if half else np.float32
    kept = {name: np.asarray(weights, kind) for name, weights in model.weights.items()}
    data = as_bytes({**kept, **memory}, {"counterplay": json.dumps(about)})
    write_files({Path(file): data})


def load(file: str | Path, game: Game | None = None) -> Model:
    """The model in a file, for the game that it names, or for one of yours with that name; an error says why not."""
    about, weights, _ = _read(Path(file))
    if game is None:
        game = games.load_ours(about["game"])
    _must_be_for(about, game, file)
    kind = MODELS.get(about["model"])
    if kind is None:
        raise UserError(f"{file} has a model of the kind '{about['model']}', which is not known here")
    model = kind(game, **about["shape"])
    _fill(model, weights, file)
    if fingerprint(model.game) != about["fingerprint"]:
        raise UserError(f"{file} is of no use: the rules or the features of {game} have changed since it was trained")
    _must_sing(model, about["canary"], file)
    model.pedigree, model.name = about["trained"], str(file)
    return model


def describe(file: str | Path) -> dict[str, Any]:
    """What a file says about its model: the `game`, the kind of `model`, its `shape`, how it was `trained`."""
    about, _, _ = _read(Path(file))
    return about


def resume(training: Training, file: str | Path) -> None:
    """Let a training go on where the one in the file was."""
    about, weights, memory = _read(Path(file))
    _must_be_for(about, training.model.game, file)
    if about["training"] is None:
        raise UserError(f"{file} has a model, but no training that could go on: name another file")
    if about["model"] != training.model.kind or about["shape"] != training.model.shape:
        raise UserError(f"{file} has another model: {about['model']} {about['shape']}")
    if about["fingerprint"] != fingerprint(training.model.game):
        raise UserError(f"{file} is of no use: the rules or the features have changed since the training was begun")
    try:
        training.take_up(about["training"], memory)
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{file} is of no use: what the training remembers is damaged ({error})") from None
    _fill(training.model, weights, file)
    training.model.pedigree = about["trained"]


# ---- reading


def _read(file: Path) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """What a file says about its model, the weights, and what a training remembers."""
    from safetensors import SafetensorError
    from safetensors.numpy import load as from_bytes

    data = read_bytes(file, MOST_BYTES)
    try:
        weights = from_bytes(data)
        length = int.from_bytes(data[:8], "little")
        about = read_json(read_json(data[8 : 8 + length].decode())["__metadata__"]["counterplay"])
        needed = {"version", "game", "fingerprint", "model", "shape", "trained", "canary", "training"}
        if not isinstance(about, dict) or not needed <= about.keys() or not _is_pedigree(about["trained"]):
            raise KeyError
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UserError(f"{file} is no model of Counterplay, or only a part of one") from None
    if about["version"] != VERSION:
        raise UserError(f"{file} was written by another version of Counterplay ({about['version']}, not {VERSION})")
    memory = {name.removeprefix(_MEMORY): weights.pop(name) for name in list(weights) if name.startswith(_MEMORY)}
    return about, weights, memory


def _is_pedigree(trained: Any) -> bool:
    """Whether it can be how a model was trained: a list of objects, each with a number of games and a curve."""
    if not isinstance(trained, list) or not all(isinstance(each, dict) for each in trained):
        return False
    points = [point for each in trained for point in each.get("curve", ())]
    shares = [x for point in points for x in point["shares"].values()]
    counts = [each.get(name, 0) for each in trained for name in ("played", "examples")]
    return all(isinstance(n, int) for n in counts) and all(isinstance(x, float) for x in shares)


def _must_be_for(about: dict[str, Any], game: Game, file: Any) -> None:
    if str(game) != about["game"]:
        raise UserError(f"{file} is a model for {about['game']}, not for {game}")


def _fill(model: Model, weights: dict[str, Any], file: Any) -> None:
    """Give the model these weights; all of them, or none if one is wrong."""
    shapes = {name: array.shape for name, array in model.weights.items()}
    kinds = {array.dtype for array in weights.values()}
    if {name: array.shape for name, array in weights.items()} != shapes or not kinds <= _KINDS:
        raise UserError(f"{file} has weights of another shape than its model")
    for name, array in weights.items():
        if not np.isfinite(array).all():
            raise UserError(f"{file} is of no use: '{name}' has a weight that is no finite number")
    for name, array in weights.items():
        model.weights[name][:] = array


# ---- the canary


def _canary(model: Model) -> list[tuple[str, float]]:
    """Positions of random games, with the value of each to player 0."""
    game: Game = model.game.with_model(model)
    random, s = new_random(1), game.initial()
    found: list[tuple[str, float]] = []
    with interpreted():
        for ply in range(50 * CANARY):
            if game.is_terminal(s):
                s = game.initial()
            if ply % 3 == 2 and game.from_text(game.to_text(s)) == s:
                found.append((game.to_text(s), model.estimate(game, s)))
            if len(found) == CANARY:
                break
            s = game.result(s, choose(game, s, random))
    return found


def _must_sing(model: Model, canary: list[tuple[str, float]], file: Any) -> None:
    game: Game = model.game.with_model(model)
    allowed = TOLERANCE * (game.utility_range[1] - game.utility_range[0])
    with interpreted():
        for text, before in canary:
            now = model.estimate(game, game.from_text(text))
            if not abs(now - before) <= allowed:
                raise UserError(f"{file} is of no use: '{text}' was worth {before:.6g} when saved, and now {now:.6g}")
