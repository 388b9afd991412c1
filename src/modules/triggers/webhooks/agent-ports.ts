import type { Definition } from '../definition/definition.js';

/** The ports of one agent process: those that the file asks for, and those that it got. They differ only where 0 was asked for. */
export class AgentPorts {
  /** Ports as asked for, each once. Without webhooks there is still one, for `/invoke` and `/health`. */
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

  /** @returns the port that it had become */
  forget(wanted: number): number {
    const actual = this.actualFor(wanted) ?? wanted;
    this.wantedOf.delete(actual);
    return actual;
  }

  /** The port that was asked for and became `actual`. */
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
