"""A dictionary of recent entries."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeVar

T = TypeVar("T")

_MOST_REMEMBERED = 1_000


class Recent(OrderedDict[str, T]):
    """Drops the oldest of more than a thousand. Each change is atomic for other threads."""

    def __setitem__(self, name: str, value: T) -> None:
        super().__setitem__(name, value)
        if len(self) > _MOST_REMEMBERED:
            self.pop(next(iter(self)), None)
