import type { ApiClient } from './api-client.js';
import { ok, type Page } from './recording.js';
import { waitFor } from './wait.js';

export const NOTICES = '/v1/notices';

export interface NoticeRecord {
  id: string;
  url: string | null;
  enabled: boolean;
  disabled_reason: string | null;
  last_error: string | null;
  failing_since: string | null;
  waiting: number;
}

export interface DeliveryRecord {
  id: string;
  type: string;
  status: string;
  attempts: number;
  thread_id: string | null;
  next_attempt_at: string | null;
  last_status: number | null;
  last_error: string | null;
  last_answer: string | null;
}

const ALL = ['approval_waiting', 'run_completed', 'run_failed', 'run_budget_exceeded', 'budget_warning'];

export async function createNotice(
  api: ApiClient,
  url: string,
  more: Record<string, unknown> = {},
): Promise<NoticeRecord & { secret: string }> {
  const answer = await api.post(NOTICES, { name: 'On-call', url, events: ALL, ...more });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json();
}

export async function noticeOf(api: ApiClient, id: string): Promise<NoticeRecord> {
  return ok(await api.get(`${NOTICES}/${id}`)).json();
}

/** Newest first. */
export async function deliveriesOf(api: ApiClient, id: string, status = ''): Promise<DeliveryRecord[]> {
  const query = status === '' ? '' : `&status=${status}`;
  return ok(await api.get(`${NOTICES}/${id}/deliveries?limit=200${query}`)).json<Page<DeliveryRecord>>().items;
}

/** The notice's only delivery, once it has this many attempts, or is done. */
export function tried(api: ApiClient, id: string, attempts = 1): Promise<DeliveryRecord> {
  return waitFor('the attempt', async () => {
    const [delivery] = await deliveriesOf(api, id);
    return delivery !== undefined && delivery.attempts >= attempts && delivery;
  });
}
