type Facts = Readonly<Record<string, unknown>>;

/** The server's log line of a request, for a terminal: `POST /v1/runners/events 200 9 ms`. Null for other events. */
export function requestSentence(event: string, facts: Facts): string | null {
  if (event !== 'request') return null;
  const { method, path, status = 'no answer', duration_ms, code, request_id, is_cut_off } = facts;
  const words = [method, path, status, Math.round(Number(duration_ms)), 'ms', code];
  if (is_cut_off === true) words.push('(the client went away)');
  if (Number(status) >= 500) words.push(`request_id=${String(request_id)}`);
  return words.filter((word) => word !== undefined).join(' ');
}
