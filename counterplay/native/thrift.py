"""What Numba does for every function and nothing comes of it, left out while a function of ours is compiled.

Only the last changes the machine code. It is much for a search, which has fifty functions to a hundred and fifty:

- Python looks for garbage every time that there are 700 objects more, and for a compiler there always are.
- Each variable that goes out of use is taken apart, to find arrays in it to be counted. A state has none.
- How long variables live is worked out after each of five passes, and asked after the last.
- The size of a type is found by having LLVM read a text with it.
- Every call of LLVM and every pass is announced, with its details, in case that somebody measures it.
- Whether there is SciPy is found out by importing all of its linear algebra.
- The places for what calls return, and for what they raise, are cleared when a function begins, whether it will call or
  not: alpha-beta on chess had 28 of them to clear for each state.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from counterplay.native.inference import are_answers_kept
from counterplay.native.seams import (
    CPUCallConv,
    CPUContext,
    NRTContext,
    PostProcessor,
    VariableLifetime,
    canonicalize_cfg,
    cgutils,
    event,
)

__all__ = ["garbage_kept"]


@contextmanager
def garbage_kept() -> Iterator[None]:
    """Inside, Python does not look for garbage."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


# ---- counting references

_get_counted = NRTContext.get_meminfos


def _counted(context: Any, builder: Any, typ: Any, value: Any) -> Any:
    """What is reference-counted inside a value."""
    return _get_counted(context, builder, typ, value) if _is_counted(context._context, typ) else []


@cache
def _is_counted(context: Any, typ: Any) -> bool:
    return bool(context.data_model_manager[typ].contains_nrt_meminfo())


NRTContext.get_meminfos = _counted


# ---- the lives of variables

_process = PostProcessor.run


def _process_when_needed(processor: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Go over a function after a pass. Lives are worked out if somebody asks, as the last pass and generators do."""
    function = processor.func_ir
    if emit_dels or function.is_generator or not are_answers_kept():
        _process(processor, emit_dels, extend_lifetimes)
        return
    function.blocks = canonicalize_cfg(function.blocks)
    function.variable_lifetime = VariableLifetime(function.blocks)
    function.generator_info = None


PostProcessor.run = _process_when_needed


# ---- sizes of types

_size_of = CPUContext.get_abi_sizeof
_sizes: dict[str, int] = {}


def _known_size(context: Any, typ: Any) -> int:
    text = str(typ)
    if "%" in text:  # a type by its name, which says little
        return int(_size_of(context, typ))
    if text not in _sizes:
        _sizes[text] = _size_of(context, typ)
    return _sizes[text]


CPUContext.get_abi_sizeof = _known_size


# ---- announcements

_start, _end = event.start_event, event.end_event


def _start_if_heard(kind: str, data: Any = None) -> None:
    if not are_answers_kept():
        _start(kind, data)


def _end_if_heard(kind: str, data: Any = None, exc_details: Any = None) -> None:
    if not are_answers_kept():
        _end(kind, data, exc_details)


event.start_event, event.end_event = _start_if_heard, _end_if_heard


# ---- zeros

_call, _allocate = CPUCallConv.call_function, cgutils.alloca_once
_is_calling = ContextVar("is_calling", default=False)


def _call_without_zeros(convention: Any, *args: Any, **options: Any) -> Any:
    """Call a function, which writes what it returns, or what it raises, before somebody reads it."""
    calling = _is_calling.set(are_answers_kept())
    try:
        return _call(convention, *args, **options)
    finally:
        _is_calling.reset(calling)


def _allocate_without_zeros(builder: Any, kind: Any, *args: Any, **options: Any) -> Any:
    """Room on the stack, which is cleared only if it is for something else than a call."""
    place = _allocate(builder, kind, *args, **options)
    if _is_calling.get():
        block, current = builder.function.entry_basic_block, builder.basic_block
        zeros = [each for each in block.instructions if each.opname == "store" and each.operands[1] is place]
        block.instructions[:] = [each for each in block.instructions if each not in zeros]
        builder.position_at_end(current)
    return place


CPUCallConv.call_function, cgutils.alloca_once = _call_without_zeros, _allocate_without_zeros


# ---- linear algebra

_load_arrays = CPUContext.load_additional_registries


def _load_arrays_only(context: Any) -> None:
    """Load what Numba knows of arrays; SciPy when somebody multiplies matrices."""
    if "numba.np.arraymath" in sys.modules:
        _load_arrays(context)
        return
    algebra: Any = importlib.import_module("numba.np.linalg")
    ensure_there_is_scipy, algebra.ensure_blas = algebra.ensure_blas, _ensure_scipy_can_be_found
    try:
        _load_arrays(context)
    finally:
        algebra.ensure_blas = ensure_there_is_scipy


def _ensure_scipy_can_be_found() -> None:
    if importlib.util.find_spec("scipy") is None:
        raise ImportError("there is no SciPy")


CPUContext.load_additional_registries = _load_arrays_only
