import { agentNotAllowed } from '../../../../common/bound-agents.js';
import { DomainError } from '../../../../common/domain-error.js';
import type { RunOfToken } from '../../../../common/principal.js';
import type { Reporter } from '../../bindings/reporter.js';
import { UNKNOWN_AGENT } from '../../bindings/run-matching.js';
import type { ReportedEvent } from '../../threads.contract.js';
import type { ThreadReader } from '../store/thread-reader.js';
import type { RunState } from '../rules/thread-state.js';

const OTHER_RUNS = 'For others, use a token without `run` from: waystation token create --scope runner';

/** The token that reports the events, and what it may do in the thread. */
export interface ApplierOptions {
  reporter: Reporter;
  /** False if the reporter may only add to existing runs. */
  mayBeginRuns: boolean;
  /** The only run that the token is for, with its sub-runs; null for any. */
  ownRun: RunOfToken | null;
}

/** Where an event or claim says it belongs. */
export interface PermittedWords extends Pick<ReportedEvent, 'threadId' | 'traceId'> {
  fields: Pick<ReportedEvent['fields'], 'agent_id' | 'parent_trace_id'>;
}

/**
 * Messages name only what the event says or the token's holder knows: callers must not learn whose runs the thread has.
 * @param run the event's run; null for a new one
 * @throws DomainError `agent_not_allowed` or `run_not_allowed`
 */
export async function assertAllowed(
  event: PermittedWords,
  run: RunState | null,
  options: ApplierOptions,
  reader: ThreadReader,
): Promise<void> {
  if (options.ownRun !== null) await assertWithinRun(event, run, options.ownRun, reader);
  assertMaySpeak(event, run, options);
}

/** @throws DomainError `run_not_allowed` unless the event belongs to the token's run or one of its sub-runs */
export async function assertWithinRun(
  event: PermittedWords,
  run: RunState | null,
  ownRun: RunOfToken,
  reader: ThreadReader,
): Promise<void> {
  if (!(await isWithinRun(ownRun, event, run, reader))) throw notOfTokensRun(ownRun);
}

export function assertMaySpeak(
  event: PermittedWords,
  run: RunState | null,
  { reporter, mayBeginRuns }: ApplierOptions,
): void {
  const agentId = event.fields.agent_id ?? run?.row.agent_id ?? UNKNOWN_AGENT;
  if (!reporter.maySpeakFor(agentId)) throw agentNotAllowed(agentId);
  if (!run && !mayBeginRuns) throw threadNotAllowed();
}

/**
 * Whether an event belongs to the token's run or one of its sub-runs. A run's parent is the one it named when it began; a new run's is the
 * one that the event names.
 */
async function isWithinRun(
  own: RunOfToken,
  event: PermittedWords,
  run: RunState | null,
  reader: ThreadReader,
): Promise<boolean> {
  if (event.threadId !== own.threadId) return false;
  if ((run?.row.trace_id ?? event.traceId) === own.traceId) return true;
  const parent = run === null ? event.fields.parent_trace_id : run.row.parent_trace_id;
  if (parent === null || parent === own.traceId) return parent !== null;
  for (const one of run === null ? await reader.runsOf(parent) : [run]) {
    if ((await reader.callersOf(one)).some(({ trace_id }) => trace_id === own.traceId)) return true;
  }
  return false;
}

export function notOfTokensRun({ threadId, traceId }: RunOfToken): DomainError {
  const message = `The token may only report for the run ${traceId} of the thread ${threadId}, and for runs below it. ${OTHER_RUNS}`;
  return new DomainError('forbidden', 'run_not_allowed', message);
}

/** Data kept beside the runs belongs to the whole thread. */
export function notOfTokensThread({ threadId }: RunOfToken): DomainError {
  const message = `The token is only for the thread ${threadId}. ${OTHER_RUNS}`;
  return new DomainError('forbidden', 'run_not_allowed', message);
}

export function threadNotAllowed(): DomainError {
  const message =
    'The token may not start runs in this thread. Use another thread_id, or a token for all agents from: waystation token create --scope runner';
  return new DomainError('forbidden', 'agent_not_allowed', message);
}
