/** What clients are told, and use once every server on the storage understands it. */
const TOLD = ['history_base', 'questions'] as const;

/** What this version understands beyond the first one. `state_leftovers`: who stores a checkpoint of a graph takes away the notes of the values that it names. */
export const FEATURES = [...TOLD, 'state_leftovers'] as const;

/** Tells clients, with each answer to a report, which features all servers on the storage understand. */
export const FEATURES_HEADER = 'Waystation-Features';

/** Knows the features of all running servers on the storage, as far as the last look at them showed. */
export class SharedFeatures {
  /** The value of the header; empty while there is none. */
  header = '';
  /** Whether every server takes away the notes of values that checkpoints of graphs name: then noted values may be deleted. */
  hasStateLeftovers = false;

  /** @param servers what each running server understands, its names with spaces between; this one's among them */
  learn(servers: readonly string[]): void {
    const sets = servers.map((features) => new Set(features.split(' ')));
    const isShared = (feature: (typeof FEATURES)[number]) => sets.every((set) => set.has(feature));
    this.header = TOLD.filter(isShared).join(', ');
    this.hasStateLeftovers = isShared('state_leftovers');
  }
}
