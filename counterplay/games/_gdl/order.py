"""What depends on what: the strongly connected components of a graph, those first that others depend on."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from typing import TypeVar

__all__ = ["components"]

_T = TypeVar("_T", bound=Hashable)


def components(needs: Mapping[_T, Collection[_T]]) -> list[list[_T]]:
    """Groups of things that need each other, in an order in which what is needed comes first (Tarjan 1972).

    What is no key of `needs` is left out. Without recursion, because a sheet may have long chains.
    """
    found: list[list[_T]] = []
    number: dict[_T, int] = {}
    lowest: dict[_T, int] = {}
    waiting: list[_T] = []
    is_waiting: set[_T] = set()
    for root in needs:
        if root in number:
            continue
        path = [(root, iter(needs[root]))]
        number[root] = lowest[root] = len(number)
        waiting.append(root)
        is_waiting.add(root)
        while path:
            here, rest = path[-1]
            for other in rest:
                if other not in needs:
                    continue
                if other not in number:
                    number[other] = lowest[other] = len(number)
                    waiting.append(other)
                    is_waiting.add(other)
                    path.append((other, iter(needs[other])))
                    break
                if other in is_waiting:
                    lowest[here] = min(lowest[here], number[other])
            else:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[here])
                if lowest[here] == number[here]:
                    group: list[_T] = []
                    while not group or group[-1] != here:
                        group.append(waiting.pop())
                        is_waiting.discard(group[-1])
                    found.append(group[::-1])
    return found
