import { DomainError, type DomainErrorKind } from '../../../common/domain-error.js';
import { KEY_REUSED, type Invocation } from './invocation.js';

/** A heartbeat may bring the agent back, or its new address. */
const HEARTBEAT_SECONDS = 15;
/** The agent's process is new, moved or another one: its next heartbeat tells where it is. */
const ELSEWHERE = [401, 403, 404, 405, 407, 421];
const REFUSALS: ReadonlyMap<number, DomainErrorKind> = new Map([
  [400, 'invalid'],
  [409, 'conflict'],
  [413, 'too_large'],
  [415, 'unsupported_media'],
  [422, 'invalid'],
]);

export function agentNotFound(agentId: string): DomainError {
  const detail = `No agent ${agentId} has sent a heartbeat. \`waystation agent FILE\` sends them for the agents of a file; GET /v1/agents lists known agents.`;
  return new DomainError('not_found', 'agent_not_found', detail);
}

export function agentNotInvocable(agentId: string): DomainError {
  const detail = `The agent ${agentId} names no endpoint in its heartbeats, so this server cannot start it.`;
  return new DomainError('conflict', 'agent_not_invocable', detail);
}

export function agentOffline(agentId: string, reason: string): DomainError {
  const options = { retryAfterSeconds: HEARTBEAT_SECONDS };
  return new DomainError('unavailable', 'agent_offline', `The agent ${agentId} is offline: ${reason}.`, options);
}

export function notInvoked(agentId: string, invocation: Exclude<Invocation, { kind: 'started' }>): DomainError {
  const { status, reason } = invocation;
  if (invocation.kind === 'refused') return refusedBy(agentId, invocation);
  const retryAfterSeconds = (invocation.retryAfterMs ?? 1000) / 1000;
  if (status === 429) {
    const detail = `The agent ${agentId} has too many runs waiting.`;
    return new DomainError('rate_limited', 'agent_busy', detail, { retryAfterSeconds });
  }
  if (status === 503) {
    const detail = `The agent ${agentId} accepts no runs now.`;
    return new DomainError('unavailable', 'agent_unavailable', detail, { retryAfterSeconds });
  }
  if (status === null || ELSEWHERE.includes(status)) return agentOffline(agentId, reason);
  return new DomainError('upstream', 'agent_failed', `The agent ${agentId} did not take the message: ${reason}.`);
}

function refusedBy(agentId: string, refusal: Extract<Invocation, { kind: 'refused' }>): DomainError {
  const { status, reason, detail } = refusal;
  if (refusal.isKeyReused) return keyReused();
  const kind = REFUSALS.get(status);
  const message = sentenceOf(agentId, detail ?? reason);
  return new DomainError(kind ?? 'upstream', kind === undefined ? 'agent_failed' : 'agent_refused', message);
}

/** What the agent says, if it is a whole sentence; otherwise a sentence around it. */
function sentenceOf(agentId: string, words: string): string {
  if (/^\p{Lu}.*[.!?]$/su.test(words)) return words;
  return `The agent ${agentId} did not take the message: ${words.replace(/\.$/, '')}.`;
}

function keyReused(): DomainError {
  const detail = 'was used with another message, thread or context before';
  const errors = [{ path: 'Idempotency-Key', detail }];
  return new DomainError('unprocessable', KEY_REUSED, `Idempotency-Key: ${detail}.`, { errors });
}

/** The agent was asked for a retry that a chat waits for, and did not answer. */
export function retryPending(agentId: string, reason: string): DomainError {
  const options = { retryAfterSeconds: HEARTBEAT_SECONDS };
  const detail = `It is not known yet whether the agent ${agentId} has taken the run: ${reason}. The server asks again for up to 15 minutes.`;
  return new DomainError('unavailable', 'agent_offline', detail, options);
}

export function runNotEnded(status: string): DomainError {
  return new DomainError('conflict', 'run_not_ended', `The run has not ended: its status is ${status}.`);
}

export function ambiguousRun(traceId: string, runs: readonly { agent_id: string }[]): DomainError {
  const agents = runs.map(({ agent_id }) => agent_id).join(', ');
  const detail = `Several agents have a run with the trace ${traceId}: ${agents}. Choose one with agent_id.`;
  return new DomainError('conflict', 'several_runs', detail);
}

export function chatBusy(): DomainError {
  const detail = 'The run began with a chat message, and the agent is working on another message of that chat.';
  return new DomainError('conflict', 'chat_busy', detail);
}

export function nothingToRetry(): DomainError {
  return new DomainError('conflict', 'nothing_to_retry', 'The run has reported no message to retry it with.');
}

export function differentRunStarted(agentId: string, runId: string): DomainError {
  const message = `The agent ${agentId} does not know retry_of: it started another run, ${runId}.`;
  return new DomainError('upstream', 'agent_failed', message);
}
