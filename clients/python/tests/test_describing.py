import json
import unittest
from pathlib import Path

from waystation import describe_message

_CASES = json.loads((Path(__file__).resolve().parents[2] / "message-cases.json").read_text("utf-8"))


class Messages(unittest.TestCase):
    def test_become_one_text(self) -> None:
        for case in _CASES:
            with self.subTest(case["name"]):
                self.assertEqual(describe_message(case["input"]), case["text"])


if __name__ == "__main__":
    unittest.main()
