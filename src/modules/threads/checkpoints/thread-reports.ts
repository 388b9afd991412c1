import type { ThreadCheckpointsRepository, ThreadVersion } from './thread-checkpoints.repository.js';
import type { LongReport, ReportRow } from './report-row.js';

const PAGE = 500;

/**
 * A thread's checkpoints that were current at one of its changes, in arrival order. Every iteration yields the same ones, a page at a time.
 */
export class ThreadReports implements AsyncIterable<ReportRow> {
  private first: readonly (ReportRow | LongReport)[] | null = null;

  constructor(
    private readonly repository: ThreadCheckpointsRepository,
    readonly version: ThreadVersion,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<ReportRow> {
    this.first ??= await this.repository.reportsAfter(this.version, 0, PAGE);
    let page = this.first;
    for (;;) {
      for (const report of page) yield await this.repository.wholeReport(this.version.pk, report);
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      page = await this.repository.reportsAfter(this.version, last.seq, PAGE);
    }
  }
}
