import { checkpoint, conversation } from '../factories/events.js';
import type { ApiClient } from './api-client.js';
import { checkpointsOf, EVENTS } from './recording.js';

const WRITERS = 8;

/** Writers that report as fast as the server responds, until it is gone, and remember what was acknowledged. */
export class CrashLoad {
  /** Statuses of responses other than 200. */
  readonly refusals: number[] = [];
  /** The highest acknowledged step of each thread. */
  private readonly acknowledged = new Map<string, number>();

  /** Ends when every writer has lost its server. */
  async run(api: ApiClient, name: string): Promise<void> {
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => this.write(api, `${name}-${writer}`)));
  }

  acknowledgedIn(name: string): number {
    const steps = [...this.acknowledged]
      .filter(([threadId]) => threadId.startsWith(`${name}-`))
      .map(([, step]) => step + 1);
    return steps.reduce((sum, count) => sum + count, 0);
  }

  /** Every acknowledged step reads back exactly; an unacknowledged last one is stored whole or not at all. */
  async verify(api: ApiClient): Promise<void> {
    for (const [threadId, highest] of this.acknowledged) {
      const rows = await checkpointsOf(api, threadId);
      expect(rows.length).toBeGreaterThanOrEqual(highest + 1);
      expect(rows.length).toBeLessThanOrEqual(highest + 2);
      expect(rows.map((row) => [row.step_index, row.history])).toEqual(
        rows.map((_, step) => [step, historyOf(threadId, step)]),
      );
    }
  }

  private async write(api: ApiClient, threadId: string): Promise<void> {
    for (let step = 0; ; step++) {
      const events = [checkpoint(threadId, step, { history: historyOf(threadId, step) })];
      const answer = await api.post(EVENTS, { events }).catch(() => undefined);
      if (answer?.status !== 200) {
        if (answer) this.refusals.push(answer.status);
        return;
      }
      this.acknowledged.set(threadId, step);
    }
  }
}

/** A window of twenty messages, so that long loads stay small. */
function historyOf(threadId: string, step: number): Record<string, unknown>[] {
  return conversation(2 * step + 2, ` of ${threadId}`).slice(-20);
}
