"""The compiled twins of what `primitives` does with all actions of a state at once: list them, count them, pick one.

Rules give their actions by `yield`, one after the other. Compiled as it is, a generator keeps all that it knows in
memory between one action and the next, and that takes longer than to find them: 700 ns for the moves of a chess
position. Here the same rule is compiled with every `yield` made a step of the caller's, such as a store into its row:
60 ns.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

from numba.extending import intrinsic
from numba.types import CPointer, Tuple, intp, unliteral

from counterplay.core import primitives
from counterplay.core.primitives import count, nth
from counterplay.native import source
from counterplay.native.games import GameType, compilable, mark_of
from counterplay.native.linked import LinkedCompiler, overload
from counterplay.native.passes import passes_for
from counterplay.native.seams import (
    Flags,
    FunctionPass,
    TranslateByteCode,
    TypingError,
    cgutils,
    compile_extra,
    cpu_target,
    register_pass,
)
from counterplay.native.seams import numba_ir as ir

# What to do with an action instead of yielding it: the result so far, an argument of the caller's, and the action.


def put(n: int, room: Any, a: int) -> int:
    """Store it as number `n`, if there is room: where it begins, and for how many."""
    first, most = room
    if n < most:
        first[n] = a
    return n + 1


def add_one(n: int, nothing: int, a: int) -> int:
    return n + 1


def pick(found: Any, k: int, a: int) -> Any:
    """Keep number `k`."""
    n, kept = found
    return n + 1, a if n == k else kept


def _folder(step: Callable[..., Any], rule: str = "actions") -> Any:
    """A compiled function that takes this step at every action that a rule gives and returns the last result."""

    @intrinsic
    def fold(typing, game, s, argument, first):  # type: ignore[no-untyped-def]
        args = tuple(map(unliteral, (game, s, argument, first)))
        folded = _compiled(_rule(game, rule), step, args)

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            context.active_code_library.add_linking_library(folded.library)
            return context.call_internal(builder, folded.fndesc, folded.signature, args)

        return folded.signature.return_type(*args), codegen

    return fold


_put_all, _count, _pick = _folder(put), _folder(add_one), _folder(pick)
_put_noisy, _put_quiet = _folder(put, "noisy_actions"), _folder(put, "quiet_actions")
_put_urgent, _put_sound = _folder(put, "urgent_actions"), _folder(put, "sound_actions")


@intrinsic
def _room(typing, row):  # type: ignore[no-untyped-def]
    """A row as an address and a length. An array would be counted as used once more around each action."""
    if row.layout != "C":
        raise TypingError("actions are listed into rows whose numbers stand side by side")

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        array = cgutils.create_struct_proxy(row)(context, builder, args[0])
        return context.make_tuple(builder, sig.return_type, (array.data, array.nitems))

    return Tuple((CPointer(row.dtype), intp))(row), codegen


def put_each(actions: Any, row: Any) -> int:
    """Store all that a rule returns, which has no `yield`; how many they are."""
    n = 0
    for a in actions:
        if n < len(row):
            row[n] = a
        n += 1
    return n


_put_each = compilable(put_each)


@overload(primitives.list_actions)
def _list_actions(game, s, row):  # type: ignore[no-untyped-def]
    if inspect.isgeneratorfunction(_rule(game)):
        return lambda game, s, row: _put_all(game, s, _room(row), 0)
    return lambda game, s, row: _put_each(game.actions(s), row)


@overload(primitives.list_noisy)
def _list_noisy(game, s, row):  # type: ignore[no-untyped-def]
    if inspect.isgeneratorfunction(_rule(game, "noisy_actions")):
        return lambda game, s, row: _put_noisy(game, s, _room(row), 0)
    return lambda game, s, row: _put_each(game.noisy_actions(s), row)


@overload(primitives.list_quiet)
def _list_quiet(game, s, row):  # type: ignore[no-untyped-def]
    if inspect.isgeneratorfunction(_rule(game, "quiet_actions")):
        return lambda game, s, row: _put_quiet(game, s, _room(row), 0)
    return lambda game, s, row: _put_each(game.quiet_actions(s), row)


@overload(primitives.list_urgent)
def _list_urgent(game, s, row):  # type: ignore[no-untyped-def]
    if inspect.isgeneratorfunction(_rule(game, "urgent_actions")):
        return lambda game, s, row: _put_urgent(game, s, _room(row), 0)
    return lambda game, s, row: _put_each(game.urgent_actions(s), row)


@overload(primitives.list_sound)
def _list_sound(game, s, row):  # type: ignore[no-untyped-def]
    if inspect.isgeneratorfunction(_rule(game, "sound_actions")):
        return lambda game, s, row: _put_sound(game, s, _room(row), 0)
    return lambda game, s, row: _put_each(game.sound_actions(s), row)


@overload(primitives.number_of_actions)
def _number_of_actions(game, s):  # type: ignore[no-untyped-def]
    if inspect.isgeneratorfunction(_rule(game)):
        return lambda game, s: _count(game, s, 0, 0)
    return lambda game, s: count(game.actions(s))


@overload(primitives.nth_action)
def _nth_action(game, s, k):  # type: ignore[no-untyped-def]
    if inspect.isgeneratorfunction(_rule(game)):
        return lambda game, s, k: _pick(game, s, k, (0, 0))[1]
    return lambda game, s, k: nth(game.actions(s), k)


def _rule(game: GameType, name: str = "actions") -> FunctionType:
    return inspect.getattr_static(type(game.game), name)  # type: ignore[no-any-return]


_folded: dict[tuple[Any, ...], Any] = {}


def _compiled(rule: FunctionType, step: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """The rule as a function with two arguments more, the step's and the first result, that returns the last one."""
    if (rule, step, args) not in _folded:
        copy = source.compilable_copy(rule, f"{mark_of(rule)[:12]}_{step.__name__}")
        source.fill(copy, rule, compilable)
        flags = Flags()
        cpu_target.options.parse_as_flags(flags, {"nopython": True, "boundscheck": None, "forceinline": True})
        pipeline = type("Folder", (_Folder,), {"step": step})
        _folded[rule, step, args] = compile_extra(
            cpu_target.typing_context, cpu_target.target_context, copy, args, None, flags, {}, pipeline_class=pipeline
        )
    return _folded[rule, step, args]


