/** Features announced to clients once every server on the storage has them. */
const TOLD = ['history_base', 'questions'] as const;

/**
 * Features of this version beyond the first one. `state_leftovers`: storing a checkpoint of a graph removes the notes of the values that it
 * names.
 */
export const FEATURES = [...TOLD, 'state_leftovers'] as const;

/** Response header to reports: the features that all servers on the storage have. */
export const FEATURES_HEADER = 'Waystation-Features';

/** The features common to all running servers on the storage, as of the last check. */
export class SharedFeatures {
  /** The value of the header; empty if there is none. */
  header = '';
  /** Whether every server removes the notes of values that graphs' checkpoints name: then noted values may be deleted. */
  hasStateLeftovers = false;

  /** @param servers the features of each running server, separated by spaces; includes this one's */
  learn(servers: readonly string[]): void {
    const sets = servers.map((features) => new Set(features.split(' ')));
    const isShared = (feature: (typeof FEATURES)[number]) => sets.every((set) => set.has(feature));
    this.header = TOLD.filter(isShared).join(', ');
    this.hasStateLeftovers = isShared('state_leftovers');
  }
}
