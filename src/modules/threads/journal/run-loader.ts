import { Injectable } from '@nestjs/common';
import { after, type Awaitable } from '../../../common/awaitable.js';
import type { SqlReader } from '../../../database/database.js';
import type { Checkpoint } from '../entities/checkpoint.entity.js';
import { HISTORY, HISTORY_META } from '../entities/message.entity.js';
import { RunKinship } from '../bindings/run-kinship.js';
import type { Run } from '../entities/run.entity.js';
import { JournalRepository } from './journal.repository.js';
import { parseRanges } from '../message-log/ranges.js';
import { isEnded } from '../../../common/contract/run-status.js';
import { TextList } from '../../../common/text-list.js';
import { NO_TAIL, type ListTail, type RunState } from './thread-state.js';
import type { ThreadDraft } from './thread-draft.js';

type Tails = Pick<RunState, 'history' | 'meta'>;

const NO_TAILS: Tails = { history: NO_TAIL, meta: NO_TAIL };

/** Finds runs, in the draft, in what was committed before, or in the database. */
@Injectable()
export class RunLoader {
  constructor(private readonly repository: JournalRepository) {}

  /** The runs with a trace, in the order in which they were first seen. What is remembered of a trace is always all of them. */
  byTrace(reader: SqlReader, draft: ThreadDraft, traceId: string): Awaitable<RunState[]> {
    const known = draft.knownRuns(traceId);
    return known.length > 0 || draft.isNew ? known : this.adopt(reader, draft, traceId);
  }

  byNumber(reader: SqlReader, draft: ThreadDraft, runNo: number): Awaitable<RunState | null> {
    const known = draft.knownRunByNumber(runNo);
    if (known || draft.isNew || runNo === 0) return known;
    return this.repository.runByNumber(reader, draft.pk, runNo).then(async (row) => {
      if (row) await this.adopt(reader, draft, row.trace_id);
      return draft.knownRunByNumber(runNo);
    });
  }

  /** The runs that called each other, as the transaction sees them. */
  kinship(reader: SqlReader, draft: ThreadDraft): RunKinship<Run> {
    return new RunKinship((traceId) =>
      after(this.byTrace(reader, draft, traceId), (runs) => runs.map(({ row }) => row)),
    );
  }

  /** The runs of an agent that have not ended. */
  async openRunsOfAgent(reader: SqlReader, draft: ThreadDraft, agentId: string): Promise<RunState[]> {
    const rows = draft.isNew ? [] : await this.repository.openRunsOfAgent(reader, draft.pk, agentId);
    for (const { trace_id } of rows) await this.byTrace(reader, draft, trace_id);
    return [...draft.runs.values()].filter(({ row }) => row.agent_id === agentId && !isEnded(row.status));
  }

  /**
   * The last non-empty lists of an agent's runs, for its next run to go on from.
   * @param isOwnOnly leave out what it said in runs of other agents
   */
  tailsOfAgent(reader: SqlReader, draft: ThreadDraft, agentId: string, isOwnOnly: boolean): Awaitable<Tails> {
    const agent = draft.agents.get(agentId);
    if (!agent) return NO_TAILS;
    return after(this.byNumber(reader, draft, isOwnOnly ? agent.own_run : agent.latest_run), (run) => {
      if (run && run.history.list.count > 0) return { history: run.history, meta: run.meta };
      return draft.isNew ? NO_TAILS : this.storedTails(reader, draft, agentId, isOwnOnly);
    });
  }

  private async storedTails(
    reader: SqlReader,
    draft: ThreadDraft,
    agentId: string,
    isOwnOnly: boolean,
  ): Promise<Tails> {
    const row = await this.repository.lastHistoryOfAgent(reader, draft.pk, agentId, isOwnOnly);
    return {
      history: await this.tail(reader, row, HISTORY),
      meta: await this.tail(reader, row, HISTORY_META),
    };
  }

  private async adopt(reader: SqlReader, draft: ThreadDraft, traceId: string): Promise<RunState[]> {
    const rows = await this.repository.runsByTrace(reader, draft.pk, traceId);
    for (const row of rows) draft.adopt(await this.load(reader, row));
    return draft.knownRuns(traceId);
  }

  private async load(reader: SqlReader, row: Run): Promise<RunState> {
    const latest = await this.repository.latestOfAttempt(reader, row);
    const highestStepEver = await this.repository.highestStepEver(reader, row);
    const withHistory = latest?.history ? latest : await this.repository.lastWithList(reader, row, 'history');
    const withMeta = latest?.history_meta ? latest : await this.repository.lastWithList(reader, row, 'history_meta');
    return {
      row,
      mark: row.mark === null ? null : JSON.parse(row.mark),
      latest,
      highestStepEver,
      history: await this.tail(reader, withHistory, HISTORY),
      meta: await this.tail(reader, withMeta, HISTORY_META),
    };
  }

  private async tail(reader: SqlReader, row: Checkpoint | null, list: number): Promise<ListTail> {
    const text = list === HISTORY ? row?.history : row?.history_meta;
    if (!row || !text) return NO_TAIL;
    const ranges = parseRanges(text);
    return { list: TextList.join(await this.repository.elements(reader, row.thread_pk, list, ranges)), ranges };
  }
}
