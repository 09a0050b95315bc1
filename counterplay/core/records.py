"""Records: named numbers and arrays in one piece of memory, that Python and compiled code read and write alike.

A search counts in one while it runs, and another thread sets its `stop`. NumPy has such records too (`recarray`), but
finds a name by a dozen steps of Python; here it is one, and a search of 50 nodes has hundreds of them.

Whether something is used may be a field, `use_rave` beside `rave`. A kind of record that has no such field says so
itself: `record.use_rave` is whether there is a field `rave`. Compiled code for that kind then has nothing of what it
does not use, and does not ask.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

__all__ = ["USE", "new_record", "record_type"]

USE = "use_"
"""How names begin that say whether something is used."""


def record_type(fields: Sequence[tuple[Any, ...]]) -> np.dtype[Any]:
    """A kind of record, from the names, types and, for arrays, shapes of its fields."""
    names: dict[str, Any] = {name: property(itemgetter(name), _setter(name)) for name, *_ in fields}
    return np.dtype((type("Record", (np.void,), {**names, "__getattr__": _is_used}), list(fields)))


def _setter(name: str) -> Callable[[Any, Any], None]:
    def put(record: Any, value: Any) -> None:
        record[name] = value

    return put


def _is_used(record: Any, name: str) -> bool:
    """What a name means that is no field."""
    if not name.startswith(USE):
        raise AttributeError(f"a record has no '{name}'")
    return name.removeprefix(USE) in record.dtype.names


def new_record(kind: np.dtype[Any]) -> Any:
    """A record of that kind, all zeros; `record.name` is one of its fields."""
    return np.zeros(1, kind)[0]
