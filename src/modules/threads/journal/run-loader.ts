import { Injectable } from '@nestjs/common';
import { after, type Awaitable } from '../../../common/awaitable.js';
import type { SqlReader } from '../../../database/database.js';
import type { Checkpoint } from '../entities/checkpoint.entity.js';
import { HISTORY, HISTORY_META } from '../entities/message.entity.js';
import type { Run } from '../entities/run.entity.js';
import { JournalRepository } from './journal.repository.js';
import { parseRanges } from './ranges.js';
import { isEnded } from './reported-event.js';
import { TextList } from '../../../common/text-list.js';
import { NO_TAIL, type ListTail, type RunState } from './thread-state.js';
import type { ThreadDraft } from './thread-draft.js';

type Tails = Pick<RunState, 'history' | 'meta'>;

const NO_TAILS: Tails = { history: NO_TAIL, meta: NO_TAIL };

/** Finds runs, in the draft, in what was committed before, or in the database. */
@Injectable()
export class RunLoader {
  constructor(private readonly repository: JournalRepository) {}

  byTrace(reader: SqlReader, draft: ThreadDraft, traceId: string): Awaitable<RunState | null> {
    const known = draft.knownRun(traceId);
    if (known || draft.isNew) return known;
    return this.adopt(reader, draft, this.repository.runByTrace(reader, draft.pk, traceId));
  }

  byNumber(reader: SqlReader, draft: ThreadDraft, runNo: number): Awaitable<RunState | null> {
    const known = draft.knownRunByNumber(runNo);
    if (known || draft.isNew || runNo === 0) return known;
    return this.adopt(reader, draft, this.repository.runByNumber(reader, draft.pk, runNo));
  }

  /** The runs of an agent that have not ended. */
  async openRunsOfAgent(reader: SqlReader, draft: ThreadDraft, agentId: string): Promise<RunState[]> {
    const rows = draft.isNew ? [] : await this.repository.openRunsOfAgent(reader, draft.pk, agentId);
    for (const row of rows) if (!draft.knownRun(row.trace_id)) draft.adopt(await this.load(reader, row));
    return [...draft.runs.values()].filter(({ row }) => row.agent_id === agentId && !isEnded(row.status));
  }

  /** The last non-empty lists of an agent's runs, for its next run to go on from. */
  tailsOfAgent(reader: SqlReader, draft: ThreadDraft, agentId: string): Awaitable<Tails> {
    const agent = draft.agents.get(agentId);
    if (!agent) return NO_TAILS;
    return after(this.byNumber(reader, draft, agent.latest_run), (run) => {
      if (run && run.history.list.count > 0) return { history: run.history, meta: run.meta };
      return draft.isNew ? NO_TAILS : this.storedTails(reader, draft, agentId);
    });
  }

  private async storedTails(reader: SqlReader, draft: ThreadDraft, agentId: string): Promise<Tails> {
    const row = await this.repository.lastHistoryOfAgent(reader, draft.pk, agentId);
    return {
      history: await this.tail(reader, row, HISTORY),
      meta: await this.tail(reader, row, HISTORY_META),
    };
  }

  private async adopt(reader: SqlReader, draft: ThreadDraft, found: Promise<Run | null>): Promise<RunState | null> {
    const row = await found;
    return row && draft.adopt(await this.load(reader, row));
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
