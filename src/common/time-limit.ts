/** A signal that aborts after a time, unless it is cleared before. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  clear(): void;
}

/**
 * Differs from `AbortSignal.timeout` in two ways. After the process or the machine stood still, timers fire before Node reads what has
 * arrived meanwhile; this one lets that in first, because an answer that arrived in time must not count as missing. And it survives
 * when only another signal refers to it, which the other does not in Node 20.
 * @param reason with which it aborts; an `AbortError` when absent
 */
export function timeLimit(ms: number, reason?: Error): TimeLimit {
  const controller = new AbortController();
  let isCleared = false;
  const timer = setTimeout(() => {
    setImmediate(() => {
      if (!isCleared) controller.abort(reason);
    });
  }, ms);
  const clear = () => {
    isCleared = true;
    clearTimeout(timer);
  };
  return { signal: controller.signal, clear };
}
