"""Why Numba cannot compile something, in the words of someone who wrote rules: file, line, reason, advice."""

from __future__ import annotations

import dis
import inspect
import operator
import re
import sysconfig
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType

from counterplay.core.game import Game
from counterplay.native.seams import Loc

# What Numba says, and what it means to the author of a game. The first that fits is told.
_MEANINGS = (
    (r"(\w+ has no '\w+'(?:; did you mean '\w+'\?)?|a Bits is sometimes None here.*|a Memory [^\n]*)", r"\1"),
    (r"Untyped global name 'super'", r"super() cannot be compiled: give the parent's method a name of its own"),
    (r"Untyped global name '(\w+)': Int value is too large", r"'\1' does not fit 64 bits"),
    (r"Int value is too large: (\d+)", r"\1 does not fit 64 bits"),
    (r"Untyped global name '([\w.]+)'.*?<class 'type'>", r"'\1' is a class: reach it through the game, as self.State"),
    (r"Untyped global name '([\w.]+)'.*?<class '([\w.]+)'>", r"'\1' is a \2, which compiled rules cannot use"),
    (
        r"The use of a reflected (\w+)\((.*?)\).*? type, assigned to variable '(\w+)' in globals",
        r"'\3' is a \1 of \2, which could change while compiled rules could not: make it a tuple",
    ),
    (r"Unknown attribute '_replace' of type (\w+)", r"\1._replace cannot be compiled: write \1(...) with every field"),
    (r"Unknown attribute '(\w+)' of type Module\(<module '([\w.]+)'", r"\2.\1 cannot be used in compiled rules"),
    (r"Unknown attribute '(\w+)' of type Function\(<.*?([\w]+)'?>\)", r"\2.\1 cannot be used in compiled rules"),
    (r"Unknown attribute '(\w+)' of type (\w+)", r"\2 has no '\1'"),
    (
        r"Cannot unify (\w+)(\(.*\)) and \1(\(.*\)) for '",
        r"the fields of \1 are sometimes \2 and sometimes \3; a field keeps its type all game long",
    ),
    (r"Cannot unify (\S.*?) and (\S.*?) for '\$", r"a value is sometimes \1 and sometimes \2"),
    (r"Cannot unify (\S.*?) and (\S.*?) for '(\w+?)(?:\.\d+)?'", r"'\3' is sometimes \1 and sometimes \2"),
    (r"Can't unify return type .*?: (.*)", r"values of different types are returned: \1"),
    (r"Cannot bind '.*?' to signature '(.*?)' due to \"TypeError: (.*?)\"", r"a call does not fit \1: \2"),
    (r"In '<class '[\w.<>]*?(\w+)'>': (.*)", r"a call of \1: \2"),
    (r"No definition for lowering .*\.(\w+) = ", r"'\1' cannot be set: a game and its states do not change"),
    (r">>> setitem\((?:Uni)?Tuple", r"a tuple does not change: use replace(items, i, item)"),
    (r">>> setitem\(Cells", r"Cells do not change: use replace(items, i, item)"),
    (r">>> getitem\(Cells\(.*?\), slice", r"a part of Cells is [first:end], without a step: write a loop"),
    (
        r">>> getitem\((?:Uni)?Tuple\(.*\), slice",
        r"a part of a tuple has bounds that are written out, as in items[1:3]; to change an item use "
        r"replace(items, i, item), for all else write a loop or use Cells",
    ),
    (r">>> exception_match", r"of the exceptions only `except:` and `except Exception:` can be compiled"),
    (r">>> Bits\(int\d*", r"the width of a Bits must be known beforehand: a number or an attribute of the game"),
    (
        r">>> Cells\(",
        r"in rules, Cells(most, items) has a tuple of items and a range known beforehand: a number or an attribute of "
        r"the game; all else can be made in a cached_property",
    ),
    (r">>> (\w+)\((.*)\)\s*\n", r"\1(\2) is not possible"),
    (
        r"The use of yield in a closure",
        r"a generator expression cannot be compiled: write a loop, or a list as in any([...])",
    ),
    (r"Type of variable '(\w+?)(?:\.\d+)?' cannot be determined", r"the type of '\1' cannot be found out"),
    (r"Cannot infer the type of variable '(\w+?)(?:\.\d+)?'", r"the type of '\1' cannot be found out"),
    (r"non-precise type (\w+)", r"the type of a value cannot be found out"),
    (r"runaway recursion", r"a function that calls itself needs a `return` that does not"),
    (r"Illegal IR, del found", r"`del` cannot be compiled"),
    (r"Unsupported use of cell variable", r"an inner function uses a name that is bound after it, such as its own"),
    (r"The 'with .*?' construct", r"`with` cannot be compiled"),
    (r"opcode \(GET_YIELD_FROM_ITER\)", r"`yield from` cannot be compiled: write a loop that yields"),
    (r"opcode \(LOAD_BUILD_CLASS\)", r"a class inside a rule cannot be compiled: define it outside"),
    (r"opcode \(IMPORT_NAME\)", r"an import inside a rule cannot be compiled: import at the top of the file"),
    (r"opcode \((\w+)\)", r"a statement here cannot be compiled (\1)"),
    (r"NameError: (.*)", r"\1"),
    (r"[Cc]annot determine Numba type of (?:value )?<class '(.*?)'>", r"a \1 cannot be used in compiled rules"),
)

