"""Which rules become part of the functions that call them.

To call a small rule costs more than to run it: a state goes through memory. So all rules were inlined. But alpha-beta
makes chess's `result` in five places and `limits` in three, each with all that they call, and LLVM takes more than in
proportion for a function of 14,000 instructions. Here it is decided when everything is linked: what is called in one
place only, or is small with all that becomes part of it, is inlined. The rest is left to LLVM.

llvmlite 0.44 cannot have a function inlined after it was made. With that, all rules are, as ever.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import Any

from counterplay.native.seams import llvm

_SMALL = 4_000
"""Lines of LLVM's of a function that is copied wherever it is called, with all that becomes part of it.

It is not small at all. With 500, LLVM takes half as long for chess, but tree search is a third slower.
"""

_CALL = re.compile(r'call [^@\n]*@"?([^"(\n]+)"?\(')
_wanted: set[str] = set()


def postpone(module: Any) -> None:
    """Take note of what Numba would have inlined, and let nothing be forced yet."""
    if not _can_decide():
        return
    for function in module.functions:
        if "alwaysinline" in function.attributes:
            function.attributes.discard("alwaysinline")
            if not function.is_declaration:
                _wanted.add(function.name)


def decide(module: Any) -> None:
    """Have what is small or called once be made part of its callers, in a module that is about to be optimised."""
    if not _can_decide():
        return
    functions = {each.name: each for each in module.functions if not each.is_declaration}
    texts = {name: str(each) for name, each in functions.items()}
    calls = {name: Counter(_CALL.findall(text)) for name, text in texts.items()}
    places = sum(calls.values(), Counter())
    sizes: dict[str, int] = {}

    def is_inlined(name: str) -> bool:
        return name in _wanted and name in functions and (places[name] == 1 or size(name) <= _SMALL)

    def size(name: str) -> int:
        """Instructions, with those of what is inlined."""
        if name not in sizes:
            sizes[name] = 0  # for one that calls itself
            inner = sum(times * size(each) for each, times in calls[name].items() if is_inlined(each))
            sizes[name] = texts[name].count("\n") + inner
        return sizes[name]

    for name, function in functions.items():
        if is_inlined(name):
            function.add_function_attribute("alwaysinline")


@cache
def _can_decide() -> bool:
    """Whether llvmlite gives the attribute to the function, not to what the function returns."""
    module = llvm.parse_assembly("define void @nothing() { ret void }")
    module.get_function("nothing").add_function_attribute("alwaysinline")
    try:
        module.verify()
    except RuntimeError:
        return False
    return True
