import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../common/domain-error.js';
import { threadNotFound } from '../threads.contract.js';
import { ExportWriter } from './export-lines.js';
import { ThreadExportRepository } from './thread-export.repository.js';
import { ThreadShapes } from './thread-shapes.js';

/** Each holds a connection and keeps the database from vacuuming. */
const MAX_EXPORTS = 2;
/** Milliseconds that a reader may pause. */
const MAX_PAUSE_MS = 45_000;

/** Writes threads as JSON lines, exactly as they are stored. */
@Injectable()
export class ThreadExportService {
  private running = 0;

  constructor(
    private readonly repository: ThreadExportRepository,
    private readonly shapes: ThreadShapes,
  ) {}

  /**
   * The whole thread as of one moment, line by line; the last line says that it is complete. Needs memory for one page of rows.
   * @throws DomainError `not_found`; `unavailable` if `MAX_EXPORTS` are running, or later if the reader pauses too long
   */
  async *export(threadId: string): AsyncGenerator<string> {
    if (threadId.includes('\0')) throw threadNotFound();
    if (this.running >= MAX_EXPORTS) throw busy('exports');
    this.running += 1;
    try {
      yield* this.linesOf(threadId);
    } finally {
      this.running -= 1;
    }
  }

  private async *linesOf(threadId: string): AsyncGenerator<string> {
    const snapshot = await this.repository.snapshot();
    const watch = new ReaderWatch(() => snapshot.close());
    try {
      const thread = await this.repository.findThread(snapshot, threadId);
      if (!thread) throw threadNotFound();
      const writer = new ExportWriter();
      yield* watch.during([writer.begin(), writer.row('thread', this.shapes.thread.exported(thread))]);
      for (const shape of [...this.shapes.large, ...this.shapes.small]) {
        for await (const rows of this.repository.pages(snapshot, shape, thread.pk)) {
          const lines = rows.map((row) => writer.row(shape.table, shape.exported(row)));
          yield* watch.during(lines);
        }
      }
      yield writer.end();
    } finally {
      if (!watch.hasGivenUp) await snapshot.close();
    }
  }
}

/** Closes an export's resources if its reader pauses too long. */
class ReaderWatch {
  hasGivenUp = false;

  constructor(private readonly giveUp: () => Promise<void>) {}

  /** @throws DomainError `unavailable` if the reader has paused too long */
  *during(lines: readonly string[]): Generator<string> {
    const timer = setTimeout(() => {
      this.hasGivenUp = true;
      this.giveUp().catch(() => undefined);
    }, MAX_PAUSE_MS).unref();
    try {
      for (const line of lines) {
        yield line;
        if (this.hasGivenUp) throw tooSlow();
        timer.refresh();
      }
    } finally {
      clearTimeout(timer);
    }
  }
}

export function busy(what: string): DomainError {
  return new DomainError('unavailable', 'busy', `Too many ${what} are running; try again shortly.`, {
    retryAfterSeconds: 5,
  });
}

function tooSlow(): DomainError {
  return new DomainError('unavailable', 'reader_too_slow', 'The export was not read for too long; start it again.');
}
