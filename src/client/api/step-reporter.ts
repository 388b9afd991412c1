import { createHash } from 'node:crypto';
import { stringifyExact } from '../../common/exact-number.js';
import { NoDecisionError } from '../pending-call-tracker.js';
import type { Checkpoint, RunIds } from '../report-data.js';
import { ApiProblemError } from './api-errors.js';
import type { Schemas } from './api-requests.js';
import { ENDED } from './call-decisions.js';
import { askingMembers, type Question } from './questions.js';
import type { RunnersApi } from './runners-api.js';

export interface ReportedStep {
  /** Default: `in_progress`. */
  status?: string;
  /** The conversation so far. */
  history: readonly unknown[];
  [member: string]: unknown;
}

interface Known {
  /** Undefined if another process reported the step; null if it has yet to come. */
  history?: readonly unknown[] | null;
  /** The step's other members except its status; events that ask people carry them, too. */
  members?: Readonly<Record<string, unknown>>;
  /** Unanswered questions, by task. */
  open: Map<string, readonly Question[]>;
}

const MAX_REMEMBERED = 200;

/**
 * Reports a run from outside, such as that of a graph engine whose tasks run in parallel and ask people questions on top of a step.
 * Each call resolves once its report is stored durably; reports of a thread keep their order.
 */
export class StepReporter {
  private readonly known = new Map<string, Known>();
  private readonly queues = new Map<string, Promise<unknown>>();

  /** @param runners of a {@link WaystationApi} */
  constructor(private readonly runners: Pick<RunnersApi, 'report' | 'latest' | 'eachRun'>) {}

  /** Announces a step: questions on top of it are reported after it. */
  expect(run: RunIds, stepId: string): void {
    this.knownOf(run, stepId).history = null;
  }

  /**
   * Reports a step, and the questions asked on top of it meanwhile.
   * @param stepId reporting the same one again changes nothing
   * @param options `begins`: whether the run begins or restarts with it; that reopens an ended run, even one cancelled by a person
   * @throws ApiProblemError when the server refuses it, for example if another process drives the run
   */
  async step(run: RunIds, stepId: string, step: ReportedStep, options: { begins?: boolean } = {}): Promise<void> {
    await this.report(run, ...this.stepEvents(run, stepId, step, options));
  }

  /** The events of {@link step}, for callers that report them together with something else. */
  stepEvents(
    run: RunIds,
    stepId: string,
    step: ReportedStep,
    options: { begins?: boolean } = {},
  ): Schemas['RunnerEventDto'][] {
    const { history, status: _, ...members } = step;
    Object.assign(this.knownOf(run, stepId), { history, members });
    const begin = options.begins ? [eventOf(run, `${stepId}:begin`)] : [];
    const shown = eventOf(run, stepId, { ...step, status: step.status ?? 'in_progress' });
    return [...begin, shown, ...this.askEvents(run, stepId)];
  }

  /** Whether this process knows the step's content, or that it will come. */
  knows(run: RunIds, stepId: string): boolean {
    return this.knownOf(run, stepId).history !== undefined;
  }

  /**
   * The events of {@link ask}, for a known step.
   * @param event an earlier event with the same questions that no longer counts; empty for none
   */
  askEvents(run: RunIds, stepId: string, event = ''): Schemas['RunnerEventDto'][] {
    const known = this.knownOf(run, stepId);
    const isAsking = [...known.open.values()].some(({ length }) => length > 0);
    if (!known.history || !isAsking) return [];
    const asking = askingMembers(known.open, known.history);
    // Without tool names: another process may show the same question under another name.
    const same = asking.pending_tool_calls.map(({ id, function: { arguments: args } }) => [id, args]);
    const digest = digestOf(stringifyExact(same) + event);
    const waiting = { ...known.members, status: 'waiting_for_approval', history: known.history, ...asking };
    return [eventOf(run, `${stepId}:${digest}`, waiting)];
  }

  /** Supplies the content of a step reported before, for questions on top of it. */
  recall(run: RunIds, stepId: string, history: readonly unknown[], members: Record<string, unknown> = {}): void {
    const known = this.knownOf(run, stepId);
    if (!known.history) Object.assign(known, { history, members });
  }

  /** Records a task's questions, which replace its earlier ones. */
  note(run: RunIds, stepId: string, taskId: string, questions: readonly Question[]): void {
    const { open } = this.knownOf(run, stepId);
    open.delete(taskId);
    if (questions.length > 0) open.set(taskId, questions);
  }

  /** Records the answer to a question, or to all without an id: their tasks continue and may ask again. */
  answered(run: RunIds, stepId: string, questionId?: string): void {
    const { open } = this.knownOf(run, stepId);
    for (const [task, asked] of open) {
      if (questionId === undefined || asked.some(({ id }) => id === questionId)) open.delete(task);
    }
  }

