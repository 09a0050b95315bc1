"""Compiling what is only ever called by compiled code: rules, and the helpers of searches.

Numba makes everything callable from Python: it wraps each function twice and generates machine code for it, though a
search that has inlined it will never call it. What is compiled by `LinkedCompiler` stays in LLVM's intermediate form,
ready to be linked into a caller, and is optimised there. Chess compiles in three fifths of the time.
"""

from __future__ import annotations

from functools import partial
from typing import Any
from weakref import WeakValueDictionary

import numba.extending

from counterplay.native import inlining
from counterplay.native.inference import are_answers_kept
from counterplay.native.passes import passes_for
from counterplay.native.seams import Compiler, JITCodeLibrary, OverloadTemplate, RuntimeLinker, lookup_environment
from counterplay.native.thrift import garbage_kept

_libraries: WeakValueDictionary[str, LinkedLibrary] = WeakValueDictionary()
"""Where a function is defined, by its symbol."""


class EntryLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code with all that is linked into it. See `inlining.py` for what becomes part of its callers."""

    def add_ir_module(self, ir_module: Any) -> None:
        inlining.postpone(ir_module)
        super().add_ir_module(ir_module)

    def _optimize_final_module(self) -> None:
        inlining.decide(self._final_module)
        super()._optimize_final_module()


class LinkedLibrary(EntryLibrary):
    """Code to be linked into other code."""

    has_machine_code = False

    def _optimize_final_module(self) -> None:
        """The caller will be optimised with all that is linked into it."""

    def _finalize_final_module(self) -> None:
        for function in self.get_defined_functions():
            _libraries.setdefault(function.name, self)  # the others have it linked in, and may drop it
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        return self  # whose `set_env` is asked too early

    def set_env(self, name: str, env: Any) -> None:
        """There is no machine code yet that has a place for the environment: see `complete`."""

    def make_machine_code(self) -> None:
        self.has_machine_code = True
        super()._optimize_final_module()
        super()._finalize_final_module()


class RecursiveLibrary(LinkedLibrary):
    """Code that is optimised before it is linked, and then again.

    Only the second time does LLVM see that an array need not be counted as used once more around a call of itself.
    Without this, backgammon takes half as long again to list its plays.
    """

    def _optimize_final_module(self) -> None:
        EntryLibrary._optimize_final_module(self)


class EntryCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler with the library and the passes that we want."""

    library_class: type[EntryLibrary] = EntryLibrary

    def __init__(self, typingctx: Any, targetctx: Any, library: Any, *rest: Any) -> None:
        library = self.library_class(targetctx.codegen(), self.library_class.__name__)
        library.enable_object_caching()
        super().__init__(typingctx, targetctx, library, *rest)

    def compile_extra(self, func: Any) -> Any:
        with garbage_kept():
            return super().compile_extra(func)

    def define_pipelines(self) -> list[Any]:
        return [passes_for(self.state)]


class LinkedCompiler(EntryCompiler):
    """The same with a library that makes no machine code. For functions that Python never calls."""

    library_class = LinkedLibrary

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.state.flags.no_cpython_wrapper = self.state.flags.no_cfunc_wrapper = True


class RecursiveCompiler(LinkedCompiler):
    """The same for functions that call themselves."""

    library_class = RecursiveLibrary


overload = partial(numba.extending.overload, jit_options={"pipeline_class": LinkedCompiler})
"""Numba's `overload`, for implementations that are linked too."""

_get_jit_decorator = OverloadTemplate._get_jit_decorator


def _linked_where_ours(template: Any) -> Any:
    """How Numba compiles its own `min`, `sum` or `abs`: linked like a rule, if it is a rule that calls it."""
    decorator = _get_jit_decorator(template)
    return partial(_with_linking, decorator) if are_answers_kept() else decorator


def _with_linking(decorator: Any, **options: Any) -> Any:
    return decorator(**{"pipeline_class": LinkedCompiler, **options})


OverloadTemplate._get_jit_decorator = _linked_where_ours


def complete(library: JITCodeLibrary) -> None:
    """Give machine code what it looks for at run time, for all functions that were linked into it.

    That is the environments from which they make Python's objects, and functions that are called by an address, as
    Numba does where one calls itself with other types.
    """
    for name in [variable.name for variable in library._final_module.global_variables]:
        environment = lookup_environment(name)
        if environment is not None:
            library._codegen.set_env(name, environment)
        if name.startswith(RuntimeLinker.PREFIX):
            called = _libraries.get(name.removeprefix(RuntimeLinker.PREFIX))
            if called is not None and not called.has_machine_code:
                called.make_machine_code()
                complete(called)
