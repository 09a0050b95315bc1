"""A convolutional network run by others: onnxruntime or torch for many states at once, and torch to train it.

    run = new_runtime(model)                      # as the weights are now
    scores, values = run(planes, others)          # of all moves, and where the value lies between the least and most

All are the same network as `ConvolutionalNetwork.plain`, which NumPy computes; they differ from it, and from each
other, by rounding: by less than 1e-4 in tests. The graph for onnxruntime is written here node by node, and nothing but
arrays goes to torch or comes from it: none of its own files is read or written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import numpy as np

from counterplay.core.errors import UserError
from counterplay.core.vectors import LANES
from counterplay.learn.convolution import HIDDEN, ConvolutionalNetwork
from counterplay.learn.model import Array

__all__ = ["INSTALL", "Learner", "Runtime", "evaluator", "new_runtime", "onnx_graph"]

Runtime = Callable[[Array, Array], tuple[Array, Array]]

INSTALL = "pip install 'counterplay[zero]'"
BETAS = (0.9, 0.99)
WEIGHT_DECAY = 1e-4


def new_runtime(model: ConvolutionalNetwork, by: str | None = None) -> Runtime:
    """What runs the network as it is now: by "onnxruntime", "torch" or "numpy"; by default the first that there is."""
    if by is None:
        by = "onnxruntime" if has("onnx", "onnxruntime") else "torch" if has("torch") else "numpy"
    makers = {"onnxruntime": _by_onnxruntime, "torch": _by_torch, "numpy": _by_numpy}
    if by not in makers:
        raise UserError(f"a convolutional network is run by {', '.join(makers)}; not by '{by}'")
    return makers[by](model)


def has(*modules: str) -> bool:
    return all(find_spec(module) is not None for module in modules)


def must_have(*modules: str) -> None:
    """Say how to install what is missing."""
    missing = [module for module in modules if not has(module)]
    if missing:
        raise UserError(f"this needs {', '.join(missing)}: {INSTALL}")


def evaluator(model: ConvolutionalNetwork, by: str | None = None) -> Any:
    """The network as it is now as the `evaluator` of `search.mcts`."""
    run, game = new_runtime(model, by), model.game
    low, high = game.utility_range

    def opinions(_: Any, states: list[Any]) -> tuple[list[Any], list[float]]:
        scores, values = run(*model.seen(states))
        priors, worth = [], []
        for s, row, y in zip(states, scores, values, strict=True):
            legal = row[[a % model.moves for a in game.actions(s)]].astype(np.float64)
            odds = np.exp(legal - legal.max())
            priors.append(odds / odds.sum())
            v = low + (high - low) * float(y)
            worth.append(v if game.viewer(s) == 0 else game.utility_sum - v)
        return priors, worth

    opinions.__name__ = "convolutional network"
    return opinions


# ---- NumPy


def _by_numpy(model: ConvolutionalNetwork) -> Runtime:
    return model.plain


# ---- onnxruntime


def _by_onnxruntime(model: ConvolutionalNetwork) -> Runtime:
    must_have("onnx", "onnxruntime")
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(onnx_graph(model), options, providers=["CPUExecutionProvider"])

    def run(planes: Array, others: Array) -> tuple[Array, Array]:
        scores, values = session.run(None, {"planes": planes, "others": others})
        return scores, values

    return run


def onnx_graph(model: ConvolutionalNetwork) -> bytes:
    """The network as an ONNX file, with the weights that it has now."""
    from onnx import TensorProto, helper, numpy_helper

    w, c, n = model.weights, model.channels, model.cells * LANES
    nodes, constants = [], []

    def constant(name: str, array: Any) -> str:
        constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def convolution(x: str, name: str, rows: Array, side: int, outputs: int, has_bias: bool = True) -> str:
        kernel = rows[:-1].reshape(side, side, -1, rows.shape[1])[..., :outputs].transpose(3, 2, 0, 1)
        bias = [constant(f"{name}.bias", rows[-1, :outputs])] if has_bias else []
        return node("Conv", [x, constant(f"{name}.kernel", kernel), *bias], name, pads=[side // 2] * 4)

    shift = node("Gemm", ["others", constant("others.rows", w["others"]), constant("b", w["stem"][-1])], "shift")
    shift = node("Reshape", [shift, constant("as.channels", np.array([-1, c, 1, 1]))], "shift.board")
    x = node("Add", [convolution("planes", "stem", w["stem"], 3, c, has_bias=False), shift], "stem.sum")
    x = node("Relu", [x], "stem.x")
    for i, (first, second) in enumerate(w["blocks"].reshape(model.blocks, 2, 9 * c + 1, c)):
        between = node("Relu", [convolution(x, f"{i}.first", first, 3, c)], f"{i}.between")
        x = node("Relu", [node("Add", [convolution(between, f"{i}.second", second, 3, c), x], f"{i}.sum")], f"{i}.x")
    flat = constant("as.row", np.array([0, -1]))
    head = node("Relu", [convolution(x, "head", w["head"], 1, LANES)], "head.x")
    features = node("Reshape", [head, flat], "features")

    def by_channel(rows: Array) -> Array:
        """Rows whose numbers are by cell and channel, by channel and cell, as a convolution here leaves them."""
        return rows.reshape(-1, model.cells, LANES).transpose(0, 2, 1).reshape(-1, n)

    policy = [constant("policy.rows", by_channel(w["policy"][:, :n])), constant("policy.bias", w["policy"][:, n])]
    dense = node("Gemm", [features, *policy], "policy" if model.placed else "scores", transB=1)
    if model.placed:
        own = node("Reshape", [convolution(x, "squares", w["squares"], 1, 1), flat], "squares.row")
        own = node("Pad", [own, constant("one.more", np.array([0, 0, 0, 1]))], "squares.more")
        index = np.where(model.cell_of >= 0, model.cell_of, model.cells).astype(np.int64)
        own = node("Gather", [own, constant("cell.of", index)], "own", axis=1)
        node("Add", [dense, own], "scores")
    first, bias, last = value_weights(model)
    given = [features, constant("value.first", by_channel(first)), constant("value.bias", bias)]
    hidden = node("Sigmoid", [node("Gemm", given, "value.hidden", transB=1)], "value.units")
    given = [hidden, constant("value.last", last[None, :-1]), constant("value.last.bias", last[-1:])]
    value = node("Sigmoid", [node("Gemm", given, "value.sum", transB=1)], "value.column")
    node("Reshape", [value, constant("as.numbers", np.array([-1]))], "values")
    board = ["n", model.planes, model.rows, model.columns]
    graph = helper.make_graph(
        nodes,
        "counterplay",
        [
            helper.make_tensor_value_info("planes", TensorProto.FLOAT, board),
            helper.make_tensor_value_info("others", TensorProto.FLOAT, ["n", model.others]),
        ],
        [
            helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["n", model.moves]),
            helper.make_tensor_value_info("values", TensorProto.FLOAT, ["n"]),
        ],
        constants,
    )
    written: bytes = helper.make_model(
        graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]
    ).SerializeToString()
    return written


def value_weights(model: ConvolutionalNetwork) -> tuple[Any, Any, Any]:
    """The two layers of the value: rows and thresholds of the first; those of the last, its threshold last."""
    w, n = model.weights["values"], model.cells * LANES
    return w[: HIDDEN * n].reshape(HIDDEN, n), w[HIDDEN * n : HIDDEN * (n + 1)], w[HIDDEN * (n + 1) :]


# ---- torch


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let torch work in this thread only: the other cores have games to play."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


class Learner:
    """A network as torch has it, with what its optimizer remembers (Adam with weight decay; Loshchilov & Hutter 2017).

    It works on a GPU if torch knows one. After `learn` the weights are in the model again.
    """

    def __init__(self, model: ConvolutionalNetwork) -> None:
        must_have("torch")
        import torch

        self.model = model
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.weights = {
            name: torch.tensor(w, device=self.device, requires_grad=True) for name, w in model.weights.items()
        }
        self.optimizer = torch.optim.AdamW(self.weights.values(), betas=BETAS, weight_decay=WEIGHT_DECAY)
        index = np.where(model.cell_of >= 0, model.cell_of, model.cells)
        self._cell_of = torch.tensor(index, dtype=torch.int64, device=self.device)

    def forward(self, planes: Any, others: Any) -> tuple[Any, Any]:
        """The scores of all moves, and the value before its last sigmoid."""
        import torch.nn.functional as f

        w, model = self.weights, self.model
        c, n = model.channels, model.cells * LANES

        def convolution(x: Any, rows: Any, side: int, outputs: int) -> Any:
            kernel = rows[:-1].reshape(side, side, -1, rows.shape[1])[..., :outputs].permute(3, 2, 0, 1)
            return f.conv2d(x, kernel, rows[-1, :outputs], padding=side // 2)

        x = f.relu(convolution(planes, w["stem"], 3, c) + (others @ w["others"])[:, :, None, None])
        for first, second in w["blocks"].reshape(model.blocks, 2, 9 * c + 1, c):
            x = f.relu(x + convolution(f.relu(convolution(x, first, 3, c)), second, 3, c))
        features = f.relu(convolution(x, w["head"], 1, LANES)).permute(0, 2, 3, 1).reshape(len(x), n)
        scores = features @ w["policy"][:, :n].T + w["policy"][:, n]
        if model.placed:
            own = convolution(x, w["squares"], 1, 1).reshape(len(x), model.cells)
            scores = scores + f.pad(own, (0, 1))[:, self._cell_of]
        v = w["values"]
        hidden = (features @ v[: HIDDEN * n].reshape(HIDDEN, n).T + v[HIDDEN * n : HIDDEN * (n + 1)]).sigmoid()
        return scores, hidden @ v[HIDDEN * (n + 1) : -1] + v[-1]

    def step(self, batch: dict[str, Array], rate: float) -> tuple[float, float]:
        """Go down the gradient of the cross entropy of moves and values by one batch; how large both were.

        `batch` has `planes`, `others`, `legal` (1 for each move that there is), `shares` of moves, and `targets`.
        """
        with _one_thread():
            return self._step(batch, rate)

    def _step(self, batch: dict[str, Array], rate: float) -> tuple[float, float]:
        import torch
        import torch.nn.functional as f

        given = {name: torch.from_numpy(array).to(self.device) for name, array in batch.items()}
        scores, values = self.forward(given["planes"], given["others"])
        chances = f.log_softmax(scores.masked_fill(given["legal"] == 0, -1e9), dim=1)
        of_moves = -(given["shares"] * chances).sum(dim=1).mean()
        of_values = f.binary_cross_entropy_with_logits(values, given["targets"])
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.zero_grad()
        (of_moves + of_values).backward()
        torch.nn.utils.clip_grad_norm_(self.weights.values(), 5.0)
        self.optimizer.step()
        return float(of_moves.detach()), float(of_values.detach())

    def write_back(self) -> None:
        """Give the model what was learned."""
        for name, w in self.weights.items():
            self.model.weights[name][...] = w.detach().cpu().numpy()

    def take_back(self) -> None:
        """Go on from the weights that the model has."""
        import torch

        with torch.no_grad():
            for name, w in self.weights.items():
                w.copy_(torch.from_numpy(np.ascontiguousarray(self.model.weights[name])))

    # ---- what the optimizer remembers, as arrays

    def memory(self) -> dict[str, Array]:
        found = {}
        for name, w in self.weights.items():
            kept = self.optimizer.state.get(w)
            if kept:
                found[f"{name}.mean"] = kept["exp_avg"].cpu().numpy().copy()
                found[f"{name}.square"] = kept["exp_avg_sq"].cpu().numpy().copy()
                found[f"{name}.steps"] = np.array([float(kept["step"])], np.float32)
        return found

    def remember(self, memory: dict[str, Array]) -> None:
        """Go on with that; ValueError if it cannot be."""
        import torch

        for name, w in self.weights.items():
            if f"{name}.steps" not in memory:
                continue
            mean, square, steps = (memory[f"{name}.{part}"] for part in ("mean", "square", "steps"))
            if mean.shape != tuple(w.shape) or square.shape != tuple(w.shape) or steps.shape != (1,):
                raise ValueError(f"'{name}' of the optimizer has another shape")
            if not all(np.isfinite(each).all() for each in (mean, square, steps)) or (square < 0).any():
                raise ValueError(f"'{name}' of the optimizer has a number that cannot be")
            self.optimizer.state[w] = {
                "step": torch.tensor(float(steps[0])),
                "exp_avg": torch.tensor(mean, device=self.device),
                "exp_avg_sq": torch.tensor(square, device=self.device),
            }


def _by_torch(model: ConvolutionalNetwork) -> Runtime:
    import torch

    learner = Learner(model)

    def run(planes: Array, others: Array) -> tuple[Array, Array]:
        with _one_thread(), torch.no_grad():
            given = (torch.from_numpy(np.ascontiguousarray(each)).to(learner.device) for each in (planes, others))
            scores, values = learner.forward(*given)
            return scores.cpu().numpy(), values.sigmoid().cpu().numpy()

    return run
