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
  /** What was said so far. */
  history: readonly unknown[];
  [member: string]: unknown;
}

interface Known {
  /** Undefined where the step is another process's, null where it is to come. */
  history?: readonly unknown[] | null;
  /** The step's other members but its status: what waits for a person has them, too. */
  members?: Readonly<Record<string, unknown>>;
  /** Questions that nobody has answered, by their tasks. */
  open: Map<string, readonly Question[]>;
}

const MAX_REMEMBERED = 200;

/**
 * Reports a run from outside, such as that of a graph engine, whose tasks run side by side and ask people questions on top of a step.
 * Every call resolves once what it reports is stored durably; reports of a thread keep their order.
 */
export class StepReporter {
  private readonly known = new Map<string, Known>();
  private readonly queues = new Map<string, Promise<unknown>>();

  /** @param runners of a {@link WaystationApi} */
  constructor(private readonly runners: Pick<RunnersApi, 'report' | 'latest' | 'eachRun'>) {}

  /** Says that a step will come: what is asked on top of it is reported after it. */
  expect(run: RunIds, stepId: string): void {
    this.knownOf(run, stepId).history = null;
  }

  /**
   * Reports a step, and what was asked on top of it meanwhile.
   * @param stepId the same one reported again changes nothing
   * @param options `begins`: whether the run begins with it, or begins again; that opens one that has ended, also one that a person has
   * cancelled
   * @throws ApiProblemError when the server refuses it, such as where another process drives the run
   */
  async step(run: RunIds, stepId: string, step: ReportedStep, options: { begins?: boolean } = {}): Promise<void> {
    await this.report(run, ...this.stepEvents(run, stepId, step, options));
  }

  /** What {@link step} reports, for callers who report it together with something else. */
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

  /** Whether this process knows what a step holds, or that it is to come. */
  knows(run: RunIds, stepId: string): boolean {
    return this.knownOf(run, stepId).history !== undefined;
  }

  /**
   * What {@link ask} reports, for a step that is known.
   * @param event of the same questions that no longer counts; empty for none
   */
  askEvents(run: RunIds, stepId: string, event = ''): Schemas['RunnerEventDto'][] {
    const known = this.knownOf(run, stepId);
    const isAsking = [...known.open.values()].some(({ length }) => length > 0);
    if (!known.history || !isAsking) return [];
    const asking = askingMembers(known.open, known.history);
    // Without their names: another process may show the same question by another one.
    const same = asking.pending_tool_calls.map(({ id, function: { arguments: args } }) => [id, args]);
    const digest = digestOf(stringifyExact(same) + event);
    const waiting = { ...known.members, status: 'waiting_for_approval', history: known.history, ...asking };
    return [eventOf(run, `${stepId}:${digest}`, waiting)];
  }

  /** Says what a step held that was reported before, for what is asked on top of it. */
  recall(run: RunIds, stepId: string, history: readonly unknown[], members: Record<string, unknown> = {}): void {
    const known = this.knownOf(run, stepId);
    if (!known.history) Object.assign(known, { history, members });
  }

  /** Takes note of what a task asks; it takes the place of what the task asked before. */
  note(run: RunIds, stepId: string, taskId: string, questions: readonly Question[]): void {
    const { open } = this.knownOf(run, stepId);
    open.delete(taskId);
    if (questions.length > 0) open.set(taskId, questions);
  }

  /** Takes note that a question was answered, without an id all of them: the tasks that asked go on, and ask for themselves. */
  answered(run: RunIds, stepId: string, questionId?: string): void {
    const { open } = this.knownOf(run, stepId);
    for (const [task, asked] of open) {
      if (questionId === undefined || asked.some(({ id }) => id === questionId)) open.delete(task);
    }
  }

  /**
   * Asks a person about all open questions of a step. Whoever asks the same again, also in another process, asks nobody twice. Where the
   * step is yet to come, it is asked with the step.
   * @param history of the step, for one that this process has not reported; undefined where there is no such step
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
   * @param event of the same questions that no longer counts; empty for none
   * @param begin reported before the questions, or in their place
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
   * For a process that goes on with a run, which another process may have driven: asks a person about the open questions of a step, which
   * were noted before, unless people were asked.
   * @param history of the step; `members`: its others, such as `model` and `tokens_used`
   * @throws NoDecisionError where a person has cancelled the run. One that was cancelled with the run that called it begins again, if a
   * person has retried that one since, or a run between them; ApiProblemError when the server refuses it: then nobody is asked
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
    // Another one for each time that the run was cancelled.
    const times = digestOf(JSON.stringify([event, latest.updated_at]));
    await this.askAgain(run, stepId, event, eventOf(run, `${stepId}:begin:${times}`));
  }

  /** Whether the run was cancelled with a run above it, and that, or one between them, does not count as cancelled any more. */
  private async wasRetried({ thread_id, trace_id, agent_id }: RunIds): Promise<boolean> {
    const runs: Schemas['ThreadRunDto'][] = [];
    for await (const one of this.runners.eachRun(thread_id)) runs.push(one);
    const own = runs.filter((one) => one.trace_id === trace_id && one.agent_id === (agent_id ?? one.agent_id));
    const below = own.filter(({ cancelled_with }) => cancelled_with !== undefined);
    const cancelled = new Set(below.map(({ cancelled_with }) => cancelled_with));
    const above = new Set<string | null | undefined>([...cancelled, ...below.map((one) => one.parent_trace_id)]);
    // A set is walked through to what is added meanwhile.
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

/** @returns the event of questions about which nobody can decide any more, though the run has begun again; empty for none */
function unasked({ status, approval, event_id }: Schemas['CheckpointDto']): string {
  const isSuperseded = (approval as { status?: string } | null)?.status === 'superseded';
  return isSuperseded && !ENDED.has(status) ? `${event_id}` : '';
}

/** @param step absent where the run begins */
function eventOf(run: RunIds, id: string, step?: ReportedStep): Schemas['RunnerEventDto'] {
  const { thread_id, trace_id, agent_id, parent_trace_id } = run;
  const data = { thread_id, trace_id, agent_id, parent_trace_id, ...step };
  return { type: step ? 'checkpoint' : 'thread_started', id, data };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
