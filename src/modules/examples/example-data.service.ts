import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { ThreadDeletionService } from '../threads/deletion/thread-deletion.service.js';
import { ThreadImportService } from '../threads/transfer/thread-import.service.js';
import { exampleThreads, type ExampleThread } from './example-recording.js';
import { ExampleSurroundings, ignoring } from './example-surroundings.service.js';

/** Loads and removes example data: a day of runs in every state, with agents and channels. */
@Injectable()
export class ExampleDataService {
  constructor(
    private readonly imports: ThreadImportService,
    private readonly deletion: ThreadDeletionService,
    private readonly surroundings: ExampleSurroundings,
    private readonly clock: Clock,
  ) {}

  /** How many example threads exist, and how many there are in all. */
  async count(): Promise<{ threads: number; available: number }> {
    const all = await exampleThreads(this.clock.nowMs());
    return { threads: (await this.there(all)).length, available: all.length };
  }

  /**
   * Adds what is missing. Existing threads, agents and channels stay unchanged, whoever created them.
   * @throws DomainError `unavailable` while the server runs as many imports as it can
   */
  async load(): Promise<{ added: number; existing: number }> {
    const nowMs = this.clock.nowMs();
    const all = await exampleThreads(nowMs);
    let added = 0;
    for (const { rows } of all) added += Number(await this.add(rows));
    await this.surroundings.load(nowMs);
    return { added, existing: all.length - added };
  }

  /** Removes only what `load` added. */
  async remove(): Promise<{ removed: number }> {
    const nowMs = this.clock.nowMs();
    const all = await exampleThreads(nowMs);
    let removed = 0;
    for (const { threadId, traceId } of await this.there(all))
      removed += Number(await this.deletion.erase(threadId, traceId));
    await this.surroundings.remove(nowMs);
    return { removed };
  }

  private async there(all: readonly ExampleThread[]): Promise<ExampleThread[]> {
    const found = new Set(await this.deletion.findByRuns(all.map(({ traceId }) => traceId)));
    return all.filter(({ threadId }) => found.has(threadId));
  }

  private async add(rows: ExampleThread['rows']): Promise<boolean> {
    return (await ignoring('conflict', this.imports.importRows(rows))) !== null;
  }
}
