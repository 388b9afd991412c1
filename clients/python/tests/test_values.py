from __future__ import annotations

import json
import math
import unittest
from decimal import Decimal
from typing import Any

from waystation._json import dumps, loads


class ExactValues(unittest.TestCase):
    """Values"""

    def test_numbers_of_any_size_stay_what_they_are(self) -> None:
        numbers = [0, -1, 2**53 + 1, 2**64, -(10**40), 1.1, -0.0, 1e-7, 5e-324, 1.7976931348623157e308, 0.1 + 0.2]
        self.assertEqual(loads(dumps(numbers)), numbers)
        self.assertEqual(str(loads("[-0.0]")), "[-0.0]")

    def test_what_no_float_holds_comes_as_a_decimal_and_goes_out_digit_by_digit(self) -> None:
        text = '{"a":0.10000000000000000555,"b":1e400,"c":1.10,"d":3.14159265358979323846,"e":[123456789.123456789123]}'
        value = loads(text)
        self.assertEqual(value["a"], Decimal("0.10000000000000000555"))
        self.assertEqual([type(one) for one in (value["b"], value["c"])], [Decimal, float])
        self.assertEqual(loads(dumps(value)), value)
        self.assertEqual(dumps({"price": Decimal("1.10"), "of": [Decimal(7)]}), '{"price":1.10,"of":[7]}')

    def test_integers_of_more_digits_than_python_reads_stay_exact(self) -> None:
        text = "9" * 5000
        self.assertEqual(dumps(loads(f"[{text}]")), f"[{text}]")

    def test_half_of_a_surrogate_pair_becomes_an_escape(self) -> None:
        self.assertEqual(dumps(["a\ud83d", "\ude00", "ü", "\U0001f600"]), '["a\\ud83d","\\ude00","ü","\U0001f600"]')
        self.assertEqual(json.loads(dumps({"\ud800": 1}).encode("utf8")), {"\ud800": 1})

    def test_what_is_not_json_is_refused_at_once(self) -> None:
        circle: list[Any] = []
        circle.append(circle)
        deep: Any = 1
        for _ in range(100_000):
            deep = [deep]
        for value in (math.nan, math.inf, Decimal("NaN"), circle, deep):
            with self.assertRaises(ValueError):
                dumps(value)
        for value in (object(), b"bytes", {1, 2}, {(1, 2): 3}):
            with self.assertRaises(TypeError):
                dumps(value)
        with self.assertRaises(ValueError):
            loads("[" * 100_000)
