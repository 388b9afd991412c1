import type { TimelineInput } from './timeline-input.js';

/** A message within a step: what it ended. */
export interface Work {
  /** By the clock of the agent; milliseconds. */
  at: number;
  /** `call`: the model asked for a tool, which works from then on. `person`: someone wrote a message. */
  kind: 'model' | 'call' | 'tool' | 'person';
}

const KINDS = {
  assistant: 'model',
  thinking: 'model',
  tool_call: 'call',
  tool_result: 'tool',
  user: 'person',
} as const;

/**
 * The messages of each step, by the place of the step among all. An entry names the run and the step, not the attempt: it belongs to the
 * first attempt that reached the step after the message was written.
 */
export function entriesByStep(
  { steps, entries = [] }: TimelineInput,
  attempts: readonly { indexes: readonly number[] }[],
): Map<number, Work[]> {
  const places = new Map<string, number[]>();
  for (const { indexes } of attempts)
    for (const index of indexes) {
      const { trace_id, step_index } = steps[index]!;
      const key = `${trace_id} ${step_index}`;
      places.set(key, [...(places.get(key) ?? []), index]);
    }
  const found = new Map<number, Work[]>();
  for (const { kind, ts, trace_id, step_index } of entries) {
    const work = KINDS[kind as keyof typeof KINDS];
    const at = Date.parse(ts);
    const candidates = places.get(`${trace_id} ${step_index}`);
    if (!work || !candidates || !Number.isFinite(at)) continue;
    const index = candidates.find((one) => Date.parse(steps[one]!.updated_at) >= at) ?? candidates.at(-1)!;
    const works = found.get(index);
    if (works) works.push({ at, kind: work });
    else found.set(index, [{ at, kind: work }]);
  }
  return found;
}
