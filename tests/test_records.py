"""Records: the same memory for Python and for compiled code."""

import numpy as np
import pytest

from counterplay import games
from counterplay.core.records import new_record, record_type
from counterplay.native import interpreted, native

KIND = record_type([("count", np.int64), ("share", np.float64), ("row", np.int64, (3,))])


@native
def write(game, record):
    record.count += 1
    record.share = 0.5
    record.row[1] = 7


def test_a_name_is_a_field():
    record = new_record(KIND)
    record.count, record.row[2] = 3, 4
    record.row += 1
    assert (record.count, record.share, list(record.row)) == (3, 0.0, [1, 1, 5])
    assert (record["count"], record.dtype.names) == (3, ("count", "share", "row"))


def test_each_record_has_memory_of_its_own():
    one, other = new_record(KIND), new_record(KIND)
    one.count = 1
    assert other.count == 0


def test_both_modes_write_the_same_memory():
    game, record = games.load("nim"), new_record(KIND)
    write.compiled(game, record)
    write.interpreted(game, record)
    assert (record.count, record.share, list(record.row)) == (2, 0.5, [0, 7, 0])


@native
def told(game, record):
    found = 0
    if record.use_share:
        found += int(2 * record.share)
    if record.use_luck:
        found += record.no_such_field  # which would not compile
    return found


def test_a_kind_of_record_says_what_is_used_where_no_field_does():
    record = new_record(KIND)
    record.share = 2.0
    assert (record.use_share, record.use_luck) == (True, False)
    assert told(games.load("nim"), record) == 4
    with interpreted():
        assert told(games.load("nim"), record) == 4
    with pytest.raises(AttributeError, match="luck"):
        _ = record.luck


def test_a_field_says_it_where_there_is_one():
    record = new_record(record_type([("share", np.float64), ("use_share", np.int64), ("use_luck", np.int64)]))
    record.share = 2.0
    assert not record.use_share
    record.use_share = 1
    assert record.use_share
