import { useSyncExternalStore } from 'react';

let reachable = true;
const listeners = new Set<() => void>();

/** Every request and stream reports here whether the server responded. */
export function reportReachable(answered: boolean): void {
  if (answered === reachable) return;
  reachable = answered;
  for (const listener of listeners) listener();
}

export function isReachable(): boolean {
  return reachable;
}

export function onReachableChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether the server responded to the last request of this tab. */
export function useReachable(): boolean {
  return useSyncExternalStore(onReachableChange, isReachable);
}
