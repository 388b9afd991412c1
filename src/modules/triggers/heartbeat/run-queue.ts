import { Injectable } from '@nestjs/common';
import { MAX_QUEUED_RUNS, type QueuedRun } from '../../../common/contract/queued-run.js';

/** This process's queued runs in the order of acceptance, for heartbeats. */
@Injectable()
export class RunQueue {
  onChange: () => void = () => undefined;
  /** Called for runs that a person cancelled while they were queued. */
  onCancelled: (runId: string) => void = () => undefined;
  private readonly waiting = new Map<string, { agentName: string; run: QueuedRun }>();

  add(agentName: string, run: QueuedRun): void {
    this.waiting.set(run.trace_id, { agentName, run });
    this.onChange();
  }

  remove(runId: string): void {
    if (this.waiting.delete(runId)) this.onChange();
  }

  /** As many as a heartbeat may list. */
  of(agentName: string): QueuedRun[] {
    const own = [...this.waiting.values()].filter((entry) => entry.agentName === agentName);
    return own.slice(0, MAX_QUEUED_RUNS).map(({ run }) => run);
  }

  /** A person has cancelled the run; does nothing if it has been started or accepted again since. */
  cancel({ trace_id, thread_id, queued_at }: QueuedRun): void {
    const known = this.waiting.get(trace_id)?.run;
    if (known?.thread_id === thread_id && known.queued_at === queued_at) this.onCancelled(trace_id);
  }
}
