"""Records: the same memory for Python and for compiled code."""

import numpy as np

from counterplay import games
from counterplay.core.records import new_record, record_type
from counterplay.native import native

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
