import type { RunnerEvent } from './events.js';
import { waiting, type RunIds } from './waiting.js';

type Fields = Record<string, unknown>;

/** A call that asks a person questions; one with two colours unless others are given. */
export function questionCall(questions: readonly Fields[] = [COLOUR], more: Fields = {}): Fields {
  return { id: 'call-ask', name: 'ask', args: {}, questions, ...more };
}

/** Its first option answers as `Red`, its second as `b`. */
export const COLOUR = { text: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue', value: 'b' }] };

/** A step whose calls ask, of an agent that reads answers. */
export function asking(run: RunIds, step: number, calls: readonly Fields[], fields: Fields = {}): RunnerEvent {
  return waiting(run, step, { pending_tool_calls: calls, approval_features: ['answer'], ...fields });
}
