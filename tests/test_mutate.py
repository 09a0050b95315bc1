"""The script that puts faults into the code finds the obvious ones, and what no test notices."""

from pathlib import Path

import pytest

from tests.mutate import HERE, concerning, mutants, outcome, trial

pytestmark = pytest.mark.rare

TEXT = """
LIMIT = 3

def within(x: int = 5):
    '''Whether x is small, or 7.'''
    return 0 < x < LIMIT or min(x, 7) == 7 + 0
"""


def test_every_comparison_sum_constant_and_choice_is_changed_once():
    found = {(each.before, each.after) for each in mutants(TEXT)}
    assert {("0 < x < LIMIT", "0 <= x < LIMIT"), ("0 < x < LIMIT", "0 < x <= LIMIT"), ("min", "max")} <= found
    assert {("7 + 0", "7 - 0"), ("7", "8"), ("0", "1")} <= found
    assert any(before.startswith("0 < x") and " and " in after for before, after in found)
    assert not any("3" in before or "5" in before for before, _ in found)  # what is not in a function stays
    assert all(compile(each.text, "mutant", "exec") and each.text != TEXT for each in mutants(TEXT))


def test_a_fault_that_a_test_sees_is_killed_and_one_that_none_looks_for_lives(tmp_path):
    (tmp_path / "test_rule.py").write_text("from rule import within\ndef test(): assert within(2) and not within(3)\n")
    results = {}
    for each in mutants(TEXT):
        (tmp_path / "rule.py").write_text(each.text)
        if each.before in ("0 < x < LIMIT", "7 + 0"):
            results[each.after] = outcome(tmp_path, ["test_rule.py"])
    assert results["0 < x <= LIMIT"].startswith("killed by test_rule.py")
    assert results["0 <= x < LIMIT"] == "lives"
    (tmp_path / "rule.py").write_text(TEXT.replace("return", "while True: pass\n    return"))
    assert outcome(tmp_path, ["test_rule.py"], 5) == "killed: too slow"


def test_the_tests_of_a_file_are_found_and_run_in_a_copy():
    file = Path("counterplay/search/limits.py")
    assert "tests/test_alphabeta.py" in concerning(file)
    assert concerning(Path("counterplay/games/nim.py"))
    before = (HERE / file).read_text()
    (tried, _, what), *_ = trial(
        [file], 1, 0, ["tests/test_mutate.py::test_every_comparison_sum_constant_and_choice_is_changed_once"]
    )
    assert (tried, what) == (file, "lives")  # a test that has nothing to do with it
    assert (HERE / file).read_text() == before
