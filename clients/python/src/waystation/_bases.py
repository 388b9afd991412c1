"""
Leaves out of reports what the server already has: a checkpoint names the last delivered one as its base. Only for servers that have
announced it.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from ._json import dumps

#: The response header, and the feature that it must name.
FEATURES_HEADER = "Waystation-Features"
_FEATURE = "history_base"
#: Saving fewer characters is not worth a base.
_MIN_SPARED = 512
#: Limit of characters of remembered reports; keeps those delivered last.
_MOST_REMEMBERED = 32 * 1024 * 1024

_Key = tuple[str, ...]


class _Outline:
    """Finds the bounds of JSON values. Creates no numbers, as some are too large."""

    def __init__(self, text: str, at: int = 0) -> None:
        self.text = text
        self.at = at
        decoder = json.JSONDecoder(parse_int=_no_number, parse_float=_no_number, strict=False)
        self._decode = decoder.raw_decode

    def value(self) -> Any:
        """Consumes one value. Its numbers are None."""
        value, self.at = self._decode(self.text, self.at)
        return value

    def skip(self, sign: str) -> bool:
        if self.text.startswith(sign, self.at):
            self.at += len(sign)
            return True
        return False

    def expect(self, sign: str) -> None:
        if not self.skip(sign):
            raise ValueError("not the text of this client")

    def elements(self) -> SpannedList:
        self.expect("[")
        start, texts = self.at, []
        while not self.text.startswith("]", self.at):
            begin = self.at
            self.value()
            texts.append(self.text[begin : self.at])
            if not self.skip(","):
                break
        end = self.at
        self.expect("]")
        return SpannedList(start, end, texts)


def _no_number(_: str) -> None:
    return None


class SpannedList(NamedTuple):
    """The elements of a list as written in a text."""

    start: int = 0
    end: int = 0
    texts: Sequence[str] = ()


class OutgoingReport:
    """A checkpoint as the exact text of its event, with the positions of its lists."""

    def __init__(self, text: str) -> None:
        """Raises ValueError for other events, and for checkpoints without an id or with a base of their own."""
        if '"checkpoint"' not in text:
            raise ValueError("no checkpoint")
        envelope, data = {}, {}
        self._lists = {"history": SpannedList(), "history_meta": SpannedList()}
        outline = _Outline(text)
        outline.expect("{")
        while not outline.skip("}"):
            name = self._name(outline)
            if name != "data":
                envelope[name] = outline.value()
            else:
                outline.expect("{")
                self._data_at = outline.at
                while not outline.skip("}"):
                    member = self._name(outline)
                    if member in self._lists and text.startswith("[", outline.at):
                        self._lists[member] = outline.elements()
                    else:
                        data[member] = outline.value()
                    outline.skip(",")
            outline.skip(",")
        self.id = envelope.get("id")
        if envelope.get("type") != "checkpoint" or not isinstance(self.id, str) or not self.id or data.get(_FEATURE):
            raise ValueError("no checkpoint that can have a base")
        self.text = text
        self.thread_id, self.agent_id, self.trace_id = (
            value if isinstance(value, str) else "" for value in map(data.get, ("thread_id", "agent_id", "trace_id"))
        )
        self.history = self._lists["history"].texts
        self.meta = self._lists["history_meta"].texts
        self.size = 2 * len(text)

    @staticmethod
    def _name(outline: _Outline) -> str:
        name = str(outline.value())
        outline.expect(":")
        return name

    @classmethod
    def read(cls, text: str) -> OutgoingReport | None:
        try:
            return cls(text)
        except (ValueError, RecursionError):
            return None

    @property
    def keys(self) -> list[_Key]:
        """A run continues its own history; a new run that of its agent."""
        agent = (self.thread_id, self.agent_id)
        return [agent] if not self.trace_id else [(*agent, self.trace_id), agent]

    def common_length(self, other: OutgoingReport) -> int:
        """How many messages, with equal metadata, this report has in common with the beginning of the other: so much can be its base."""
        messages = _common(self.history, other.history)
        entries = _common(self.meta, other.meta)
        return messages if entries >= min(messages, len(other.meta)) else entries

    def spared(self, base: OutgoingReport, length: int) -> int:
        """Characters that a base of this length saves."""
        meta = self.meta[: min(length, len(base.meta))]
        return sum(map(len, self.history[:length])) + sum(map(len, meta))

    def text_from(self, base: OutgoingReport, length: int) -> str:
        """The text of the event without the first `length` messages, which its base has."""
        counts = {"history": length, "history_meta": min(length, len(base.meta))}
        named = f'"{_FEATURE}":{dumps({"id": base.id, "length": length})},'
        pieces, at = [self.text[: self._data_at], named], self._data_at
        for name, spans in sorted(self._lists.items(), key=lambda item: item[1].start):
            if counts[name] == 0:
                continue
            pieces += [self.text[at : spans.start], ",".join(spans.texts[counts[name] :])]
            at = spans.end
        return "".join([*pieces, self.text[at:]])


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    """How many leading elements are equal."""
    for place, (one, other) in enumerate(zip(a, b)):
        if one != other:
            return place
    return min(len(a), len(b))


class PreparedBatch(NamedTuple):
    """A batch to send."""

    texts: Sequence[str]
    reports: Sequence[OutgoingReport | None] = ()
    """By position: the checkpoints among the events; None for others. Empty while bases are not in use."""
    based: AbstractSet[int] = frozenset()
    """Positions of the events that got a base."""


class HistoryBases:
    def __init__(self) -> None:
        self.is_on = False
        """Whether the server understands bases, by its last response."""
        self.is_known = False
        """Whether the server has announced its features."""
        self._known: OrderedDict[_Key, OutgoingReport] = OrderedDict()
        self._size = 0

    def learn(self, features: str | None) -> None:
        """`features`: the server's header; None if absent."""
        self.is_known = True
        self.is_on = _FEATURE in [name.strip() for name in (features or "").split(",")]
        if not self.is_on:
            self._known.clear()
            self._size = 0

    def prepare(self, texts: Sequence[str]) -> PreparedBatch:
        """`texts`: whole events, in order."""
        if not self.is_on:
            return PreparedBatch(texts)
        reports = [OutgoingReport.read(text) for text in texts]
        earlier: dict[_Key, OutgoingReport] = {}
        bases: list[tuple[OutgoingReport, int] | None] = []
        for report in reports:
            bases.append(None if report is None else self._base_of(report, earlier))
            if report is not None and report.history:
                earlier.update((key, report) for key in report.keys)
        _drop_before_whole(reports, bases)
        based: set[int] = set()
        sent = list(texts)
        for position, (report, base) in enumerate(zip(reports, bases)):
            if report is not None and base is not None:
                based.add(position)
                sent[position] = report.text_from(*base)
        return PreparedBatch(sent, reports, based)

    def settled(self, prepared: PreparedBatch, refused: AbstractSet[int]) -> None:
        """Call it with the response to a batch. `refused`: positions of the events that were not stored."""
        for position, report in enumerate(prepared.reports):
            if report is None or not report.history:
                continue
            for key in report.keys:
                self._forget(key)
                if position not in refused:
                    self._known[key] = report
                    self._size += report.size
            while self._size > _MOST_REMEMBERED and self._known:
                self._forget(next(iter(self._known)))

    def _base_of(self, report: OutgoingReport, earlier: dict[_Key, OutgoingReport]) -> tuple[OutgoingReport, int] | None:
        for key in report.keys:
            base = earlier.get(key) or self._known.get(key)
            if base is None:
                continue
            length = report.common_length(base)
            if report.spared(base, length) >= _MIN_SPARED:
                return base, length
        return None

    def _forget(self, key: _Key) -> None:
        report = self._known.pop(key, None)
        if report is not None:
            self._size -= report.size


def _drop_before_whole(reports: Sequence[OutgoingReport | None], bases: list[tuple[OutgoingReport, int] | None]) -> None:
    """
    Removes bases before whole reports of the same thread. A report whose base turns out to be missing is sent again after its batch, and
    would otherwise arrive after later checkpoints.
    """
    has_whole: set[str] = set()
    for position in range(len(reports) - 1, -1, -1):
        report = reports[position]
        if report is None:
            continue
        if bases[position] is None:
            has_whole.add(report.thread_id)
        elif report.thread_id in has_whole:
            bases[position] = None
