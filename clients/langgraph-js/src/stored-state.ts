import type { RunnableConfig } from '@langchain/core/runnables';

export interface Serialized {
  type: string;
  data: string;
}

export type StoredValue = Serialized & { version: number | string; digest: string };
export type SentValue = { version: number | string; type: string } & ({ data: string } | { digest: string });

export interface StoredState {
  thread_id: string;
  ns: string;
  checkpoint_id: string;
  parent_id: string | null;
  checkpoint: Serialized;
  metadata: unknown;
  values: Record<string, StoredValue>;
  writes: (Serialized & { task_id: string; channel: string })[];
}

export type Digests = Record<string, Omit<StoredValue, 'data'>>;

export interface Place {
  threadId: string;
  ns: string;
  checkpointId: string | undefined;
}

export function placeOf({ configurable }: RunnableConfig): Place {
  const threadId = configurable?.['thread_id'] as unknown;
  if (threadId === undefined || threadId === null) throw missing('thread_id');
  const { checkpoint_ns, checkpoint_id } = configurable as Record<string, string | undefined>;
  return { threadId: String(threadId), ns: checkpoint_ns ?? '', checkpointId: checkpoint_id || undefined };
}

export function configOf(threadId: string, ns: string, checkpointId: string): RunnableConfig {
  return { configurable: { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: checkpointId } };
}

export function keyOf({ threadId, ns, checkpointId }: Place): string {
  return JSON.stringify([threadId, ns, checkpointId]);
}

export function missing(name: string): Error {
  return new Error(`The configuration of the graph has no "${name}" in its "configurable".`);
}
