/** A signal that aborts after a time, until it is cleared. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  clear(): void;
}

/**
 * Differs from `AbortSignal.timeout` where the process, or the machine, stood still: timers come before what has arrived meanwhile,
 * so that is let in first. An answer that was there in time must not count as missing.
 */
export function timeLimit(ms: number): TimeLimit {
  const controller = new AbortController();
  let isCleared = false;
  const timer = setTimeout(() => {
    setImmediate(() => {
      if (!isCleared) controller.abort();
    });
  }, ms);
  const clear = () => {
    isCleared = true;
    clearTimeout(timer);
  };
  return { signal: controller.signal, clear };
}
