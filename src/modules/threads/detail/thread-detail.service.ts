import { Injectable } from '@nestjs/common';
import { decodeCursor, toPage } from '../../../common/pagination.js';
import type { Piece } from '../../../common/piece.js';
import type { Run } from '../entities/run.entity.js';
import { type ExtraMember, threadNotFound } from '../threads.contract.js';
import type { EntryKey, KeyedEntry } from '../logs/entry-order.js';
import { elementsOf, NO_ELEMENTS } from '../message-log/new-elements.js';
import { ThreadElements } from '../message-log/thread-elements.js';
import { ThreadCheckpointsRepository } from '../checkpoints/thread-checkpoints.repository.js';
import { ThreadReports } from '../checkpoints/thread-reports.js';
import type { ThreadDetailQuery } from './thread-detail.query.js';
import { flagMembers } from '../flags/flags.contract.js';
import { ThreadFlagsService } from '../flags/thread-flags.service.js';
import { itemMembers } from '../list/thread-item.json.js';
import { ThreadLogsService } from '../logs/thread-logs.service.js';
import type { ListedRun } from './listed-run.js';
import { RunList } from './run-list.json.js';
import { ordersJson } from './run-orders.json.js';
import { ThreadDetailRepository } from './thread-detail.repository.js';

/** What another module adds to each run of a thread: a member as exact JSON. */
export interface RunSupplement {
  /** Its name, also in `include`. */
  readonly name: string;

  /** @returns JSON by run number; runs without an entry get an empty list */
  of(threadPk: number, runs: readonly SupplementedRun[]): Promise<ReadonlyMap<number, string>>;
}

export type SupplementedRun = Pick<Run, 'run_no' | 'trace_id' | 'agent_id'>;

/** Marks where runs and logs go; JSON text never contains this character. */
const GAP = '\0';
const LOGS_SCOPE = 'logs';
const LAST_PAGE: ExtraMember = { name: '"logs_next_cursor"', value: 'null' };

@Injectable()
export class ThreadDetailService {
  private readonly supplements: RunSupplement[] = [];

  constructor(
    private readonly repository: ThreadDetailRepository,
    private readonly checkpoints: ThreadCheckpointsRepository,
    private readonly elements: ThreadElements,
    private readonly logs: ThreadLogsService,
    private readonly flags: ThreadFlagsService,
  ) {}

  addSupplement(supplement: RunSupplement): void {
    this.supplements.push(supplement);
  }

  /**
   * The thread's item with its history, runs and logs as JSON, exactly as reported, in pieces, so that it needs little memory however long
   * the thread is.
   * @throws DomainError `not_found` or `invalid` before the first piece; `not_found` later if the thread is deleted meanwhile
   */
  async *detail(query: ThreadDetailQuery): AsyncGenerator<Piece> {
    const after = query.logsCursor === null ? undefined : entryIn(query.logsCursor);
    const version = await this.checkpoints.findVersion(query.threadId);
    const item = version && (await this.repository.findItem(query.threadId));
    if (!item) throw threadNotFound();
    const runs = await this.repository.runsOf(version.pk);
    const reports = new ThreadReports(this.checkpoints, version);
    const runList = await this.runList(reports);
    const [flagsOf, flagsOfRun] = await Promise.all([
      this.flags.flagsOf([item]),
      this.flags.flagsOfRuns(version.pk, runs),
    ]);
    const supplements = await this.supplementsOf(version.pk, runs, query.included);
    supplements.set('events', ordersJson(await this.repository.ordersOf(version.pk)));
    const page = query.logsLimit === null ? null : await this.logsPage(runs, reports, query.logsLimit, after);
    const members = [
      { name: '"run_list"', value: `[${GAP}]` },
      ...(page ?? [{ name: '"logs"', value: `[${GAP}]` }, ...(after ? [LAST_PAGE] : [])]),
    ];
    const [head, behindRuns, behindLogs] = itemMembers(item, members).split(GAP);
    yield `{${head}`;
    for (const [index, run] of runs.entries()) {
      yield `${index > 0 ? ',' : ''}${runList.json(await this.repository.whole(version.pk, run), flagsOfRun(run.run_no), supplements)}`;
    }
    yield behindRuns!;
    if (behindLogs !== undefined) {
      yield* this.allLogs(runs, reports, after);
      yield behindLogs;
    }
    yield ',"history":[';
    const places = query.hasHistory ? elementsOf(item) : NO_ELEMENTS;
    const { history, meta } = this.elements.of(version.pk);
    yield* history.slices(places.history);
    yield '],"history_meta":[';
    yield* meta.slices(places.meta);
    yield `],${flagMembers(flagsOf(version.pk))}}`;
  }

  private async runList(reports: ThreadReports): Promise<RunList> {
    const list = new RunList();
    for await (const report of reports) list.add(report);
    return list;
  }

  private async supplementsOf(threadPk: number, runs: readonly ListedRun[], included: readonly string[]) {
    const more = new Map<string, ReadonlyMap<number, string>>();
    for (const supplement of this.supplements.filter(({ name }) => included.includes(name))) {
      more.set(supplement.name, await supplement.of(threadPk, runs));
    }
    return more;
  }

  private async *allLogs(
    runs: readonly ListedRun[],
    reports: ThreadReports,
    after: EntryKey | undefined,
  ): AsyncGenerator<Piece> {
    let count = 0;
    for await (const { text } of this.logs.logs(runs, reports, { after })) {
      yield count === 0 ? text : `,${text}`;
      count += 1;
    }
    // Logs of a deleted thread would just lack messages.
    if (!(await this.checkpoints.isThere(reports.version.pk))) throw threadNotFound();
  }

  private async logsPage(
    runs: readonly ListedRun[],
    reports: ThreadReports,
    limit: number,
    after: EntryKey | undefined,
  ): Promise<ExtraMember[]> {
    const entries: KeyedEntry[] = [];
    for await (const entry of this.logs.logs(runs, reports, { after, atMost: limit + 1 })) entries.push(entry);
    if (!(await this.checkpoints.isThere(reports.version.pk))) throw threadNotFound();
    const { items, next_cursor } = toPage(entries, limit, LOGS_SCOPE, ({ key }) => key);
    return [
      { name: '"logs"', value: `[${items.map(({ text }) => text).join(',')}]` },
      { name: LAST_PAGE.name, value: JSON.stringify(next_cursor) },
    ];
  }
}

function entryIn(cursor: string): EntryKey {
  const key = decodeCursor(LOGS_SCOPE, cursor, ['bigint', 'integer', 'integer'], 'logs_cursor') as number[];
  return [key[0]!, key[1]!, key[2]!];
}
