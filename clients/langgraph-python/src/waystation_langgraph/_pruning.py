"""Which checkpoints of a thread are needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

#: Where LangGraph counts, for each delta channel, its updates and the steps since its last snapshot.
_COUNTERS = "counters_since_delta_snapshot"
#: The namespace and the id of a checkpoint.
Name = tuple[str, str]


def pruned(outlines: Iterable[Mapping[str, Any]]) -> list[Name]:
    """
    Those that "keep_latest" deletes, of all checkpoints of a thread, the newest first.

    The newest of each namespace stay, and of their ancestors those from which LangGraph puts the values of delta channels together: a
    checkpoint has no value of such a channel, unless it is a snapshot, but what was written since stands in the writes of its ancestors.
    """
    by_name = {(one["ns"], one["checkpoint_id"]): one for one in outlines}
    kept: set[Name] = set()
    seen: set[str] = set()
    for name, outline in by_name.items():
        if name[0] not in seen:
            seen.add(name[0])
            kept.update(_needed(by_name, name, outline))
    return [name for name in by_name if name not in kept]


def _needed(by_name: Mapping[Name, Mapping[str, Any]], newest: Name, outline: Mapping[str, Any]) -> Iterator[Name]:
    yield newest
    lineage = list(_lineage(by_name, outline))
    # A copy does not count on, so all of them say which channels there are.
    counters = [one["metadata"].get(_COUNTERS) or {} for one in (outline, *lineage)]
    channels = {channel for counted in counters for channel in counted} - set(outline["channels"])
    needed = 0
    for channel in channels:
        snapshot = next((at for at, one in enumerate(lineage) if channel in one["channels"]), None)
        if snapshot is not None:
            needed = max(needed, snapshot + 1)
        elif any(counted.get(channel, (0, 0))[0] for counted in counters):  # it has no snapshot yet, only what was written
            needed = len(lineage)
    for one in lineage[:needed]:
        yield one["ns"], one["checkpoint_id"]


def _lineage(by_name: Mapping[Name, Mapping[str, Any]], outline: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The ancestors, the nearest first."""
    met = {outline["checkpoint_id"]}
    while (parent := by_name.get((outline["ns"], outline["parent_id"]))) is not None and parent["checkpoint_id"] not in met:
        met.add(parent["checkpoint_id"])
        yield parent
        outline = parent
