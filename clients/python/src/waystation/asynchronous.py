"""
For adapters whose framework needs each method twice: asynchronous forms of blocking methods, which run them in threads. They have the
methods' signatures, and their names after an `a`, because frameworks check both.

    class Saver:
        def put(self, value): ...

        aput = in_thread(put)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any, Callable, TypeVar

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")

T = TypeVar("T")


def in_thread(method: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]:
    """The asynchronous form of a method: it calls the method of this name, which a subclass may override."""

    @wraps(method)
    async def run(self: Any, /, *args: P.args, **options: P.kwargs) -> T:
        result: T = await asyncio.to_thread(getattr(self, method.__name__), *args, **options)
        return result

    return _named_after(method, run)


def each_in_thread(method: Callable[Concatenate[Any, P], Iterator[T]]) -> Callable[Concatenate[Any, P], AsyncIterator[T]]:
    """The same for a method that returns an iterator, none of whose items is None."""

    @wraps(method)
    async def run(self: Any, /, *args: P.args, **options: P.kwargs) -> AsyncIterator[T]:
        found = getattr(self, method.__name__)(*args, **options)
        while (one := await asyncio.to_thread(next, found, None)) is not None:
            yield one

    return _named_after(method, run)


def _named_after(method: Callable[..., Any], made: T) -> T:
    owner, dot, name = method.__qualname__.rpartition(".")
    made.__name__, made.__qualname__ = f"a{name}", f"{owner}{dot}a{name}"  # type: ignore[attr-defined]
    return made
