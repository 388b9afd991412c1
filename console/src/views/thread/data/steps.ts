import type { components } from '../../../api/openapi.gen.js';
import { placesOf } from './places.js';

/** A step of a run: its figures and the places of its messages. */
export type Step = components['schemas']['ThreadStepDto'];

/** Attempt and step as the address names them, unique in a run. */
export function stepName({ attempt, step_index }: Pick<Step, 'attempt' | 'step_index'>): string {
  return `${attempt}-${step_index}`;
}

export function stepsOfRun(steps: readonly Step[], traceId: string): Step[] {
  return steps.filter(({ trace_id }) => trace_id === traceId);
}

/** The step with that name; a name without an attempt means the last attempt that has the step. */
export function findStep(steps: readonly Step[], name: string): Step | undefined {
  if (name.includes('-')) return steps.find((step) => stepName(step) === name);
  return steps.findLast(({ step_index }) => String(step_index) === name);
}

export interface ChangedRun {
  traceId: string;
  /** Steps up to this one are unchanged; null if any may have changed. */
  after: Step | null;
}

/** What to reload after a step of a run was reported or the run's status changed: usually only its last step. */
export function changedPart(steps: readonly Step[], traceId: string, stepIndex: number | null): ChangedRun {
  const known = stepsOfRun(steps, traceId);
  const last = known.at(-1);
  const isEarlier = last === undefined || (stepIndex !== null && stepIndex < last.step_index);
  return { traceId, after: isEarlier ? null : (known.at(-2) ?? null) };
}

/** The steps with that part replaced. A new run comes after all others, as in the API. */
export function withFresh(steps: readonly Step[], { traceId, after }: ChangedRun, fresh: readonly Step[]): Step[] {
  const first = steps.findIndex(({ trace_id }) => trace_id === traceId);
  if (first === -1) return [...steps, ...fresh];
  const end = first + stepsOfRun(steps, traceId).length;
  const kept = after ? steps.findIndex((step) => step.cursor === after.cursor) + 1 : first;
  return [...steps.slice(0, kept), ...fresh, ...steps.slice(end)];
}

/** The messages of a step, by their places in the thread's log, and the metadata at the same indexes. */
export interface History {
  places: readonly number[];
  metaPlaces: readonly number[];
}

/** The same as texts; equal histories have equal texts. */
export type HistoryTexts = Pick<Step, 'history_places' | 'history_meta_places'>;

/**
 * The agent's history at a step. An empty list means that the agent left it out: the run's last non-empty one applies.
 * @param runSteps the steps of its run
 */
export function historyTextsAt(runSteps: readonly Step[], step: Step | undefined): HistoryTexts {
  const end = step ? runSteps.findIndex(({ cursor }) => cursor === step.cursor) : -1;
  const last = (list: keyof HistoryTexts) => {
    for (let at = end; at >= 0; at--) if (runSteps[at]![list] !== '') return runSteps[at]![list];
    return '';
  };
  return { history_places: last('history_places'), history_meta_places: last('history_meta_places') };
}

export function historyOf({ history_places, history_meta_places }: HistoryTexts): History {
  return { places: placesOf(history_places), metaPlaces: placesOf(history_meta_places) };
}

export function historyAt(runSteps: readonly Step[], step: Step | undefined): History {
  return historyOf(historyTextsAt(runSteps, step));
}

/** The indexes of messages that the earlier history lacked. */
export function newIndexes(history: History, before: History): number[] {
  const known = new Set(before.places);
  return history.places.flatMap((place, index) => (known.has(place) ? [] : [index]));
}

export function stepBefore(runSteps: readonly Step[], step: Step): Step | undefined {
  const at = runSteps.findIndex(({ cursor }) => cursor === step.cursor);
  return at > 0 ? runSteps[at - 1] : undefined;
}
