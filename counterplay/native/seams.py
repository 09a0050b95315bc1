"""The names inside Numba that we stand on, each with what it is for.

Numba says how to extend it: `numba.extending`, `njit`, the types. Games as types, rules that are linked and machine
code on disk need more, which another Numba may have moved. All of that is imported and looked at here, and only here.
If something is missing, there is no compiler: everything runs interpreted, and one line says why.
"""

from __future__ import annotations

from typing import Any

from counterplay.native import NoCompiler

__all__ = ["AbstractTemplate", "AttributeTemplate", "CompileResult", "Compiler", "DefaultPassBuilder", "Flags"]
__all__ += ["FunctionIdentity", "FunctionPass", "JITCodeLibrary", "Loc", "NumbaError", "RefType", "RuntimeLinker"]
__all__ += ["TranslateByteCode", "TypingError", "cgutils", "compile_extra", "config", "cpu_target", "dumps"]
__all__ += ["impl_ret_untracked", "infer_getattr", "infer_global", "iternext_impl", "lookup_environment"]
__all__ += ["FixupArgs", "InlineClosureLikes", "NopythonRewrites", "OverloadTemplate", "PassManager", "TypeInferer"]
__all__ += ["CPUCallConv", "CPUContext", "NRTContext", "PostProcessor", "VariableLifetime", "canonicalize_cfg", "event"]
__all__ += ["global_compiler_lock", "llvm", "new_error_context"]
__all__ += [
    "lower_constant",
    "lower_getattr_generic",
    "numba_ir",
    "register_pass",
    "runtime",
    "signature",
    "tuple_setitem",
]

try:
    import numba
except ImportError as error:
    raise NoCompiler(f"Numba cannot be imported: {' '.join(str(error).split())}") from None


def _unknown(what: str) -> NoCompiler:
    return NoCompiler(f"Numba {numba.__version__} is newer than what Counterplay knows ({what})")


try:
    # LLVM itself, to say what it inlines.
    import llvmlite.binding as llvm

    # The items of a tuple; the switches that machine code depends on; a function before it has types.
    import numba.cpython.hashing
    from numba.core import cgutils, config, event
    from numba.core import ir as numba_ir

    # Numba's count of functions, which is part of their symbols.
    from numba.core.bytecode import FunctionIdentity

    # How compiled functions call each other.
    from numba.core.callconv import CPUCallConv

    # Where compiled code is kept: one of our own makes no machine code, for rules that are linked into a search.
    from numba.core.codegen import JITCodeLibrary, RuntimeLinker

    # The compiler with that library, or with one more pass; what it makes, to be written to disk.
    from numba.core.compiler import Compiler, CompileResult, DefaultPassBuilder, Flags, compile_extra, run_frontend
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.compiler_machinery import FunctionPass, PassManager, register_pass

    # What is known of a type by the processor, and of a value that is reference-counted.
    from numba.core.cpu import CPUContext

    # What linked functions look for at run time.
    from numba.core.environment import lookup_environment

    # What went wrong. (Where: `Loc`.)
    from numba.core.errors import NumbaError, TypingError, new_error_context  # type: ignore[attr-defined]

    # Going through a `Bits`; constants of types of our own, and the attributes of a game.
    from numba.core.imputils import RefType, impl_ret_untracked, iternext_impl, lower_constant, lower_getattr_generic
    from numba.core.ir import Loc

    # How long variables live.
    from numba.core.postproc import PostProcessor, VariableLifetime

    # Python's objects made and read by machine code.
    from numba.core.pythonapi import PythonAPI

    # The processor that all is compiled for.
    from numba.core.registry import cpu_target

    # What machine code calls as it runs. (Hashes have a secret, which is looked for by its name.)
    from numba.core.runtime import rtsys as runtime
    from numba.core.runtime.context import NRTContext

    # Types in a form that another process can read.
    from numba.core.serialize import dumps
    from numba.core.transforms import canonicalize_cfg

    # Passes: after which ours come, or that are left out where there is nothing for them to do.
    from numba.core.typed_passes import NopythonRewrites

    # Finding types, and what a function returns that calls itself.
    from numba.core.typeinfer import TypeInferer

    # The types of a game's attributes and methods, and of the constructor `Bits`.
    from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature

    # Functions of Numba's own that are written in Python.
    from numba.core.typing.templates import _OverloadFunctionTemplate as OverloadTemplate
    from numba.core.untyped_passes import FixupArgs, InlineClosureLikes, TranslateByteCode

    # A tuple with one item replaced.
    from numba.cpython.unsafe.tuple import tuple_setitem
