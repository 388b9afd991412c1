import { createContext, useContext } from 'react';
import type { MessageStore } from './message-store.js';
import type { History, Step } from './steps.js';
import type { Approval, Effect, Thread, ThreadRun } from './thread-queries.js';
import type { LiveState } from './use-live-thread.js';

/** Another run to show, or another step of the selected one; null follows the latest step. */
export interface Selection {
  run?: string;
  step?: Pick<Step, 'attempt' | 'step_index'> | null;
}

/** A thread as shared by all parts of its view. */
export interface ThreadModel {
  id: string;
  /** Its figures and its runs, without messages and logs. */
  thread: Thread;
  runs: readonly ThreadRun[];
  /** Of all runs, by run as first seen, then by attempt, then by step. */
  steps: readonly Step[];
  /** Of every status. */
  approvals: readonly Approval[];
  /** Effects with an unknown outcome. */
  doubts: readonly Effect[];
  live: LiveState;
  /** The selected run, and its steps of all attempts. */
  run: ThreadRun;
  runSteps: readonly Step[];
  /** The selected step; undefined if the run has none. */
  step: Step | undefined;
  /** The messages of the selected step. */
  history: History;
  /** Whether the view moves to each new step by itself. */
  isFollowing: boolean;
  messages: MessageStore;
  select: (selection: Selection) => void;
}

export const ThreadContext = createContext<ThreadModel | null>(null);

export function useThread(): ThreadModel {
  const thread = useContext(ThreadContext);
  if (!thread) throw new Error('There is no thread around this component.');
  return thread;
}
