"""The passes by which Numba compiles our functions: one more, and none that would have nothing to do.

What a game has or lacks is known before types are found. `if game.knows.passed:` then is decided, and what could never
run is neither typed nor lowered: a search is as small as the game that it is made for. So is `if x.use_rave:`, where
the kind of the record `x` says it, see `core/records.py`.
"""

from __future__ import annotations

from types import CodeType
from typing import Any

from numba import types

from counterplay.core.records import USE
from counterplay.native.seams import (
    DefaultPassBuilder,
    FixupArgs,
    FunctionPass,
    InlineClosureLikes,
    NopythonRewrites,
    PassManager,
    global_compiler_lock,
    new_error_context,
    register_pass,
)
from counterplay.native.seams import numba_ir as ir

__all__ = ["WithFacts", "passes_for"]


class WithFacts:
    """A type whose values are known to have attributes that are true, or false."""

    def fact(self, path: tuple[str, ...]) -> bool | None:
        """What an attribute is, or an attribute of it and so on; None if it is neither true nor false."""
        raise NotImplementedError


def passes_for(state: Any) -> Any:
    """Numba's passes for a function, as we want them."""
    usual = DefaultPassBuilder.define_nopython_pipeline(state)
    has_functions = any(isinstance(each, CodeType) for each in state.func_id.code.co_consts)
    unneeded = set() if has_functions else {InlineClosureLikes}
    passes = _Passes(usual.pipeline_name)
    passes.passes = [(_ArrayRewrites if each is NopythonRewrites else each, why) for each, why in usual.passes]
    passes.passes = [(each, why) for each, why in passes.passes if each not in unneeded]
    passes.add_pass_after(_Facts, FixupArgs)
    passes.finalize()
    return passes


class _Passes(PassManager):  # type: ignore[misc]
    """Passes that are run and neither announced nor timed."""

    def _runPass(self, index: int, each: Any, state: Any) -> None:  # noqa: N802
        each.analysis = self._analysis
        with global_compiler_lock, new_error_context("Pass " + each.name()):
            each.run_initialization(state)
            each.run_pass(state)
            each.run_finalizer(state)


@register_pass(mutates_CFG=False, analysis_only=False)
class _Facts(FunctionPass):  # type: ignore[misc]
    """Writes down what is known of an argument, for Numba's own pass that drops dead branches."""

    _name = "facts"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        function = state.func_ir
        if not any(isinstance(each, WithFacts | types.Record) for each in state.args):
            return False
        found = False
        for block in function.blocks.values():
            for i, each in enumerate(block.body):
                if isinstance(each, ir.Assign) and isinstance(each.value, ir.Expr) and each.value.op == "getattr":
                    fact = _fact(state, each.value)
                    if fact is not None:
                        known = ir.Const(fact, each.loc)
                        function._definitions[each.target.name] = [
                            known if old is each.value else old for old in function._definitions[each.target.name]
                        ]
                        block.body[i] = ir.Assign(known, each.target, each.loc)
                        found = True
        return found


def _fact(state: Any, expression: Any) -> bool | None:
    """What `argument.name.name` is known to be."""
    path: tuple[str, ...] = ()
    while isinstance(expression, ir.Var) or (isinstance(expression, ir.Expr) and expression.op == "getattr"):
        if isinstance(expression, ir.Expr):
            path, expression = (expression.attr, *path), expression.value
        meanings = state.func_ir._definitions[expression.name]
        if len(meanings) != 1:
            return None
        expression = meanings[0]
    if not isinstance(expression, ir.Arg):
        return None
    of = state.args[expression.index]
    if isinstance(of, types.Record) and len(path) == 1 and path[0].startswith(USE) and path[0] not in of.fields:
        return path[0].removeprefix(USE) in of.fields
    return of.fact(path) if isinstance(of, WithFacts) else None


@register_pass(mutates_CFG=True, analysis_only=False)
class _ArrayRewrites(NopythonRewrites):  # type: ignore[misc]
    """What Numba does with expressions of arrays, for functions that have some."""

    _name = "array_rewrites"

    def run_pass(self, state: Any) -> bool:
        has_arrays = any(isinstance(each, types.Array) for each in state.typemap.values())
        return bool(has_arrays and super().run_pass(state))
