"""Runs the tests for a program: one line of JSON per test. `--list` only names them."""

from __future__ import annotations

import json
import sys
import time
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]


class JsonResult(unittest.TestResult):
    def __init__(self, output: TextIO) -> None:
        super().__init__()
        self._output = output

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self._begin = time.monotonic()

    def _say(self, test: unittest.TestCase, outcome: str, detail: str = "") -> None:
        print(
            json.dumps({"name": name_of(test), "outcome": outcome, "detail": detail, "seconds": round(time.monotonic() - self._begin, 3)}),
            file=self._output,
            flush=True,
        )

    def addSuccess(self, test: unittest.TestCase) -> None:
        self._say(test, "passed")

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        super().addError(test, err)
        self._say(test, "failed", self.errors[-1][1])

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addFailure(test, err)
        self._say(test, "failed", self.failures[-1][1])

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        self._say(test, "skipped", reason)


def name_of(test: unittest.TestCase) -> str:
    """A sentence: the class's words, then the test's own."""
    return f"{type(test).__doc__ or type(test).__name__}: {getattr(test, '_testMethodName', str(test))[5:].replace('_', ' ')}"


def tests_in(suite: unittest.TestSuite | unittest.TestCase) -> Iterator[unittest.TestCase]:
    if isinstance(suite, unittest.TestCase):
        yield suite
    else:
        for one in suite:
            yield from tests_in(one)


def main(root: Path = ROOT) -> None:
    """`root`: the folder of the package, which is on the path."""
    suite = unittest.defaultTestLoader.discover(str(root / "tests"), top_level_dir=str(root))
    if "--list" in sys.argv:
        print(json.dumps([name_of(test) for test in tests_in(suite)]))
        return
    output, sys.stdout = sys.stdout, sys.stderr
    wanted = sys.argv[1:]
    chosen = unittest.TestSuite(test for test in tests_in(suite) if not wanted or any(one in name_of(test) for one in wanted))
    result = JsonResult(output)
    chosen.run(result)
    sys.exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
