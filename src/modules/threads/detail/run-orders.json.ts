import { isoTime } from '../../../common/clock.js';
import { orderIn } from '../entities/run-order.js';
import type { ThreadEvent } from '../entities/thread-event.entity.js';

/** A cancellation or retry of a run. */
export type OrderEvent = Pick<ThreadEvent, 'run_no' | 'kind' | 'data' | 'created_at'>;

/** The events of each run as JSON, by run number. */
export function ordersJson(events: readonly OrderEvent[]): Map<number, string> {
  const byRun = new Map<number, object[]>();
  for (const { run_no, kind, data, created_at } of events) {
    if (run_no === null) continue;
    const { by, through, reason, attempt } = orderIn(data);
    const type = kind === 'retry' ? 'retried' : 'cancelled';
    const own = byRun.get(run_no) ?? [];
    byRun.set(run_no, own);
    own.push({ type, at: isoTime(created_at), by, through, reason, attempt });
  }
  return new Map([...byRun].map(([runNo, own]) => [runNo, JSON.stringify(own)]));
}
