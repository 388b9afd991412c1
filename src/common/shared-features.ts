/** What this version understands beyond the first one. Clients use it once every server on the storage does. */
export const FEATURES: readonly string[] = ['history_base'];

/** Tells clients, with each answer to a report, which features all servers on the storage understand. */
export const FEATURES_HEADER = 'Waystation-Features';

/** Knows the features of all running servers on the storage, as far as the last look at them showed. */
export class SharedFeatures {
  /** The value of the header; empty while there is none. */
  header = '';

  /** @param servers what each running server understands, its names with spaces between; this one's among them */
  learn(servers: readonly string[]): void {
    const sets = servers.map((features) => new Set(features.split(' ')));
    this.header = FEATURES.filter((feature) => sets.every((set) => set.has(feature))).join(', ');
  }
}