class _Folder(LinkedCompiler):
    """Compiles a generator as a function that takes a step at every `yield`."""

    step: Callable[..., Any]

    def define_pipelines(self) -> list[Any]:
        self.state.step = type(self).step
        passes = passes_for(self.state)
        passes.add_pass_after(_StepInsteadOfYield, TranslateByteCode)
        passes.finalize()
        return [passes]


@register_pass(mutates_CFG=False, analysis_only=False)
class _StepInsteadOfYield(FunctionPass):  # type: ignore[misc]
    _name = "step_instead_of_yield"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        rule, loc = state.func_ir, state.func_ir.loc
        first = rule.blocks[min(rule.blocks)]
        argument, result, step = (first.scope.define(f"fold.{name}", loc) for name in ("argument", "result", "step"))
        given = ir.Var(first.scope, "fold.first", loc)

        def assign(value: Any, target: Any) -> ir.Assign:
            rule._definitions[target.name].append(value)
            return ir.Assign(value, target, loc)

        for block in rule.blocks.values():
            body = []
            for each in block.body:
                if isinstance(each, ir.Assign) and isinstance(each.value, ir.Yield):
                    rule._definitions[each.target.name].remove(each.value)
                    body.append(assign(ir.Expr.call(step, [result, argument, each.value.value], (), loc), result))
                    body.append(assign(ir.Const(None, loc), each.target))
                else:
                    body.append(ir.Return(result, loc) if isinstance(each, ir.Return) else each)
            block.body = body
        first.body = [
            assign(ir.Arg(argument.name, rule.arg_count, loc), argument),
            assign(ir.Arg(given.name, rule.arg_count + 1, loc), given),
            assign(given, result),
            assign(ir.Global("step", compilable(state.step), loc), step),
            *first.body,
        ]
        rule.arg_count += 2
        rule.arg_names = (*rule.arg_names, argument.name, given.name)
        rule.is_generator = state.func_id.is_generator = False
        return True
