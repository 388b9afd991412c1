import { isNote, type ModelEvent } from './model-event.js';
import type { RunModel } from './run-model.js';

/** Relations between the events of one batch. */
export class BatchContext {
  /** The run of the previous event. */
  previous: RunModel | null = null;
  /** Runs with news so far. */
  readonly news = new Set<RunModel>();
  /** The run meant by the first events that name no trace. */
  private first: RunModel | null = null;

  constructor(private readonly batch: readonly ModelEvent[]) {}

  /** Call this with the run that an event means, before applying the event. */
  meet(run: RunModel, event: ModelEvent): void {
    if (this.previous === null && event.trace === null) this.first = run;
    this.previous = run;
  }

  /** Whether no other event of the batch belongs to the run. */
  isLone(run: RunModel, ending: ModelEvent): boolean {
    let trace: string | null = null;
    let others = 0;
    for (const event of this.batch) {
      if (isNote(event)) continue;
      trace = event.trace ?? trace;
      const isOfRun = trace === null ? this.first === run : trace === run.trace;
      if (isOfRun && event !== ending) others += 1;
    }
    return others === 0;
  }
}
