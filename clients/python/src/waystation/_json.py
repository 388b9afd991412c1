"""JSON as exact text: no number changes on its way."""

from __future__ import annotations

import json
import re
import secrets
from decimal import Decimal
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")
#: Any decimal of so many digits is the same again after it was a float (IEEE 754: 15 digits).
_FLOAT_TEXT = 15
#: Python refuses to make an int of more digits than this.
_INT_TEXT = 4300


def dumps(value: Any) -> str:
    """
    The JSON text of a value. Integers and `Decimal` are written digit by digit.

    Raises TypeError for what is not JSON, ValueError for NaN, infinity, circles and too many levels.
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
    # Half of a surrogate pair is no UTF-8.
    return text if text.isascii() else _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def loads(text: str) -> Any:
    """The value of a JSON text. What a float cannot hold exactly becomes a `Decimal`. Raises ValueError."""
    try:
        try:
            return json.loads(text, parse_float=_number)
        except json.JSONDecodeError:
            raise
        except ValueError:  # an integer of very many digits
            return json.loads(text, parse_float=_number, parse_int=_integer)
    except RecursionError:
        raise ValueError("the text has too many levels") from None


def object_in(text: str) -> dict[str, Any]:
    """The object of a JSON text; empty where something else than the API has answered."""
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
