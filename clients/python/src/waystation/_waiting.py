"""Long waits for asyncio, outside the loop."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import Callable, TypeVar

T = TypeVar("T")

#: Seconds of a thread's single wait, which may outlive its task by as much.
_PIECE = 10.0


async def in_own_thread(wait: Callable[[float], T], timeout: float | None) -> T:
    """`wait`: gets seconds, after which it raises TimeoutError; it is called again until `timeout` is over."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()
    deadline = float("inf") if timeout is None else time.monotonic() + timeout

    def settle(outcome: Callable[[], None]) -> None:
        if not done.done():  # it may have been cancelled
            outcome()

    def waited() -> T:
        while True:
            try:
                return wait(min(_PIECE, max(deadline - time.monotonic(), 0.0)))
            except TimeoutError:
                if time.monotonic() >= deadline or done.done() or loop.is_closed():
                    raise

    def run() -> None:
        try:
            outcome = partial(done.set_result, waited())
        except BaseException as error:
            outcome = partial(done.set_exception, error)
        with suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(settle, outcome)

    threading.Thread(target=copy_context().run, args=(run,), name="waystation-wait", daemon=True).start()
    return await done