except ImportError as error:
    raise _unknown(str(error).partition(" (")[0]) from None


def _must_have(thing: Any, names: str) -> None:
    for name in names.split():
        if not hasattr(thing, name):
            raise _unknown(f"{getattr(thing, '__name__', type(thing).__name__)} has no {name}")


def _look() -> None:
    """What is used of these objects; some of it is there only once one is made."""
    _must_have(CompileResult, "_rebuild _reduce entry_point")
    _must_have(FunctionIdentity, "_unique_ids")
    _must_have(RuntimeLinker, "PREFIX")
    _must_have(runtime, "initialize")
    _must_have(Flags, "no_cpython_wrapper no_cfunc_wrapper")
    _must_have(DefaultPassBuilder, "define_nopython_pipeline")
    _must_have(JITCodeLibrary, "_ensure_finalized _finalize_final_module _optimize_final_module")
    _must_have(JITCodeLibrary, "get_defined_functions get_pointer_to_function")
    _must_have(JITCodeLibrary, "add_ir_module add_linking_library enable_object_caching has_dynamic_globals")
    _must_have(config, "BOUNDSCHECK OPT DEBUGINFO_DEFAULT ENABLE_AVX")
    _must_have(cgutils, "alloca_once unpack_tuple")
    _must_have(CPUCallConv, "call_function")
    _must_have(numba_ir, "Arg Assign Const Expr Global Return Var Yield")
    _must_have(PythonAPI, "c_api_error call_function_objargs decref object_getattr_string serialize_object unserialize")
    _must_have(PythonAPI, "long_as_longlong long_as_ulonglong long_from_longlong long_from_ulonglong")
    _must_have(PythonAPI, "number_and number_lshift number_or number_rshift")

    _must_have(OverloadTemplate, "_get_jit_decorator")
    _must_have(PassManager, "_runPass add_pass_after finalize")
    _must_have(PostProcessor, "run")
    _must_have(NRTContext, "get_meminfos")
    _must_have(CPUContext, "get_abi_sizeof load_additional_registries")
    _must_have(event, "start_event end_event")
    _must_have(TypeInferer, "return_types_from_partial")

    _must_have(cpu_target, "options typing_context target_context")
    _must_have(cpu_target.options, "parse_as_flags")
    _must_have(cpu_target.typing_context, "_registries refresh resolve_function_type resolve_value_type")
    context = cpu_target.target_context
    _must_have(type(context), "active_code_library call_internal cast codegen get_constant get_constant_generic")
    _must_have(type(context), "get_data_type get_dummy_value get_function get_value_type make_helper make_tuple")
    _must_have(type(context), "pack_value refresh unpack_value")
    _must_have(context, "_registries typing_context")
    _must_have(context.codegen(), "create_library magic_tuple set_env")
    library = context.codegen().create_library("counterplay")
    _must_have(library, "_codegen _final_module _finalized")
    _must_have(library._final_module, "global_variables")
    _must_have(numba.njit(_nothing), "_cache get_call_template is_compiling overloads")
    function = run_frontend(_nothing)
    _must_have(function, "_definitions arg_count arg_names blocks func_id is_generator loc")
    _must_have(function.func_id, "is_generator")


def _nothing() -> None:
    pass


try:
    _look()
except (AttributeError, TypeError) as error:  # made in another way than we know
    raise _unknown(str(error)) from None
