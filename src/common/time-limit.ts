/** A signal that aborts after a time unless it is cleared first. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  clear(): void;
}

/**
 * Differs from `AbortSignal.timeout` in two ways. After the process or the machine was suspended, timers fire before Node reads pending
 * input; this one reads it first, because a response that arrived in time must not count as missing. And it stays alive if only another
 * signal refers to it, which the other does not in Node 20.
 * @param reason of the abort. Default: an `AbortError`
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
