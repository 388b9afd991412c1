import { Injectable } from '@nestjs/common';
import type { SqlSession } from '../../../database/database.js';
import type { Checkpoint } from '../entities/checkpoint.entity.js';
import { HISTORY, HISTORY_META } from '../entities/message.entity.js';
import type { Run } from '../entities/run.entity.js';
import { JournalRepository } from './journal.repository.js';
import { parseRanges } from './ranges.js';
import { isEnded } from './reported-event.js';
import { TextList } from '../../../common/text-list.js';
import { NO_TAIL, type ListTail, type RunState } from './thread-state.js';
import type { ThreadDraft } from './thread-draft.js';

/** Finds runs, in the draft, in what was committed before, or in the database. */
@Injectable()
export class RunLoader {
  constructor(private readonly repository: JournalRepository) {}

  async byTrace(session: SqlSession, draft: ThreadDraft, traceId: string): Promise<RunState | null> {
    const known = draft.knownRun(traceId);
    if (known || draft.isNew) return known;
    const row = await this.repository.runByTrace(session, draft.pk, traceId);
    return row && draft.adopt(await this.load(session, row));
  }

  async byNumber(session: SqlSession, draft: ThreadDraft, runNo: number): Promise<RunState | null> {
    const known = draft.knownRunByNumber(runNo);
    if (known || draft.isNew || runNo === 0) return known;
    const row = await this.repository.runByNumber(session, draft.pk, runNo);
    return row && draft.adopt(await this.load(session, row));
  }

  /** The runs of an agent that have not ended. */
  async openRunsOfAgent(session: SqlSession, draft: ThreadDraft, agentId: string): Promise<RunState[]> {
    const rows = draft.isNew ? [] : await this.repository.openRunsOfAgent(session, draft.pk, agentId);
    for (const row of rows) if (!draft.knownRun(row.trace_id)) draft.adopt(await this.load(session, row));
    return [...draft.runs.values()].filter(({ row }) => row.agent_id === agentId && !isEnded(row.status));
  }

  /** The last non-empty lists of an agent's runs, for its next run to go on from. */
  async tailsOfAgent(
    session: SqlSession,
    draft: ThreadDraft,
    agentId: string,
  ): Promise<Pick<RunState, 'history' | 'meta'>> {
    const agent = draft.agents.get(agentId);
    if (!agent) return { history: NO_TAIL, meta: NO_TAIL };
    const run = await this.byNumber(session, draft, agent.latest_run);
    if (run && run.history.list.count > 0) return { history: run.history, meta: run.meta };
    if (draft.isNew) return { history: NO_TAIL, meta: NO_TAIL };
    const row = await this.repository.lastHistoryOfAgent(session, draft.pk, agentId);
    return {
      history: await this.tail(session, row, HISTORY),
      meta: await this.tail(session, row, HISTORY_META),
    };
  }

  private async load(session: SqlSession, row: Run): Promise<RunState> {
    const latest = await this.repository.latestOfAttempt(session, row);
    const highestStepEver = await this.repository.highestStepEver(session, row);
    const withHistory = latest?.history ? latest : await this.repository.lastWithList(session, row, 'history');
    const withMeta = latest?.history_meta ? latest : await this.repository.lastWithList(session, row, 'history_meta');
    return {
      row,
      mark: row.mark === null ? null : JSON.parse(row.mark),
      latest,
      highestStepEver,
      history: await this.tail(session, withHistory, HISTORY),
      meta: await this.tail(session, withMeta, HISTORY_META),
    };
  }

  private async tail(session: SqlSession, row: Checkpoint | null, list: number): Promise<ListTail> {
    const text = list === HISTORY ? row?.history : row?.history_meta;
    if (!row || !text) return NO_TAIL;
    const ranges = parseRanges(text);
    return { list: TextList.join(await this.repository.elements(session, row.thread_pk, list, ranges)), ranges };
  }
}
