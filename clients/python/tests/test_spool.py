from __future__ import annotations

import contextlib
import io
import os
import signal
import sqlite3
import tempfile
import threading
import unittest
import unittest.mock
import warnings
from pathlib import Path
from typing import Any, Callable

from tests.support import SOURCES, python, wait_for
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

    def test_on_disk_sets_a_damaged_file_aside_and_goes_on(self) -> None:
        self.folder.mkdir()
        (self.folder / "0.db").write_bytes(b"no database " * 1000)
        (self.folder / "0.db-wal").write_bytes(b"what was written last")
        with contextlib.redirect_stderr(io.StringIO()) as output:
            spool = self.disk()
        spool.append("t", "a")
        self.assertEqual(texts(spool), ["a"])
        self.assertTrue((self.folder / "0.broken").exists())
        self.assertEqual((self.folder / "0.broken-wal").read_bytes(), b"what was written last")
        self.assertIn("damaged", output.getvalue())

    def test_on_disk_leaves_a_file_for_later_that_cannot_be_opened_now(self) -> None:
        code = (
            "import os, sys; from waystation import DiskSpool; spool = DiskSpool(sys.argv[1])\n"
            "spool.append('t', 'left'); os.kill(os.getpid(), 9)"
        )
        python(code, {**os.environ, "PYTHONPATH": str(SOURCES)}, str(self.folder)).communicate()
        connect: Callable[..., sqlite3.Connection] = sqlite3.connect
        (left,) = self.folder.glob("*.db")

        def failing(path: str, **options: Any) -> sqlite3.Connection:
            if path == str(left):
                raise sqlite3.OperationalError("disk I/O error")
            return connect(path, **options)

        with contextlib.redirect_stderr(io.StringIO()) as output, unittest.mock.patch("sqlite3.connect", failing):
            first = self.disk()
        first.append("t", "own")
        self.assertEqual(texts(first), ["own"])
        self.assertIn("its reports wait", output.getvalue())
        first.close()
        self.assertEqual(sorted(texts(self.disk())), ["left", "own"])

    @unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
    def test_on_disk_is_taken_over_though_a_child_of_its_process_lives_on(self) -> None:
        code = (
            "import os, sys, warnings; from waystation import DiskSpool, WaystationClient\n"
            "spool = DiskSpool(sys.argv[1]); ws = WaystationClient('http://127.0.0.1:1', 't', 'a', spool=spool, on_trouble=print)\n"
            "ws.report('log', {'thread_id': 't'})\n"
            "if os.fork() == 0: os.write(1, b'forked\\n'); sys.stdin.read(); os._exit(0)\n"
            "os.kill(os.getpid(), 9)"
        )
        process = python(code, {**os.environ, "PYTHONPATH": str(SOURCES)}, str(self.folder))
        self.assertEqual(process.wait(), -signal.SIGKILL)
        assert process.stdout is not None
        # The child lets go of the lock before it continues.
        self.assertIn("forked\n", process.stdout)
        self.assertEqual(len(texts(self.disk())), 1)
        process.communicate()

    @unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
    def test_on_disk_lets_no_process_fork_while_another_thread_is_inside_sqlite(self) -> None:
        spool = self.disk()
        other = sqlite3.connect(next(self.folder.glob("*.db")), check_same_thread=False, isolation_level=None)
        self.addCleanup(other.close)
        other.execute("BEGIN IMMEDIATE")  # the thread waits inside SQLite, for this transaction
        thread = threading.Thread(target=lambda: spool.append("t", "parent"))
        thread.start()
        wait_for("the thread to be in its call", spool._lock.locked)
        self.assertTrue(thread.is_alive())
        is_over = threading.Event()

        def end() -> None:
            is_over.set()
            other.execute("ROLLBACK")

        threading.Timer(0.3, end).start()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a process with threads forks
            pid = os.fork()
        if pid == 0:
            signal.alarm(20)
            try:
                spool.after_fork()
                spool.append("t", "child")
                os._exit(0 if texts(spool) == ["child"] else 1)
            finally:
                os._exit(1)
        self.assertTrue(is_over.is_set())
        thread.join()
        self.assertEqual(texts(spool), ["parent"])
        self.assertEqual(os.waitpid(pid, 0)[1], 0)

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
