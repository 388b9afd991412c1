import type { AgentDefinition } from '../definition/definition.js';

/** Runs of one agent: a limited number run, a limited number wait, first come, first served. */
export class AgentLane {
  private readonly waiting: string[] = [];
  private running = 0;
  private reserved = 0;

  constructor(public agent: AgentDefinition) {}

  /** Running, waiting, or being stored. */
  get active(): number {
    return this.running + this.waiting.length + this.reserved;
  }

  get isFull(): boolean {
    return this.active >= this.agent.concurrency + this.agent.queueLimit;
  }

  /** Reserves a place while a run is being stored. @returns a function that frees it */
  reserve(): () => void {
    this.reserved += 1;
    return () => void (this.reserved -= 1);
  }

  add(runId: string): void {
    this.waiting.push(runId);
  }

  /** The next run that may start, counted as running from now on; null for none. */
  next(): string | null {
    if (this.running >= this.agent.concurrency) return null;
    const runId = this.waiting.shift();
    if (runId === undefined) return null;
    this.running += 1;
    return runId;
  }

  /** Removes a waiting run. @returns false if it is not waiting */
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