_OPERATIONS = (
    "and_& or_| xor^ add+ sub- mul* truediv/ floordiv// mod% pow** lshift<< rshift>> eq== ne!= lt< le<= gt> ge>="
)
_SYMBOLS = dict(re.findall(r"(\w+)(\S+)", _OPERATIONS))

_COMPILER_SAYS = re.compile(r"Failed in|- Resolution failure|During: |None$|Rejected as|There (are|is) \d+|$")


def explain(error: BaseException, game: Game) -> str:
    """One line: where the trouble is, and what it is."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    file, line = _place(error, text, game)
    return f"{Path(file).name}:{line}: {_meaning(error, text)}"


# ---- what it is


def _meaning(error: BaseException, text: str) -> str:
    if isinstance(error, RecursionError):
        return "the rules call each other too deeply; write a loop"
    for pattern, meaning in _MEANINGS:
        match = re.search(pattern, text)
        if match:
            return _plain(match.expand(meaning))
    own = [line.strip() for line in text.splitlines() if not _COMPILER_SAYS.match(line.strip())]
    return _plain(own[0]) if own else f"the compiler gives up ({type(error).__name__})"


def _plain(text: str) -> str:
    """Types and operations as Python writes them."""
    text = re.sub(r"\bLiteral\[(\w+)\]\((.*?)\)", r"\1", text)
    text = re.sub(r"\b(?:u?int|intp)(?:8|16|32|64)?\b", "int", text)
    text = re.sub(r"\bfloat(?:32|64)\b", "float", text)
    text = re.sub(r"\bunicode_type\b", "str", text)
    text = re.sub(r"\bboolean\b|\bbool_\b", "bool", text)
    text = re.sub(r"\bnone\b", "None", text)
    text = re.sub(r"\bOptionalType\((.*?)\)", r"\1 or None", text)
    text = re.sub(r"\b(?:Function|type)\(<.*?(\w+)'?>\)", r"\1", text)
    text = re.sub(r"\b(?:reflected )?(list|set)\((.*?)\)(?:<iv=.*?>)?", r"\1 of \2", text)
    text = re.sub(r"\bslice<(.*?)>", r"\1", text)
    text = re.sub(r"\brange_(?:state|iter)_int\w*", "range", text)
    text = re.sub(r"\w+(?::[^\s#]*)?#[0-9a-f]{32}", "the game", text)
    text = re.sub(r"\bcounterplay\.games\._files\.\w+\.|__main__\.", "", text)
    text = re.sub(r"\bNumba\b", "the compiler", text, flags=re.IGNORECASE)
    text = re.sub(r"^(i?)(\w+)\((.*)\)(?= is not possible)", _operation, text)
    return re.sub(r"\s+", " ", text).strip()


def _operation(match: re.Match[str]) -> str:
    """`and_(Bits(9), int)` as `Bits(9) & int`."""
    inplace, name, arguments = match.groups()
    first, *rest = _split(arguments)
    if name == "getitem" and len(rest) == 1:
        return f"{first}[{rest[0]}]"
    if name.startswith("_") and first.startswith("Bits("):
        return f"{first}.{name[1:]}({', '.join(rest)})"
    if hasattr(operator, inplace + name) and name in _SYMBOLS and len(rest) == 1:
        return f"{first} {_SYMBOLS[name]}{'=' * bool(inplace)} {rest[0]}"
    return f"{inplace}{name}({arguments})"


def _split(arguments: str) -> list[str]:
    """The parts between commas outside brackets."""
    parts, depth = [""], 0
    for character in arguments:
        depth += (character in "([{<") - (character in ")]}>")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


# ---- where it is


def _place(error: BaseException, text: str, game: Game) -> tuple[str, int]:
    """The line of the user's own files at fault, the deepest call first; the class if no line is known."""
    files = {str(Path(file).resolve()) for cls in type(game).__mro__[:-2] if (file := _file(cls))}
    for file, line in (*_places_of_names(text, game), *_places_in(text), *_places_on_the_way(error)):
        path = str(Path(file).resolve())
        if path in files or not path.startswith(_NOT_THE_USERS):
            return path, line
    return _file(type(game)) or type(game).__name__, _first_line(type(game))


