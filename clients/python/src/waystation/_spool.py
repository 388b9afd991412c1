"""Holds events until the API has stored them."""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
import time
import uuid
import weakref
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple, Protocol

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

MEBIBYTE = 1024 * 1024
#: Seconds for which a fork waits for a call of another thread.
_FORK_SECONDS = 5.0
#: SQLite's oldest limit of parameters is 999.
_MOST_PARAMETERS = 500


class SpooledText(NamedTuple):
    """An event in a spool."""

    key: int
    """Assigned by the spool; grows with each event."""
    text: str


class Spool(Protocol):
    """
    Holds events until the API has stored them. A spool is bounded: when it is full it drops the oldest events, because an agent resumes
    from its last report. The client calls it from several threads at once.
    """

    def append(self, thread_id: str, text: str) -> int:
        """
        Appends an event. When it returns, the event is as durable as this spool makes it.
        Returns how many of the oldest events it dropped to make room.
        """

    def peek(self, max_events: int, max_bytes: int) -> Sequence[SpooledText]:
        """The oldest events, in order: at least one if there is any, at most `max_events` and about `max_bytes`. They stay."""

    def remove(self, keys: Sequence[int]) -> None:
        """Removes delivered events; ignores unknown keys."""

    def newest_key(self) -> int:
        """The key of the last appended event; 0 before the first."""

    def after_fork(self) -> None:
        """Called in a forked child process: waiting events are the parent's to deliver."""

    def close(self) -> None:
        """No more calls follow."""


class MemorySpool:
    """Keeps events in memory: they survive an outage of the API, but not the end of this process."""

    def __init__(self, max_bytes: int = 64 * MEBIBYTE) -> None:
        """`max_bytes`: UTF-8 bytes of events that may wait; the newest event is kept even if it alone is larger."""
        self._max_bytes = max_bytes
        self.after_fork()

    def after_fork(self) -> None:
        self._lock = threading.Lock()
        self._waiting: OrderedDict[int, tuple[str, int]] = OrderedDict()
        self._bytes = 0
        self._newest = 0

    def append(self, thread_id: str, text: str) -> int:
        size = size_of(text)
        dropped = 0
        with self._lock:
            self._newest += 1
            self._waiting[self._newest] = (text, size)
            self._bytes += size
            while self._bytes > self._max_bytes and len(self._waiting) > 1:
                _, (_, freed) = self._waiting.popitem(last=False)
                self._bytes -= freed
                dropped += 1
        return dropped

    def peek(self, max_events: int, max_bytes: int) -> Sequence[SpooledText]:
        found: list[SpooledText] = []
        total = 0
        with self._lock:
            for key, (text, size) in self._waiting.items():
                total += size
                if found and (len(found) >= max_events or total > max_bytes):
                    break
                found.append(SpooledText(key, text))
        return found

    def remove(self, keys: Sequence[int]) -> None:
        with self._lock:
            for key in keys:
                _, freed = self._waiting.pop(key, ("", 0))
                self._bytes -= freed

    def newest_key(self) -> int:
        return self._newest

    def close(self) -> None:
        """Does nothing: the reports end with the process."""


class DiskSpool:
    """
    Keeps events in a folder, so that they survive the end of either side, kill -9 and power cuts included.

    Several processes may share a folder: each has its own file in it (SQLite, table `spooled_event`), and a starting process takes over
    the files of processes that have ended.
    """

    def __init__(self, folder: str | os.PathLike[str], max_bytes: int = 256 * MEBIBYTE) -> None:
        """
        `folder` is created if it is missing, for its owner only.
        `max_bytes`: UTF-8 bytes of events that may wait; the newest event is kept even if it alone is larger.
        """
        self._folder = Path(folder)
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._file: _SpoolFile | None = None
        self._newest = 0
        _disk_spools.add(self)
        with self._lock:
            self._open()

    def after_fork(self) -> None:
        # The parent's connection must not even be closed here: SQLite would give up the parent's locks on the file.
        if self._file is not None:
            self._file.leave()
            _OF_PARENTS.append(self._file)
        self._lock = threading.Lock()
        self._file = None

    def append(self, thread_id: str, text: str) -> int:
        with self._lock:
            dropped, self._newest = self._open().append(thread_id, text, self._max_bytes)
        return dropped

    def peek(self, max_events: int, max_bytes: int) -> Sequence[SpooledText]:
        with self._lock:
            return self._open().peek(max_events, max_bytes)

    def remove(self, keys: Sequence[int]) -> None:
        with self._lock:
            self._open().remove(keys)

    def newest_key(self) -> int:
        return self._newest

    def close(self) -> None:
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    def _open(self) -> _SpoolFile:
        if self._file is None:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file = _SpoolFile.taken_over(self._folder)
            self._newest = self._file.newest_key()
        return self._file


