"""The compiled twin of `primitives.list_actions`: all actions of a state at once.

Rules give their actions by `yield`, one after the other. Compiled as it is, a generator keeps all that it knows in
memory between one action and the next, and that takes longer than to find them: 700 ns for the moves of a chess
position. Here the same rule is compiled with every `yield` made a store into the caller's row: 60 ns.
"""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

from numba import types
from numba.core import ir
from numba.core.compiler import DefaultPassBuilder, Flags, compile_extra
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.registry import cpu_target
from numba.core.untyped_passes import TranslateByteCode
from numba.extending import intrinsic, overload

from counterplay import primitives
from counterplay.native import source
from counterplay.native.games import GameType, compilable, mark_of
from counterplay.native.linked import LinkedCompiler


def put(row: Any, n: int, a: int) -> int:
    """Store item number `n`, if there is room; the number of items then."""
    if n < len(row):
        row[n] = a
    return n + 1


@overload(primitives.list_actions)
def _list_actions(game, s, row):  # type: ignore[no-untyped-def]
    if inspect.isgeneratorfunction(_rule(game)):
        return lambda game, s, row: _list_yielded(game, s, row)

    def list_others(game, s, row):  # type: ignore[no-untyped-def]
        n = 0
        for a in game.actions(s):
            if n < len(row):
                row[n] = a
            n += 1
        return n

    return list_others


@intrinsic
def _list_yielded(typing, game, s, row):  # type: ignore[no-untyped-def]
    listed = _compiled(_rule(game), (game, s, row))

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        context.active_code_library.add_linking_library(listed.library)
        return context.call_internal(builder, listed.fndesc, listed.signature, args)

    return types.intp(game, s, row), codegen


def _rule(game: GameType) -> FunctionType:
    return inspect.getattr_static(type(game.game), "actions")  # type: ignore[no-any-return]


_listed: dict[tuple[FunctionType, Any], Any] = {}


def _compiled(rule: FunctionType, args: tuple[Any, ...]) -> Any:
    """The rule as a function that fills a row, which is its last argument, and returns how many actions there are."""
    if (rule, args) not in _listed:
        copy = source.compilable_copy(rule, mark_of(rule)[:12] + "_listed")
        source.fill(copy, rule, compilable)
        flags = Flags()
        cpu_target.options.parse_as_flags(flags, {"nopython": True, "boundscheck": None, "forceinline": True})
        _listed[rule, args] = compile_extra(
            cpu_target.typing_context, cpu_target.target_context, copy, args, None, flags, {}, pipeline_class=_Lister
        )
    return _listed[rule, args]


class _Lister(LinkedCompiler):
    """Compiles a generator as a function that fills a row."""

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(_StoreInsteadOfYield, TranslateByteCode)
        passes.finalize()
        return [passes]


@register_pass(mutates_CFG=False, analysis_only=False)
class _StoreInsteadOfYield(FunctionPass):  # type: ignore[misc]
    _name = "store_instead_of_yield"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        rule, loc = state.func_ir, state.func_ir.loc
        first = rule.blocks[min(rule.blocks)]
        row, n, store = (first.scope.define(f"list.{name}", loc) for name in ("row", "n", "put"))

        def assign(value: Any, target: Any) -> ir.Assign:
            rule._definitions[target.name].append(value)
            return ir.Assign(value, target, loc)

        for block in rule.blocks.values():
            body = []
            for step in block.body:
                if isinstance(step, ir.Assign) and isinstance(step.value, ir.Yield):
                    rule._definitions[step.target.name].remove(step.value)
                    body.append(assign(ir.Expr.call(store, [row, n, step.value.value], (), loc), n))
                    body.append(assign(ir.Const(None, loc), step.target))
                else:
                    body.append(ir.Return(n, loc) if isinstance(step, ir.Return) else step)
            block.body = body
        first.body = [
            assign(ir.Arg(row.name, rule.arg_count, loc), row),
            assign(ir.Const(0, loc), n),
            assign(ir.Global("put", compilable(put), loc), store),
            *first.body,
        ]
        rule.arg_count += 1
        rule.arg_names = (*rule.arg_names, row.name)
        rule.is_generator = state.func_id.is_generator = False
        return True