_NOT_THE_USERS = (
    *(str(Path(sysconfig.get_path(name)).resolve()) for name in ("stdlib", "purelib", "platlib")),
    str(Path(__file__).resolve().parent.parent),
)


def _places_in(text: str) -> Iterator[tuple[str, int]]:
    """`File "nim.py", line 12` and `typing of call at /home/me/nim.py (12)`, as the message has them."""
    for match in re.finditer(r'File "(.+?)", line (\d+)|(?:at|from|location:) (\S[^()\n]*) \((\d+)\)', text):
        yield match[1] or match[3], int(match[2] or match[4])


def _places_on_the_way(error: BaseException) -> Iterator[tuple[str, int]]:
    """The lines that the compiler was at when the error passed, from the innermost."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    for frame in reversed(frames):
        for place in (frame.f_locals.get("loc"), getattr(frame.f_locals.get("self"), "loc", None)):
            if isinstance(place, Loc):
                yield place.filename, place.line


def _places_of_names(text: str, game: Game) -> Iterator[tuple[str, int]]:
    """Where the game's own files use a name that nothing defines; the message speaks of the caller only."""
    match = re.search(r"name '(\w+)' is not defined", text)
    if match is None:
        return
    for cls in type(game).__mro__[:-2]:
        module = inspect.getmodule(cls)
        for value in (*vars(cls).values(), *(vars(module).values() if module else ())):
            if isinstance(value, FunctionType):
                yield from _uses(value.__code__, match[1])


def _uses(code: CodeType, name: str) -> Iterator[tuple[str, int]]:
    for instruction in dis.get_instructions(code):
        line = instruction.positions.lineno if instruction.positions else None
        if line and instruction.argval == name and instruction.opname == "LOAD_GLOBAL":
            yield code.co_filename, line
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _uses(const, name)


def _file(cls: type) -> str | None:
    try:
        return inspect.getfile(cls)
    except (TypeError, OSError):
        return None


def _first_line(cls: type) -> int:
    try:
        return inspect.getsourcelines(cls)[1]
    except (TypeError, OSError):
        return 1
