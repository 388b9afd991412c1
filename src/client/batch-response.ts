/** An event that the API refused for good. */
export interface RejectedReport {
  /** The event as it was sent, JSON text. */
  event: string;
  /** The API's stable code, such as `invalid_event` or `agent_not_allowed`; `too_large_for_proxy` if the event never reached the API. */
  code: string;
  /** A message for people; the API's messages name the field. */
  detail: string;
}

/** A run of this client that a person has cancelled: its program must stop. */
export interface CancelledRun {
  thread_id: string;
  trace_id: string;
}

/** What the response to a batch means for its events. */
export type BatchVerdict =
  /** Stored, except the listed ones (by position in the batch), which the API refuses for good. */
  | {
      kind: 'taken';
      rejected: readonly { index: number; code: string; detail: string }[];
      cancelled: readonly CancelledRun[];
    }
  /** The whole batch was refused; smaller ones show which event is to blame. */
  | { kind: 'refused'; code: string; detail: string }
  /** The same batch may succeed later. */
  | { kind: 'retry'; reason: string; retryAfterMs: number | null };

interface Rejection {
  index?: unknown;
  code?: unknown;
  detail?: unknown;
}

interface AnswerBody {
  rejected?: Rejection[];
  control?: unknown;
  code?: unknown;
  detail?: unknown;
}

/** Statuses by which the API itself faults the request. */
const AT_FAULT = new Set([400, 413, 422]);

/** Retrying would fail, too, and would block everything behind it forever. */
const TOO_LARGE_FOR_PROXY: BatchVerdict = {
  kind: 'refused',
  code: 'too_large_for_proxy',
  detail: 'Status 413, but not of the API: something on the way to it lets no body of this size through.',
};

/**
 * Reads the response to a batch. Except for size, only the API may refuse events for good: after a response from anything else, such as
 * a proxy, or about the token, the client retries.
 */
export function readBatchResponse(status: number, text: string, retryAfter: string | null): BatchVerdict {
  const body = parse(text);
  if ((status === 200 || status === 207) && Array.isArray(body?.rejected)) return taken(body.rejected, body.control);
  if (AT_FAULT.has(status) && typeof body?.code === 'string') {
    if (Array.isArray(body.rejected)) return taken(body.rejected);
    return { kind: 'refused', code: body.code, detail: String(body.detail ?? '') };
  }
  if (status === 413) return TOO_LARGE_FOR_PROXY;
  const words = typeof body?.detail === 'string' ? `: ${body.detail}` : '';
  return { kind: 'retry', reason: `status ${status}${words}`, retryAfterMs: secondsToMs(retryAfter) };
}

function taken(rejections: readonly Rejection[], control?: unknown): BatchVerdict {
  const rejected = rejections.map(({ index, code, detail }) => ({
    index: Number(index),
    code: String(code),
    detail: String(detail),
  }));
  return { kind: 'taken', rejected, cancelled: cancelledIn(control) };
}

/** Ignores actions unknown to this version. */
function cancelledIn(control: unknown): CancelledRun[] {
  const items: unknown[] = Array.isArray(control) ? control : [];
  return items.flatMap((item) => {
    const { action, thread_id, trace_id } = (item ?? {}) as Record<string, unknown>;
    const isCancelled = action === 'cancel' && typeof thread_id === 'string' && typeof trace_id === 'string';
    return isCancelled ? [{ thread_id, trace_id }] : [];
  });
}

function parse(text: string): AnswerBody | null {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : null;
  } catch {
    return null;
  }
}

function secondsToMs(retryAfter: string | null): number | null {
  return retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1000 : null;
}
