import { callsDigestOf } from '../common/digest.js';
import { stringifyExact } from '../common/exact-number.js';
import type { Schemas } from './api/api-requests.js';
import { callDecisions, ENDED, type CallDecision } from './api/call-decisions.js';
import type { CallQuestion } from './api/questions.js';
import type { Delivery } from './delivery.js';
import type { PatientRequests } from './patient-requests.js';
import type { PendingCallTracker } from './pending-call-tracker.js';
import type { AppendData, Checkpoint, RunIds } from './report-data.js';

/** People's answers. */
export interface QuestionAnswer extends Pick<CallDecision, 'reason' | 'decidedBy'> {
  /** By question id; null if a person declined, or time ran out without defaults. */
  answers: NonNullable<CallDecision['answers']> | null;
}

/** What asking needs from the client. */
interface Reporter {
  latest(threadId: string, options: { traceId: string; signal: AbortSignal | undefined }): Promise<Checkpoint | null>;
  append(run: RunIds, messages: readonly unknown[], data: AppendData, signal?: AbortSignal): Promise<unknown>;
  waitForApproval(run: RunIds, signal?: AbortSignal): Promise<Checkpoint>;
}

/** Asks people questions as steps of a run. */
export class QuestionAsker {
  constructor(
    private readonly reporter: Reporter,
    private readonly requests: PatientRequests,
    private readonly delivery: Delivery,
    private readonly asked: PendingCallTracker,
  ) {}

  /** As `WaystationClient.ask`, after earlier reports are delivered. */
  async ask(
    run: RunIds,
    questions: readonly CallQuestion[],
    { signal, ...data }: AppendData & { signal?: AbortSignal },
  ): Promise<QuestionAnswer> {
    const isTaken = await this.requests.untilResponse(signal, (end) => this.delivery.understands('questions', end));
    if (!isTaken) throw new Error('a server on this storage is too old to take answers to questions');
    const id = `ask-${callsDigestOf(stringifyExact(questions))}`;
    const { thread_id, trace_id } = run;
    const latest = await this.reporter.latest(thread_id, { traceId: trace_id, signal });
    if (!asksNow(latest, id) || this.asked.isAnswered(run, latest?.step_index)) {
      const call = { id, name: 'ask', args: {}, questions };
      const asking = { status: 'waiting_for_approval', approval_features: ['answer'], pending_tool_calls: [call] };
      await this.reporter.append(run, [], { ...data, ...asking }, signal);
    }
    const decided = await this.reporter.waitForApproval(run, signal);
    this.asked.noteAnswered(run, decided.step_index);
    const made = callDecisions(decided as unknown as Schemas['CheckpointDto'])?.get(id);
    return { answers: made?.answers ?? null, reason: made?.reason ?? null, decidedBy: made?.decidedBy ?? null };
  }
}

/** Whether the checkpoint asks this call, or asked it last. False if a person has since cancelled the run and it was retried. */
function asksNow(latest: Checkpoint | null, id: string): boolean {
  if (latest?.approval?.status === 'superseded' && !ENDED.has(latest.status)) return false;
  const asked = latest?.pending_tool_calls.length ? latest.pending_tool_calls : latest?.approval?.tool_calls;
  return Array.isArray(asked) && (asked[0] as { id?: unknown } | undefined)?.id === id;
}
