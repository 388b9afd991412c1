/** A signal that aborts after a time, until it is cleared. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  clear(): void;
}

/**
 * Differs from `AbortSignal.timeout` where the process, or the machine, stood still: timers come before what has arrived meanwhile,
 * so that is let in first. An answer that was there in time must not count as missing. Nor is it lost where only another signal
 * refers to it, as happens to that one in Node 20.
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
