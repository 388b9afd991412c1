import type { RunnableConfig } from '@langchain/core/runnables';
import type { Schemas } from '@waystation/client';

export type Serialized = Schemas['SerializedDto'];
export type SentValue = Schemas['SentValueDto'];
export type StoredState = Schemas['StateDto'];
/** What is known of the values of a checkpoint, by their channels. */
export type Digests = Record<string, Omit<Schemas['StateValueDto'], 'data'>>;

export interface Place {
  threadId: string;
  ns: string;
  checkpointId: string | undefined;
}

export type StoredPlace = Place & { checkpointId: string };

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

/** A checkpoint in a path of the API. */
export interface Address<P extends Place> {
  thread_id: string;
  checkpoint_id: P['checkpointId'];
}