  /**
   * Asks a person all open questions of a step. Asking the same again, even in another process, has no effect. If the step has yet to come,
   * the questions go with it.
   * @param history of a step that this process has not reported; undefined if there is no such step
   * @throws ApiProblemError when the server refuses it: then nobody is asked
   */
  async ask(run: RunIds, stepId: string, history?: () => Promise<readonly unknown[] | undefined>): Promise<void> {
    if (!this.knows(run, stepId)) {
      const stored = await history?.();
      if (stored) this.recall(run, stepId, stored);
    }
    await this.askAgain(run, stepId, '');
  }

  /**
   * @param event an earlier event with the same questions that no longer counts; empty for none
   * @param begin reported before the questions, or instead of them
   */
  private async askAgain(
    run: RunIds,
    stepId: string,
    event: string,
    ...begin: Schemas['RunnerEventDto'][]
  ): Promise<void> {
    const events = [...begin, ...this.askEvents(run, stepId, event)];
    if (events.length > 0) await this.report(run, ...events);
  }

  /**
   * Continues a run that another process may have driven: asks a person the step's open questions, which were noted before, unless people
   * were asked already.
   * @param history of the step; `members`: its others, such as `model` and `tokens_used`
   * @throws NoDecisionError if a person has cancelled the run. A run cancelled with a run above it begins again if that one, or a run
   * between them, has been retried since. ApiProblemError when the server refuses it: then nobody is asked
   */
  async takeUp(
    run: RunIds,
    stepId: string,
    history: readonly unknown[],
    members: Record<string, unknown> = {},
  ): Promise<void> {
    this.recall(run, stepId, history, members);
    const latest = await this.runners.latest(run.thread_id, { trace_id: run.trace_id, history: 'none' });
    if (latest?.status !== 'cancelled') return this.askAgain(run, stepId, latest ? unasked(latest) : '');
    if (!(await this.wasRetried(run))) {
      throw new NoDecisionError(latest as unknown as Checkpoint, 'a person has cancelled it');
    }
    const event = `${latest.event_id}`;
    // A new id for each cancellation of the run.
    const times = digestOf(JSON.stringify([event, latest.updated_at]));
    await this.askAgain(run, stepId, event, eventOf(run, `${stepId}:begin:${times}`));
  }

  /** Whether the run was cancelled together with a run above it, and that run or one in between has been reopened since. */
  private async wasRetried({ thread_id, trace_id, agent_id }: RunIds): Promise<boolean> {
    const runs: Schemas['ThreadRunDto'][] = [];
    for await (const one of this.runners.eachRun(thread_id)) runs.push(one);
    const own = runs.filter((one) => one.trace_id === trace_id && one.agent_id === (agent_id ?? one.agent_id));
    const below = own.filter(({ cancelled_with }) => cancelled_with !== undefined);
    const cancelled = new Set(below.map(({ cancelled_with }) => cancelled_with));
    const above = new Set<string | null | undefined>([...cancelled, ...below.map((one) => one.parent_trace_id)]);
    // Iterating over a set includes members added meanwhile.
    for (const trace of above) {
      if (cancelled.has(trace ?? undefined)) continue;
      for (const one of runs) if (one.trace_id === trace) above.add(one.parent_trace_id);
    }
    return runs.some((one) => above.has(one.trace_id) && !ENDED.has(one.status));
  }

  private knownOf({ thread_id }: RunIds, stepId: string): Known {
    const key = JSON.stringify([thread_id, stepId]);
    const known = this.known.get(key) ?? { open: new Map() };
    this.known.delete(key);
    this.known.set(key, known);
    const [oldest] = this.known.keys();
    if (this.known.size > MAX_REMEMBERED && oldest !== undefined) this.known.delete(oldest);
    return known;
  }

  private report({ thread_id }: RunIds, ...events: Schemas['RunnerEventDto'][]): Promise<void> {
    const before = this.queues.get(thread_id) ?? Promise.resolve();
    const sent = before.then(() => this.send(events));
    const settled = sent.catch(() => undefined);
    this.queues.set(thread_id, settled);
    void settled.then(() => {
      if (this.queues.get(thread_id) === settled) this.queues.delete(thread_id);
    });
    return sent;
  }

  private async send(events: readonly Schemas['RunnerEventDto'][]): Promise<void> {
    const { rejected } = await this.runners.report(events);
    const [refused] = rejected;
    if (!refused) return;
    const { code, detail } = refused;
    throw new ApiProblemError({ type: 'about:blank', title: 'Rejected', status: 207, code, detail });
  }
}

/** @returns the event whose questions nobody can decide any more, though the run has begun again; empty for none */
function unasked({ status, approval, event_id }: Schemas['CheckpointDto']): string {
  const isSuperseded = (approval as { status?: string } | null)?.status === 'superseded';
  return isSuperseded && !ENDED.has(status) ? `${event_id}` : '';
}

/** @param step absent for the beginning of a run */
function eventOf(run: RunIds, id: string, step?: ReportedStep): Schemas['RunnerEventDto'] {
  const { thread_id, trace_id, agent_id, parent_trace_id } = run;
  const data = { thread_id, trace_id, agent_id, parent_trace_id, ...step };
  return { type: step ? 'checkpoint' : 'thread_started', id, data };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
