import { Injectable } from '@nestjs/common';
import type { Piece } from '../../http/json-stream.js';
import { elementsOf } from './reading/new-elements.js';
import type { ReportRow } from './reading/report-row.js';
import { ThreadElements } from './reading/thread-elements.js';
import { itemMembers } from './thread-item.js';
import { ThreadLogsService } from './thread-logs.service.js';
import { runListJson } from './thread-runs.js';
import { threadNotFound } from './threads.errors.js';
import { ThreadsRepository } from './threads.repository.js';

/** Checkpoints that are read at once. */
const PAGE = 500;

/** Holds the place of the logs; no JSON text has this character in it. */
const GAP = '\0';

/** Everything about one thread. */
@Injectable()
export class ThreadDetailService {
  constructor(
    private readonly threads: ThreadsRepository,
    private readonly elements: ThreadElements,
    private readonly logs: ThreadLogsService,
  ) {}

  /**
   * The thread's item with its history, its runs and its logs as JSON, as exact as it was reported.
   * @throws DomainError `not_found` before the first piece
   */
  async *detail(threadId: string): AsyncGenerator<Piece> {
    const item = await this.threads.findItem(threadId);
    if (!item) throw threadNotFound();
    const pk = item.thread_pk;
    const runs = await this.threads.runsOf(pk);
    const reports = await this.reportsOf(pk);
    const logs = await this.logs.logs(pk, runs, reports);
    // Messages that are missing now would only have been left out.
    if (!(await this.threads.isThere(pk))) throw threadNotFound();
    const further = [
      { name: '"run_list"', value: runListJson(runs, reports) },
      { name: '"logs"', value: `[${GAP}]` },
    ];
    const [head, tail] = itemMembers(item, further).split(GAP);
    yield `{${head}`;
    for (const [index, entry] of logs.entries()) yield index === 0 ? entry : `,${entry}`;
    yield `${tail},"history":[`;
    const places = elementsOf(item);
    const { history, meta } = this.elements.of(pk);
    yield* history.slices(places.history);
    yield '],"history_meta":[';
    yield* meta.slices(places.meta);
    yield ']}';
  }

  private async reportsOf(pk: number): Promise<ReportRow[]> {
    const reports: ReportRow[] = [];
    for (;;) {
      const page = await this.threads.reportsAfter(pk, reports.at(-1)?.seq ?? 0, PAGE);
      reports.push(...page);
      if (page.length < PAGE) return reports;
    }
  }
}