#: Kept from the garbage collector, which would close them.
_OF_PARENTS: list[object] = []

_disk_spools: weakref.WeakSet[DiskSpool] = weakref.WeakSet()
_held: list[threading.Lock] = []


def _before_fork() -> None:
    """
    A thread inside SQLite holds locks of the library, which a child could never take: a fork waits until no spool is in use. Not forever:
    a signal handler that forks may have interrupted the very call.
    """
    for spool in list(_disk_spools):
        lock = spool._lock
        if lock.acquire(timeout=_FORK_SECONDS):
            _held.append(lock)


def _forked() -> None:
    while _held:
        _held.pop().release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_forked, after_in_child=_forked)


class _SpoolFile:
    """One file of a spool folder, locked by this process. A lock ends with its process, however that ends."""

    def __init__(self, path: Path, lock: IO[bytes]) -> None:
        self._path = path
        self._lock = lock
        self._bytes = 0
        self._database = sqlite3.connect(str(path), check_same_thread=False, isolation_level=None, timeout=10)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.execute(
            "CREATE TABLE IF NOT EXISTS spooled_event (seq INTEGER PRIMARY KEY AUTOINCREMENT, "
            "thread_id TEXT NOT NULL, text TEXT NOT NULL, bytes INTEGER NOT NULL)"
        )
        self._count_bytes()

    @classmethod
    def taken_over(cls, folder: Path) -> _SpoolFile:
        """The events that dead processes have left in the folder, in one file, oldest first; a new file if there are none."""
        own: _SpoolFile | None = None
        for path in sorted(folder.glob("*.db")):
            lock = _locked(path.with_suffix(".lock"))
            if lock is None:
                continue
            if not path.exists():  # another process has just taken it over
                lock.close()
                path.with_suffix(".lock").unlink(missing_ok=True)
                continue
            try:
                left = cls(path, lock)
            except sqlite3.DatabaseError as error:
                # The other classes report the disk, a lock or permissions: the file is intact.
                if type(error) is sqlite3.DatabaseError:
                    _set_aside(path, lock)
                else:
                    _leave_for_later(path, lock, error)
                continue
            if own is None:
                own = left
                continue
            try:
                own._take(left)
            except sqlite3.OperationalError as error:
                left._database.close()
                _leave_for_later(path, lock, error)
        if own is None:
            path = folder / f"{time.time_ns():020}-{uuid.uuid4().hex}.db"
            lock = _locked(path.with_suffix(".lock"))
            if lock is None:
                raise OSError(f"the spool {folder} cannot be locked")
            own = cls(path, lock)
        return own

    def leave(self) -> None:
        """In a forked process: leaves the lock to the parent, with which it ends."""
        self._lock.close()

    def append(self, thread_id: str, text: str, max_bytes: int) -> tuple[int, int]:
        """Returns how many of the oldest were dropped, and the key."""
        size = size_of(text)
        try:
            self._database.execute("BEGIN IMMEDIATE")
            row = self._database.execute("INSERT INTO spooled_event (thread_id, text, bytes) VALUES (?, ?, ?)", (thread_id, text, size))
            key = int(row.lastrowid or 0)
            doomed, freed = self._oldest_beyond(key, self._bytes + size - max_bytes)
            self._delete(doomed)
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise
        self._bytes += size - freed
        return len(doomed), key

    def peek(self, max_events: int, max_bytes: int) -> list[SpooledText]:
        found: list[SpooledText] = []
        total = 0
        rows = self._database.execute("SELECT seq, text, bytes FROM spooled_event ORDER BY seq LIMIT ?", (max_events,))
        for key, text, size in rows:
            total += size
            if found and total > max_bytes:
                break
            found.append(SpooledText(key, text))
        rows.close()
        return found

    def remove(self, keys: Sequence[int]) -> None:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            self._delete(keys)
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise
        self._count_bytes()

    def newest_key(self) -> int:
        row = self._database.execute("SELECT seq FROM sqlite_sequence WHERE name = 'spooled_event'").fetchone()
        return int(row[0]) if row else 0

    def close(self) -> None:
        is_empty = not self.peek(1, 1)
        self._database.close()
        if is_empty:
            for suffix in (".db", ".db-wal", ".db-shm"):
                self._path.with_suffix(suffix).unlink(missing_ok=True)
        self._lock.close()
        if is_empty:
            self._path.with_suffix(".lock").unlink(missing_ok=True)

    def _take(self, other: _SpoolFile) -> None:
        """If killed between the two transactions, the events are in both files: delivering them twice changes nothing."""
        rows = other._database.execute("SELECT thread_id, text, bytes FROM spooled_event ORDER BY seq").fetchall()
        try:
            self._database.execute("BEGIN IMMEDIATE")
            self._database.executemany("INSERT INTO spooled_event (thread_id, text, bytes) VALUES (?, ?, ?)", rows)
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise
        self._count_bytes()
        other._database.execute("DELETE FROM spooled_event")
        other.close()

    def _count_bytes(self) -> None:
        row = self._database.execute("SELECT COALESCE(SUM(bytes), 0) FROM spooled_event").fetchone()
        self._bytes = int(row[0])

    def _oldest_beyond(self, newest: int, excess: int) -> tuple[list[int], int]:
        """The oldest events that free that many bytes, never the newest."""
        doomed: list[int] = []
        freed = 0
        if excess > 0:
            for key, size in self._database.execute("SELECT seq, bytes FROM spooled_event WHERE seq < ? ORDER BY seq", (newest,)):
                if freed >= excess:
                    break
                doomed.append(key)
                freed += size
        return doomed, freed

    def _delete(self, keys: Sequence[int]) -> None:
        for start in range(0, len(keys), _MOST_PARAMETERS):
            some = list(keys[start : start + _MOST_PARAMETERS])
            marks = ",".join("?" * len(some))
            self._database.execute(f"DELETE FROM spooled_event WHERE seq IN ({marks})", some)


def _set_aside(path: Path, lock: IO[bytes]) -> None:
    """
    A corrupt database file must not keep an agent from starting. It is renamed before its connection is closed: SQLite would otherwise
    write the log of a later file with this name into it, and delete the log.
    """
    broken = path.with_suffix(".broken")
    path.replace(broken)
    with suppress(FileNotFoundError):
        path.with_suffix(".db-wal").replace(path.with_suffix(".broken-wal"))
    for suffix in (".db-shm", ".lock"):
        path.with_suffix(suffix).unlink(missing_ok=True)
    lock.close()
    print(f"waystation: the spool {broken} is damaged; its reports are not delivered", file=sys.stderr, flush=True)


def _leave_for_later(path: Path, lock: IO[bytes], error: sqlite3.Error) -> None:
    lock.close()
    print(f"waystation: the spool {path} cannot be used now ({error}); its reports wait", file=sys.stderr, flush=True)


def _locked(path: Path) -> IO[bytes] | None:
    """The open, locked lock file; None while another process, or another spool of this one, has it."""
    file = path.open("ab")
    try:
        if sys.platform == "win32":
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file


def size_of(text: str) -> int:
    """In bytes of UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf8"))
