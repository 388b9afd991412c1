"""Process forks, for objects outside any client."""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class Forked(Protocol):
    """State that a child process must not share, such as a lock that another thread of the parent held."""

    def after_fork(self) -> None:
        """Called in the child."""


_all: weakref.WeakSet[Forked] = weakref.WeakSet()


def tell_of_forks(one: Forked) -> None:
    _all.add(one)


def _after_fork() -> None:
    for one in list(_all):
        one.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
