import { isNote, type ModelEvent } from './model-event.js';
import type { RunModel } from './run-model.js';

/** What the events of one batch have to do with each other. */
export class BatchContext {
  /** The run of the event before. */
  previous: RunModel | null = null;
  /** Runs of which something new has come. */
  readonly news = new Set<RunModel>();
  /** The run that the first events meant which name no trace. */
  private first: RunModel | null = null;

  constructor(private readonly batch: readonly ModelEvent[]) {}

  /** To be called with the run that an event means, before what it does is looked at. */
  meet(run: RunModel, event: ModelEvent): void {
    if (this.previous === null && event.trace === null) this.first = run;
    this.previous = run;
  }

  /** Whether no other event of the batch is one of the run. */
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
