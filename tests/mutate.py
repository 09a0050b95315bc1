"""Would the tests notice? Small faults put into the code, one at a time, and the tests run against each.

    python tests/mutate.py counterplay/search/table.py counterplay/search/limits.py --number 40 --seed 1

A mutant is one changed comparison, sum, constant, `and`/`or` or `min`/`max` in a function's body, in a copy of the
project in a temporary folder. Killed: a test fails, or the tests take three times as long as they should. A mutant
that lives is a test that is missing, or a fault that is none, since the code does the same with it.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent.parent
_COPIED = ("counterplay", "tests", "docs", "examples", "benchmarks", "README.md", "CONTRIBUTING.md", "pyproject.toml")
_OTHER_OPERATOR: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
_OTHER_NAME = {"min": "max", "max": "min"}


class Mutant(NamedTuple):
    """A file with one fault in it."""

    line: int
    before: str
    after: str
    text: str
    """The whole file."""


def mutants(text: str) -> list[Mutant]:
    """Every mutant of a file."""
    tree = ast.parse(text)
    found = []
    for place, node in enumerate(ast.walk(tree)):
        for change in range(_changes(node)):
            changed = copy.deepcopy(tree)
            other = next(each for i, each in enumerate(ast.walk(changed)) if i == place)
            before = ast.unparse(node)
            _change(other, change)
            if _is_in_a_function(tree, node):
                found.append(Mutant(node.lineno, before, ast.unparse(other), ast.unparse(changed)))
    return found


def _changes(node: ast.AST) -> int:
    """In how many ways a node can be changed."""
    if isinstance(node, ast.Compare):
        return sum(type(each) in _OTHER_OPERATOR for each in node.ops)
    if isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp):
        return int(type(node.op) in _OTHER_OPERATOR)
    if isinstance(node, ast.Name):
        return int(node.id in _OTHER_NAME)
    return int(isinstance(node, ast.Constant) and type(node.value) in (int, float, bool))


def _change(node: ast.AST, number: int) -> None:
    if isinstance(node, ast.Compare):
        places = [i for i, each in enumerate(node.ops) if type(each) in _OTHER_OPERATOR]
        node.ops[places[number]] = _OTHER_OPERATOR[type(node.ops[places[number]])]()  # type: ignore[call-overload]
    elif isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp):
        node.op = _OTHER_OPERATOR[type(node.op)]()  # type: ignore[assignment]
    elif isinstance(node, ast.Name):
        node.id = _OTHER_NAME[node.id]
    elif isinstance(node, ast.Constant):
        node.value = not node.value if isinstance(node.value, bool) else node.value + 1  # type: ignore[operator]


def _is_in_a_function(tree: ast.AST, node: ast.AST) -> bool:
    """Whether it is part of what a function does, not of its types or of what stands around it."""
    functions = (each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef))
    return any(node in ast.walk(statement) for function in functions for statement in function.body)


def concerning(file: Path) -> list[str]:
    """The tests of a file, the quick ones first: its own, and those that import it."""
    module = ".".join(file.with_suffix("").parts)
    own = HERE / "tests" / f"test_{file.stem}.py"
    others = [
        each for each in sorted((HERE / "tests").glob("test_*.py")) if f"from {module} import" in each.read_text()
    ]
    chosen = [*([own] if own.exists() else []), *(each for each in others if each != own)]
    chosen.sort(key=lambda each: each.stat().st_size)
    return [str(each.relative_to(HERE)) for each in chosen] or ["tests/test_signature.py"]


def outcome(where: Path, tests: list[str], seconds: float | None = None) -> str:
    """`lives` if all tests pass, else what killed it."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-n",
        "0",
        "-m",
        "not slow",
        "-p",
        "no:cacheprovider",
        *tests,
    ]
    environment = {**os.environ, "PYTHONPATH": str(where), "COUNTERPLAY_QUIET": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    environment["COUNTERPLAY_CACHE_DIR"] = str(where / "cache")
    try:
        done = subprocess.run(
            command, cwd=where, env=environment, timeout=seconds, capture_output=True, text=True, check=False
        )
    except subprocess.TimeoutExpired:
        return "killed: too slow"
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if done.returncode == 0:
        return "lives"
    return f"killed by {failed[0].split()[1] if failed else f'status {done.returncode}'}"


def trial(files: list[Path], number: int, seed: int, tests: list[str]) -> Iterator[tuple[Path, Mutant, str]]:
    """Some mutants of the files, each with what became of it."""
    chosen = [(file, mutant) for file in files for mutant in mutants((HERE / file).read_text())]
    random.Random(seed).shuffle(chosen)
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        for name in _COPIED:
            source = HERE / name
            if source.is_dir():
                shutil.copytree(source, where / name, ignore=shutil.ignore_patterns("__pycache__"))
            elif source.exists():
                shutil.copy(source, where / name)
        usual: dict[Path, float] = {}
        for file, mutant in chosen[:number]:
            run = tests or concerning(file)
            if file not in usual:
                began = time.perf_counter()
                if (without_fault := outcome(where, run)) != "lives":
                    raise SystemExit(f"the tests of {file} fail without a fault: {without_fault}")
                usual[file] = time.perf_counter() - began
            (where / file).write_text(mutant.text)
            yield file, mutant, outcome(where, run, 3 * usual[file] + 60)
            shutil.copy(HERE / file, where / file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="as seen from the project's folder")
    parser.add_argument("--number", type=int, default=20, help="how many mutants, chosen by the seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tests", nargs="*", default=[], help="instead of those that belong to the file")
    given = parser.parse_args()
    alive = 0
    for file, mutant, what in trial(given.files, given.number, given.seed, given.tests):
        alive += what == "lives"
        print(f"{what:60} {file}:{mutant.line}: {mutant.before} -> {mutant.after}", flush=True)
    print(f"{alive} live")
    sys.exit(1 if alive else 0)


if __name__ == "__main__":
    main()
