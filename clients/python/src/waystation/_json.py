"""Exact JSON: numbers never change."""

from __future__ import annotations

import json
import re
import secrets
from decimal import Decimal
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")
#: A decimal of up to this many digits survives conversion to a float (IEEE 754: 15 digits).
_FLOAT_TEXT = 15
#: Python refuses to create an int of more digits.
_INT_TEXT = 4300


def dumps(value: Any) -> str:
    """
    The JSON text of a value. Integers and `Decimal` are written digit by digit.

    Raises TypeError for values that are not JSON, ValueError for NaN, infinity, circular references and too many levels.
    """
    decimals: list[str] = []
    mark = ""

    def other(unknown: object) -> str:
        nonlocal mark
        if not isinstance(unknown, Decimal):
            raise TypeError(f"{type(unknown).__name__} is not JSON")
        if not unknown.is_finite():
            raise ValueError("a number that is not finite is not JSON")
        mark = mark or secrets.token_hex(16)
        decimals.append(str(unknown))
        return f"{mark}{len(decimals) - 1}."

    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=other)
    except RecursionError:
        raise ValueError("the value has too many levels") from None
    if decimals:
        text = re.sub(f'"{mark}([0-9]+)\\."', lambda found: decimals[int(found[1])], text)
    # A lone surrogate has no UTF-8.
    return text if text.isascii() else _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def loads(text: str) -> Any:
    """The value of a JSON text. Numbers that a float cannot hold exactly become `Decimal`. Raises ValueError."""
    try:
        try:
            return json.loads(text, parse_float=_number)
        except json.JSONDecodeError:
            raise
        except ValueError:  # an integer with too many digits
            return json.loads(text, parse_float=_number, parse_int=_integer)
    except RecursionError:
        raise ValueError("the text has too many levels") from None


def object_in(text: str) -> dict[str, Any]:
    """The object of a JSON text; empty if something other than the API answered."""
    try:
        value = loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _number(text: str) -> float | Decimal:
    number = float(text)
    if (len(text) <= _FLOAT_TEXT and "e" not in text and "E" not in text) or repr(number) == text:
        return number
    exact = Decimal(text)
    return number if exact == Decimal(repr(number)) else exact


def _integer(text: str) -> int | Decimal:
    return int(text) if len(text) < _INT_TEXT else Decimal(text)
