import { checkpoint, newThreadId, type RunnerEvent } from '../factories/events.js';
import type { ApiClient } from './api-client.js';
import { recordEach } from './recording.js';

export const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
export const everySecond = (count: number) => numbers(2 * count).filter((i) => i % 2 === 0);

/** A thread with a report `base` whose lists omit every second element of the earlier ones. */
export async function fragmented(api: ApiClient, count: number): Promise<string> {
  const threadId = newThreadId();
  const lists = (elements: number[]) => ({ history: elements, history_meta: elements });
  await recordEach(api, checkpoint(threadId, 0, lists(numbers(2 * count))), {
    ...checkpoint(threadId, 1, lists(everySecond(count))),
    id: `${threadId} base`,
  });
  return threadId;
}

/** A report that continues from the first elements of another one. */
export function onBase(
  threadId: string,
  step: number,
  [id, base, length]: readonly [id: string, base: string, length: number],
  fields: Record<string, unknown> = {},
): RunnerEvent {
  const added = fields.added ?? [`message of ${id}`];
  const data = { history: added, history_meta: added, history_base: { id: `${threadId} ${base}`, length } };
  const { added: _added, ...others } = fields;
  return { ...checkpoint(threadId, step, { ...data, ...others }), id: `${threadId} ${id}` };
}
