from __future__ import annotations

import os
import signal
import tempfile
import threading
import unittest
from pathlib import Path

from tests.support import SOURCES, python
from waystation import DiskSpool, MemorySpool, Spool


def texts(spool: Spool) -> list[str]:
    return [text for _, text in spool.peek(10_000, 10**9)]


class Spools(unittest.TestCase):
    """A spool"""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "spool"

    def disk(self, max_bytes: int = 10**6) -> DiskSpool:
        spool = DiskSpool(self.folder, max_bytes)
        self.addCleanup(spool.close)
        return spool

    def test_gives_events_in_their_order_and_keeps_them_until_they_are_removed(self) -> None:
        for spool in (MemorySpool(), self.disk()):
            for text in "abc":
                spool.append("t", text)
            found = spool.peek(2, 10**6)
            self.assertEqual([text for _, text in found], ["a", "b"])
            self.assertEqual([text for _, text in spool.peek(10, 1)], ["a"])
            spool.remove([key for key, _ in found] + [99])
            self.assertEqual(texts(spool), ["c"])

    def test_is_bounded_and_keeps_the_newest(self) -> None:
        for spool in (MemorySpool(10), self.disk(10)):
            self.assertEqual([spool.append("t", text) for text in ("1111", "2222", "3333")], [0, 0, 1])
            self.assertEqual(texts(spool), ["2222", "3333"])
            self.assertEqual(spool.append("t", "ü" * 20), 2)
            self.assertEqual(texts(spool), ["ü" * 20])

    def test_never_gives_a_key_twice(self) -> None:
        for spool in (MemorySpool(), self.disk()):
            spool.append("t", "a")
            keys = [key for key, _ in spool.peek(9, 99)]
            spool.remove(keys)
            spool.append("t", "b")
            spool.remove(keys)
            self.assertEqual(texts(spool), ["b"])

    def test_on_disk_survives_kill_9_and_is_taken_over_with_those_of_others(self) -> None:
        code = (
            "import sys; from waystation import DiskSpool; spool = DiskSpool(sys.argv[1])\n"
            "for n in range(20): spool.append('t', f'{sys.argv[2]}{n}')\n"
            "print('done', flush=True); sys.stdin.read()"
        )
        env = {**os.environ, "PYTHONPATH": str(SOURCES)}
        writers = [python(code, env, str(self.folder), name) for name in "ab"]
        for writer in writers:
            assert writer.stdout is not None
            self.assertEqual(writer.stdout.readline(), "done\n")
        self.assertEqual(texts(self.disk()), [])
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
            writer.communicate()
        spool = self.disk()
        found = texts(spool)
        self.assertEqual([text for text in found if text[0] == "a"], [f"a{n}" for n in range(20)])
        self.assertEqual([text for text in found if text[0] == "b"], [f"b{n}" for n in range(20)])
        self.assertEqual(len(found), 40)
        self.assertEqual(texts(self.disk()), [])

    def test_on_disk_leaves_no_file_once_it_is_empty(self) -> None:
        spool = self.disk()
        spool.append("t", "a")
        spool.remove([key for key, _ in spool.peek(1, 1)])
        spool.close()
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_on_disk_keeps_to_its_limit_however_many_threads_use_it(self) -> None:
        spool = self.disk(2_000)

        def use() -> None:
            for _ in range(20):
                spool.append("t", "x" * 100)
                spool.remove([key for key, _ in spool.peek(1, 1)])

        threads = [threading.Thread(target=use) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertLessEqual(sum(map(len, texts(spool))), 2_000)
