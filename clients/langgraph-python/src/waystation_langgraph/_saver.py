"""The checkpointer."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from threading import Lock
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.types import INTERRUPT
from waystation import OwnValue, Question, RunIds, StatePlace, StateStore, StepReporter, WaystationClient, given_run, read_state
from waystation.asynchronous import each_in_thread, in_thread

from ._channels import history_in, interrupts_in, needed_ancestors, next_node, status_in, usage_in, waiting_in
from ._recent import Recent

#: LangGraph's pseudo task for writes that concern all tasks.
_NO_TASK = "00000000-0000-0000-0000-000000000000"


class WaystationSaver(BaseCheckpointSaver[Any]):
    """
    Stores graphs' checkpoints in Waystation, durably before each call returns. Shows each checkpoint of the graph itself as a step of the
    run `langgraph:THREAD_ID`, which begins again with each new input, and asks people about its interrupts.

    All methods are thread-safe. They raise ApiRefusalError when the server refuses, and TimeoutError when it is away too long. The
    asynchronous ones do the same in a thread.
    """

    def __init__(
        self,
        *,
        client: WaystationClient | None = None,
        agent_id: str | None = None,
        thread_prefix: str | None = None,
        report: bool = True,
        timeout: float = 60.0,
        serde: SerializerProtocol | None = None,
    ) -> None:
        """
        `client`: default is a new one, with its settings from the environment.
        `agent_id`: the agent that the graph runs as; each agent has its own states. Default: the client's, `WAYSTATION_AGENT_ID`,
        otherwise `langgraph`.
        `thread_prefix`: prefix of thread ids; LangGraph's id follows. Default: `langgraph:`; empty in a program started by
        `waystation agent`, whose token is only for the thread `WAYSTATION_THREAD_ID`.
        `report`: whether graphs are shown as runs, and their interrupts as approvals.
        `timeout`: seconds to wait for an absent server. The wait for a person has no limit.

        Raises ClientSettingError when the server's address or token is missing or unusable.
        """
        super().__init__(serde=serde)
        own = given_run()
        agent_id = agent_id or (client.agent_id if client else own.agent_id) or "langgraph"
        self.client = client or WaystationClient(agent_id=agent_id)
        self._prefix = thread_prefix if thread_prefix is not None else "" if own.thread_id else "langgraph:"
        api = self.client.api.within(timeout)
        self._store = StateStore(api.states, agent_id)
        self._reporter = StepReporter(api.runners) if report else None
        self._turn_starts: Recent[int] = Recent()
        """Number of messages before the last input, by thread, for inputs that this process received."""
        self._next_nodes: Recent[str | None] = Recent()
        """The next node after each of the newest checkpoints stored or read by this process."""
        self._early: Recent[list[tuple[str, Sequence[tuple[str, Any]]]]] = Recent()
        """Interrupts that arrived before their checkpoints, which tell the nodes; by checkpoint."""
        self._naming = Lock()
        """LangGraph stores a checkpoint and its writes in two threads: one of them must see the other's."""

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        state = self._store.get(self._place_of(config))
        return None if state is None else self._tuple_of(state)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Highest ids first. `filter`: members of the metadata to match exactly."""
        wanted = (config or {}).get("configurable", {})
        thread_id = wanted.get("thread_id")
        found = self._store.each(
            thread_id=None if thread_id is None else self._thread_of(thread_id),
            thread_prefix=self._prefix if thread_id is None else None,
            ns=wanted.get("checkpoint_ns"),
            checkpoint_id=wanted.get("checkpoint_id"),
            before=(before or {}).get("configurable", {}).get("checkpoint_id"),
            filter=filter,
            limit=limit,
        )
        return map(self._tuple_of, found)

    def put(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, new_versions: ChannelVersions
    ) -> RunnableConfig:
        """
        The metadata must be JSON. Raises ApiRefusalError with the code `unknown_digest` if another process has deleted the parent with an
        unchanged value that LangGraph does not hold: a delta channel's.
        """
        parent = self._place_of(config)
        at = parent._replace(checkpoint_id=checkpoint["id"])
        run, reporter = self.run_of(config), self._reporter if at.ns == "" else None
        held = checkpoint["channel_values"]
        # A copy has the original's parent: changes in the original are new to that parent, though LangGraph does not say so.
        may_differ = parent.checkpoint_id is not None or metadata.get("source") == "fork"
        values = {
            channel: OwnValue(
                version,
                partial(self.serde.dumps_typed, held[channel]) if channel in held and (may_differ or channel in new_versions) else None,
                channel in new_versions,
            )
            for channel, version in checkpoint["channel_versions"].items()
        }
        begins = metadata.get("source") == "input"
        history = history_in(held)
        if at.ns == "" and begins:
            self._turn_starts[at.thread_id] = len(history)
        fields = usage_in(held, self._turn_starts.get(at.thread_id))
        whole = self.serde.dumps_typed({**checkpoint, "channel_values": {}})

        if reporter:
            self._name_early(run, checkpoint["id"], next_node(held), reporter)

        def report() -> Sequence[Mapping[str, Any]]:
            return reporter.step_events(run, checkpoint["id"], history, status_in(held), begins=begins, **fields) if reporter else []

        self._store.put(at, parent.checkpoint_id, whole, get_checkpoint_metadata(config, metadata), values, report)
        return self._config_of(at)

    def put_writes(self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = "") -> None:
        at = self._place_of(config)
        if at.checkpoint_id is None:
            raise _missing("checkpoint_id")
        reporter, checkpoint_id = self._reporter, at.checkpoint_id
        run = self.run_of(config)
        events: Callable[[], Sequence[Mapping[str, Any]]] = list
        if reporter:
            node = self._node_after(config, checkpoint_id, at) if any(name == INTERRUPT for name, _ in writes) else None
            key, is_outermost = _key(run, checkpoint_id), at.ns == ""
            with self._naming:
                asked = reporter.numbered(interrupts_in(writes, self._next_nodes.get(key, node)))
                if asked and is_outermost and key not in self._next_nodes:
                    self._early[key] = [*self._early.get(key, []), (task_id, writes)]
                if is_outermost:
                    reporter.note(run, checkpoint_id, task_id, asked)
            if is_outermost:  # otherwise the graph around it will ask
                if task_id == _NO_TASK:  # an answer to all of them
                    reporter.answered(run, checkpoint_id)
                if asked:
                    events = partial(reporter.ask_events, run, checkpoint_id)
        dumped = [(WRITES_IDX_MAP.get(name, number), name, self.serde.dumps_typed(value)) for number, (name, value) in enumerate(writes)]
        self._store.put_writes(at, task_id, dumped, task_path, events)

    def _name_early(self, run: RunIds, checkpoint_id: str, node: str | None, reporter: StepReporter) -> None:
        """Names early interrupts before anybody is asked, because the next node is now known."""
        key = _key(run, checkpoint_id)
        with self._naming:
            self._next_nodes[key] = node
            for task_id, writes in self._early.pop(key, []):
                reporter.note(run, checkpoint_id, task_id, reporter.numbered(interrupts_in(writes, node)))

    def _node_after(self, config: RunnableConfig, checkpoint_id: str, at: StatePlace) -> str | None:
        """Reads the checkpoint if another process has stored it."""
        run, reporter = self.run_of(config), self._reporter
        key = _key(run, checkpoint_id)
        if at.ns != "" or key in self._next_nodes:
            return self._next_nodes.get(key)
        found = self.get_tuple(config)
        if found is None:
            return None
        held = found.checkpoint["channel_values"]
        if reporter and not reporter.knows(run, checkpoint_id):
            reporter.recall(run, checkpoint_id, history_in(held), **usage_in(held, self._turn_starts.get(at.thread_id)))
        node = self._next_nodes[key] = next_node(held)
        return node

    def delete_thread(self, thread_id: str) -> None:
        """Deletes the checkpoints and writes. The recorded run stays until the thread is deleted in Waystation."""
        self._store.delete(self._thread_of(thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """
        Deletes the checkpoints whose metadata has one of these as `run_id`, with their writes, in all threads of the prefix. As LangGraph
        warns, a delta channel loses the writes of these runs unless later checkpoints have a snapshot of it.
        """
        for run_id in run_ids:
            self._store.delete_found(thread_prefix=self._prefix, filter={"run_id": str(run_id)})

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """
        `strategy`: "keep_latest" keeps the newest checkpoint of each namespace, with the ancestors needed for the values of delta
        channels; "delete" keeps none. The recorded runs stay. Raises ValueError for other values.
        """
        if strategy not in ("keep_latest", "delete"):
            raise ValueError(f'There is no strategy "{strategy}": "keep_latest" and "delete" are.')
        for thread_id in thread_ids:
            if strategy == "delete":
                self.delete_thread(thread_id)
            else:
                self._store.prune(self._thread_of(thread_id), needed_ancestors)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copies all checkpoints and writes. If interrupted, repeat it. People see the copy from its next step on."""
        self._store.copy(self._thread_of(source_thread_id), self._thread_of(target_thread_id))

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Also continues the versions of LangGraph's own savers, whose checkpoints may have been imported."""
        if not isinstance(current, str):
            return super().get_next_version(current, channel)
        return f"{int(current.partition('.')[0]) + 1:032}.{random.random():016}"

    aget_tuple = in_thread(get_tuple)
    alist = each_in_thread(list)
    aput = in_thread(put)
    aput_writes = in_thread(put_writes)
    adelete_thread = in_thread(delete_thread)
    adelete_for_runs = in_thread(delete_for_runs)
    aprune = in_thread(prune)
    acopy_thread = in_thread(copy_thread)

    def run_of(self, config: RunnableConfig) -> RunIds:
        """The run that shows the graph of this configuration."""
        thread_id = self._place_of(config).thread_id
        return given_run().above(RunIds(thread_id, f"langgraph:{thread_id.removeprefix(self._prefix)}", agent_id=self._store.agent_id))

    def waiting(self, config: RunnableConfig) -> Sequence[Question] | None:
        """
        The graph's unanswered interrupts, after asking people unless they were asked already.

        Returns None if no task of the graph was interrupted; an empty sequence if all were answered but the graph has not continued.
        Raises NoDecisionError if a person has cancelled the run; see `StepReporter.take_up`.
        """
        found = self.get_tuple(config)
        held = found.checkpoint["channel_values"] if found else {}
        waiting = waiting_in(found.pending_writes or [], next_node(held)) if found else None
        if found is None or waiting is None or self._reporter is None:
            return waiting
        run = self.run_of(config)
        fields = usage_in(held, self._turn_starts.get(run.thread_id))
        return self._reporter.take_up(run, found.checkpoint["id"], history_in(held), waiting, **fields)

    def _tuple_of(self, state: Mapping[str, Any]) -> CheckpointTuple:
        at = StatePlace(state["thread_id"], state["ns"], state["checkpoint_id"])
        checkpoint, values, writes = read_state(state, self.serde.loads_typed)
        checkpoint["channel_values"] = values
        return CheckpointTuple(
            config=self._config_of(at),
            checkpoint=checkpoint,
            metadata=state["metadata"],
            parent_config=self._config_of(at._replace(checkpoint_id=state["parent_id"])) if state["parent_id"] is not None else None,
            pending_writes=writes,
        )

    def _place_of(self, config: RunnableConfig) -> StatePlace:
        given = config.get("configurable", {})
        return StatePlace(self._thread_of(given.get("thread_id")), given.get("checkpoint_ns") or "", given.get("checkpoint_id") or None)

    def _thread_of(self, thread_id: Any) -> str:
        """Raises ValueError for a missing or empty id, which many graphs would share."""
        if thread_id is None or thread_id == "":
            raise _missing("thread_id")
        return f"{self._prefix}{thread_id}"

    def _config_of(self, at: StatePlace) -> RunnableConfig:
        thread_id = at.thread_id.removeprefix(self._prefix)
        return {"configurable": {"thread_id": thread_id, "checkpoint_ns": at.ns, "checkpoint_id": at.checkpoint_id}}


def _key(run: RunIds, checkpoint_id: str) -> str:
    """Copies of a thread have the same checkpoint ids."""
    return f"{run.thread_id}\n{checkpoint_id}"


def _missing(name: str) -> ValueError:
    return ValueError(f'The configuration of the graph has no "{name}" in its "configurable".')
