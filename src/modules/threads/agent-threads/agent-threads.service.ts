import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../common/domain-error.js';
import { rangeOf } from '../../../common/id-range.js';
import { decodeCursor, encodeCursor, toPage, type Page } from '../../../common/pagination.js';
import type { Piece } from '../../../common/piece.js';
import type { RunOfToken } from '../../../common/principal.js';
import { Database } from '../../../database/database.js';
import { Reporter } from '../bindings/reporter.js';
import { RunKinship } from '../bindings/run-kinship.js';
import { ThreadDeletionService } from '../deletion/thread-deletion.service.js';
import { ThreadFlagsService } from '../flags/thread-flags.service.js';
import { RunList } from '../detail/run-list.json.js';
import { threadNotFound } from '../threads.contract.js';
import { AgentThreadsRepository, type ListedAgentThread, type AgentRun } from './agent-threads.repository.js';

export interface ThreadOwner {
  /** The only agents that the token may speak for; null for all. */
  agentIds: readonly string[] | null;
  /** The only run that the token is for; null for any. */
  run: RunOfToken | null;
}

export interface PageOrder {
  limit: number;
  cursor: string | null;
}

export type { ListedAgentThread };

const THREADS = 'own threads';
const RUNS = 'own runs';
const AT_ONCE = 500;
/** Attempts at a deletion while others keep reporting. */
const MAX_TRIES = 20;

/** Lets agents' own tokens list, read and delete threads. Threads with other agents do not exist for them. */
@Injectable()
export class AgentThreadsService {
  constructor(
    private readonly repository: AgentThreadsRepository,
    private readonly deletion: ThreadDeletionService,
    private readonly database: Database,
    private readonly flags: ThreadFlagsService,
  ) {}

  /**
   * Threads with runs whose ids begin with the prefix, in code-point order.
   * @throws DomainError `invalid` for a cursor of another list
   */
  async list(
    prefix: string,
    { agentIds }: ThreadOwner,
    { limit, cursor }: PageOrder,
  ): Promise<Page<ListedAgentThread>> {
    const after = cursor === null ? null : String(decodeCursor(THREADS, cursor, ['text'])[0]);
    // No id contains these.
    if (prefix.includes('\0') || !prefix.isWellFormed()) return { items: [], next_cursor: null };
    const range = rangeOf(prefix);
    const rows = await this.repository.page(range, after, limit + 1, agentIds);
    return toPage(rows, limit, THREADS, ({ id }) => [id]);
  }

  /**
   * A page of the thread's runs of the caller's agents and of the runs below them, as JSON.
   * @throws DomainError `not_found`, or `invalid` for a cursor of another list, before the first piece
   */
  async *runs(threadId: string, { agentIds }: ThreadOwner, { limit, cursor }: PageOrder): AsyncGenerator<Piece> {
    const after = cursor === null ? 0 : Number(decodeCursor(RUNS, cursor, ['integer'])[0]);
    const threadPk = threadId.includes('\0') ? null : await this.repository.findPk(threadId, agentIds);
    if (threadPk === null) throw threadNotFound();
    const seen = await this.runsSeen(threadPk, new Reporter(agentIds), after, limit + 1);
    const runs = seen.slice(0, limit);
    const list = new RunList();
    let last = { run_no: 0, attempt: 0, step_index: 0 };
    for (let isMore = runs.length > 0; isMore;) {
      const numbers = runs.map(({ run_no }) => run_no);
      const reports = await this.repository.reportsOf(threadPk, numbers, last, AT_ONCE);
      for (const report of reports) list.add(report);
      isMore = reports.length === AT_ONCE;
      last = reports.at(-1) ?? last;
    }
    const flagsOf = await this.flags.flagsOfRuns(threadPk, runs);
    const next = seen.length > limit ? encodeCursor(RUNS, [runs.at(-1)!.run_no]) : null;
    yield '{"items":[';
    for (const [index, run] of runs.entries()) {
      yield `${index > 0 ? ',' : ''}${list.json(await this.repository.whole(threadPk, run), flagsOf(run.run_no))}`;
    }
    yield `],"next_cursor":${JSON.stringify(next)}}`;
  }

  /**
   * Deletes a thread with everything in it if only the caller's agents took part.
   * @throws DomainError `not_found`; `run_not_allowed` for a run's token; `lease_held` while a process may drive one of its runs
   */
  async delete(threadId: string, { agentIds, run }: ThreadOwner): Promise<void> {
    if (run !== null) throw notForRuns();
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (threadId.includes('\0') || !(await this.repository.isOwn(this.database.reader, threadId, agentIds))) {
        throw threadNotFound();
      }
      const isDeleted = await this.deletion.deleteIf(threadId, async (draft, { reader, nowMs }) => {
        // Jobs in the same transaction may have reported to the thread; their rows are not stored yet.
        if (draft.isChanged || !(await this.repository.isOwn(reader, threadId, agentIds))) return false;
        if (await this.repository.isLeased(reader, draft.pk, nowMs)) throw leased();
        return true;
      });
      if (isDeleted) return;
    }
    throw new DomainError('unavailable', 'thread_busy', 'The thread keeps changing. Try again.', {
      retryAfterSeconds: 1,
    });
  }

  private async runsSeen(threadPk: number, reporter: Reporter, afterRun: number, limit: number): Promise<AgentRun[]> {
    const kinship = new RunKinship((traceId: string) => this.repository.runsOfTrace(threadPk, traceId));
    const seen: AgentRun[] = [];
    let after = afterRun;
    for (;;) {
      const rows = await this.repository.runsAfter(threadPk, after, AT_ONCE);
      for (const row of rows) {
        if (await kinship.isVisible(row, reporter)) seen.push(row);
        if (seen.length === limit) return seen;
      }
      if (rows.length < AT_ONCE) return seen;
      after = rows.at(-1)!.run_no;
    }
  }
}

function notForRuns(): DomainError {
  return new DomainError(
    'forbidden',
    'run_not_allowed',
    'The token is for a run; it may not delete threads. Use one without `run`.',
  );
}

function leased(): DomainError {
  const message =
    'A process holds the lease of a run in the thread. Delete it when the lease is released or has expired.';
  return new DomainError('conflict', 'lease_held', message);
}
