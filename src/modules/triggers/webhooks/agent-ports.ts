import type { Definition } from '../definition/definition.js';

/** The ports of one agent process: requested and actual ones. They differ only for port 0. */
export class AgentPorts {
  /** Requested ports, each once. Without webhooks there is still one, for `/invoke` and `/health`. */
  wanted: readonly number[];
  private readonly wantedOf = new Map<number, number>();

  constructor(
    definition: Pick<Definition, 'webhooks'>,
    readonly defaultPort: number,
  ) {
    this.wanted = this.wantedBy(definition);
  }

  wantedBy({ webhooks }: Pick<Definition, 'webhooks'>): number[] {
    const ports = webhooks.map(({ port }) => port ?? this.defaultPort);
    return [...new Set(ports.length > 0 ? ports : [this.defaultPort])];
  }

  noteListening(wanted: number, actual: number): void {
    this.wantedOf.set(actual, wanted);
  }

  /** @returns its actual port */
  forget(wanted: number): number {
    const actual = this.actualFor(wanted) ?? wanted;
    this.wantedOf.delete(actual);
    return actual;
  }

  /** The requested port that became `actual`. */
  wantedFor(actual: number): number | null {
    return this.wantedOf.get(actual) ?? null;
  }

  actualFor(wanted: number): number | null {
    for (const [actual, asked] of this.wantedOf) if (asked === wanted) return actual;
    return null;
  }

  /** Where `/invoke` is announced; null while nothing listens. */
  get main(): number | null {
    return this.actualFor(this.wanted.includes(this.defaultPort) ? this.defaultPort : (this.wanted[0] ?? 0));
  }
}
