import type { AgentDefinition } from '../definition/definition.js';

/** The runs of one agent: so many at a time, so many that wait, first come first served. */
export class AgentLane {
  private readonly waiting: string[] = [];
  private running = 0;
  private reserved = 0;

  constructor(public agent: AgentDefinition) {}

  /** Running, waiting, and about to be taken on. */
  get active(): number {
    return this.running + this.waiting.length + this.reserved;
  }

  get isFull(): boolean {
    return this.active >= this.agent.concurrency + this.agent.queueLimit;
  }

  /** Holds a place while a run is being stored. @returns the function that gives it back */
  reserve(): () => void {
    this.reserved += 1;
    return () => void (this.reserved -= 1);
  }

  add(runId: string): void {
    this.waiting.push(runId);
  }

  /** The next run that may start now, counted as running from here on; null for none. */
  next(): string | null {
    if (this.running >= this.agent.concurrency) return null;
    const runId = this.waiting.shift();
    if (runId === undefined) return null;
    this.running += 1;
    return runId;
  }

  /** Takes a run out that waits. @returns false where it does not */
  remove(runId: string): boolean {
    const at = this.waiting.indexOf(runId);
    if (at < 0) return false;
    this.waiting.splice(at, 1);
    return true;
  }

  release(): void {
    this.running -= 1;
  }
}
