"""The main script under a name that means the same in every process: a class of it can be found by this module's name.

Machine code on disk refers to classes by module and name, and what is `__main__` to one program is not to another.
"""

from __future__ import annotations

import sys
from typing import Any


def __getattr__(name: str) -> Any:
    return getattr(sys.modules["__main__"], name)
