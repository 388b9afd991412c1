import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { followStream, type StreamState } from '../../../api/event-stream.js';
import { Problem } from '../../../api/problem.js';
import { changedPart, stepsOfRun, withFresh } from './steps.js';
import { approvalsQuery, effectsQuery, freshSteps, stepsQuery, threadQuery } from './thread-queries.js';

/** Events that change what the page shows of a thread. */
const CHANGES = ['checkpoint', 'status', 'retry', 'approval', 'effect'];

export type LiveState = StreamState | 'deleted';

/** Changes in quick succession are loaded together. */
const GATHER_MS = 120;
/** Pause after a failed load. */
const RETRY_MS = 2_000;

/** Keeps the loaded parts of a thread up to date through its stream. Follows it once the thread is known to exist. */
export function useLiveThread(id: string, isThere: boolean): LiveState {
  const queries = useQueryClient();
  const [state, setState] = useState<LiveState>('connecting');
  useEffect(() => {
    if (!isThere) return;
    const changes = new ThreadChanges(queries, id);
    const stop = followStream({
      path: `/threads/${encodeURIComponent(id)}/stream`,
      onState: setState,
      onEvent: ({ event, data }) => changes.add(event, data),
      onRefused: ({ status }) => status === 404 && setState('deleted'),
    });
    return () => {
      stop();
      changes.stop();
      setState('connecting');
    };
  }, [queries, id, isThere]);
  return state;
}

interface RunChange {
  traceId: string;
  stepIndex: number | null;
}

/** The events say what has changed; the figures are reloaded, because an event contains only some of them. */
class ThreadChanges {
  private runs = new Map<string, RunChange>();
  private kinds = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isLoading = false;
  private stopped = false;

  constructor(
    private readonly queries: QueryClient,
    private readonly id: string,
  ) {}

  add(event: string, data: string): void {
    if (!CHANGES.includes(event)) return;
    this.kinds.add(event);
    const {
      trace_id,
      step_index = null,
      step = null,
    } = (JSON.parse(data) ?? {}) as {
      trace_id?: string | null;
      step_index?: number | null;
      step?: number | null;
    };
    if (event !== 'effect' && typeof trace_id === 'string') this.changed(trace_id, step_index ?? step);
    this.gather();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private changed(traceId: string, stepIndex: number | null): void {
    const earlier = this.runs.get(traceId)?.stepIndex ?? Infinity;
    this.runs.set(traceId, { traceId, stepIndex: Math.min(stepIndex ?? Infinity, earlier) });
  }

  private gather(waitMs = GATHER_MS): void {
    if (this.isLoading || this.stopped) return;
    this.timer ??= setTimeout(() => void this.load(), waitMs);
  }

  private async load(): Promise<void> {
    this.timer = undefined;
    this.isLoading = true;
    const { runs, kinds } = this;
    this.runs = new Map();
    this.kinds = new Set();
    let waitMs = GATHER_MS;
    try {
      for (const { traceId, stepIndex } of runs.values()) await this.loadRun(traceId, stepIndex);
      if (kinds.has('approval')) void this.queries.invalidateQueries({ queryKey: approvalsQuery(this.id).queryKey });
      if (kinds.has('effect')) {
        void this.queries.invalidateQueries({ queryKey: effectsQuery(this.id, '').queryKey.slice(0, 3) });
      }
      await this.queries.invalidateQueries({ queryKey: threadQuery(this.id).queryKey });
      await this.loadMissing();
    } catch (error) {
      if (error instanceof Problem && error.status < 500) return;
      // The stream does not repeat them.
      for (const { traceId, stepIndex } of runs.values()) this.changed(traceId, stepIndex);
      for (const kind of kinds) this.kinds.add(kind);
      waitMs = RETRY_MS;
    } finally {
      this.isLoading = false;
      if (this.kinds.size > 0) this.gather(waitMs);
    }
  }

  private async loadRun(traceId: string, stepIndex: number | null): Promise<void> {
    const { queryKey } = stepsQuery(this.id);
    const part = changedPart(
      this.queries.getQueryData(queryKey) ?? [],
      traceId,
      stepIndex === Infinity ? null : stepIndex,
    );
    const fresh = await freshSteps(this.id, part);
    if (!this.stopped) this.queries.setQueryData(queryKey, (steps) => steps && withFresh(steps, part, fresh));
  }

  /** Loads what arrived after the steps were loaded and before the stream began. */
  private async loadMissing(): Promise<void> {
    const steps = this.queries.getQueryData(stepsQuery(this.id).queryKey);
    const thread = this.queries.getQueryData(threadQuery(this.id).queryKey);
    if (!steps || !thread || this.stopped) return;
    for (const { trace_id, steps: count } of thread.run_list)
      if (stepsOfRun(steps, trace_id).length < count) await this.loadRun(trace_id, -1);
  }
}
