import type { RunnerEvent } from '../factories/events.js';
import type { Answer, ApiClient } from './api-client.js';
import { EVENTS } from './recording.js';

export interface Lease {
  fence: number;
  holder: string;
  expires_at: string;
}

export function leasePath(threadId: string, query = '', traceId = 'run-1'): string {
  return `/v1/runners/threads/${encodeURIComponent(threadId)}/runs/${encodeURIComponent(traceId)}/lease${query}`;
}

/** Claims the lease of `run-1`, or of another trace. */
export function claim(
  api: ApiClient,
  threadId: string,
  holder: string,
  { trace_id: traceId = 'run-1', ...more }: Record<string, unknown> & { trace_id?: string } = {},
): Promise<Answer> {
  return api.post(leasePath(threadId, '', traceId), { holder, ...more });
}

/** The same for a caller that must get it with a new fence. */
export async function leased(...claimed: Parameters<typeof claim>): Promise<number> {
  const answer = await claim(...claimed);
  if (answer.status !== 201) throw new Error(`Expected a new lease, got ${answer.status}: ${answer.text}`);
  return answer.json<Lease>().fence;
}

export async function release(api: ApiClient, threadId: string, fence: number, traceId = 'run-1'): Promise<void> {
  const answer = await api.delete(leasePath(threadId, `?fence=${fence}`, traceId));
  if (answer.status !== 204) throw new Error(`The lease was not released: ${answer.status} ${answer.text}`);
}

/** The event as reported under a lease. */
export function fenced(event: RunnerEvent, fence: number | null): RunnerEvent & { fence?: number } {
  return fence === null ? event : { ...event, fence };
}

/** Posts the events in one batch. @returns for each `saved` or the code of its refusal */
export async function outcomesOf(api: ApiClient, ...events: RunnerEvent[]): Promise<string[]> {
  const answer = await api.post(EVENTS, { events });
  const { rejected = [] } = answer.json<{ rejected?: { index: number; code: string }[] }>();
  return events.map((_, index) => rejected.find((one) => one.index === index)?.code ?? 'saved');
}
